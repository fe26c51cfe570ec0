package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.routing.Pool;

class PoolSectionTest {
    private static final String GOOD = "pools: [{to: 10.0.1.100:3322, level: heavy}, {to: '[fd00::1]:3322', services: [compression, 0x5501, shout]}]\n";

    @TempDir
    private Path directory;

    private List<Pool> read(String text) throws IOException {
        return NodeConfiguration.read(Files.writeString(directory.resolve("node.yaml"), text)).pools();
    }

    @Test
    void aServiceIsNamedByItsNameOrItsTypeId() throws Exception {
        assertThat(read("listen: 127.0.0.1:0\n")).isEmpty();
        List<Pool> pools = read(GOOD);
        assertThat(pools).containsExactly(new Pool(new InetSocketAddress("10.0.1.100", 3322), true, Set.of(), Set.of()),
                new Pool(new InetSocketAddress("fd00::1", 3322), false, Set.of(0x5403, 0x5501), Set.of("shout")));
        assertThat(pools).extracting(Pool::address).containsExactly("10.0.1.100:3322", "[fd00::1]:3322");
        assertThat(pools.get(1).services()).containsExactly("shout", "0x5403", "0x5501");
        assertThat(read("pools: [{to: 10.0.1.100:3322, level: heavy, services: [monitoring]}]"))
                .containsExactly(new Pool(new InetSocketAddress("10.0.1.100", 3322), true, Set.of(0x5402), Set.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "to: 10.0.1.100:3322, | '' | pools[0].to missing", "10.0.1.100:3322 | 10.0.1.100 | pools[0].to", "10.0.1.100:3322 | 10.0.1.100:0 | pools[0].to",
        "10.0.1.100:3322 | 0.0.0.0:3322 | pools[0].to", "10.0.1.100:3322 | 239.1.1.1:3322 | pools[0].to", "[fd00::1]:3322 | fd00 | pools[1].to",
        "level: heavy | level: light | pools[0].level", "', level: heavy' | '' | pools[0] nothing", "[compression, 0x5501, shout] | [] | pools[1] nothing",
        "shout | Shout! | pools[1].services Shout!", "shout | 0 | pools[1].services", "shout | 0x10000 | pools[1].services 0x10000",
        "shout | 0x5403 | pools[1].services already", "shout | 21761 | pools[1].services already", "compression | shout | pools[1].services already",
        "services: | 'level: heavy, services:' | pools[1].level already pools[0].level", "to: 10 | too: 10 | too",
        "'{to: 10.0.1.100:3322, level: heavy}' | null | pools[0] nothing"})
    void whatMakesNoSenseIsRefusedByName(String part, String instead, String named) {
        String text = GOOD.replace(part, instead);
        assertThat(text).isNotEqualTo(GOOD);
        assertThatThrownBy(() -> read(text)).as(text).isInstanceOfSatisfying(AnepException.class, error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
            assertThat(error.getMessage()).contains(named.split(" "));
        });
    }

    @Test
    void thereIsAnEndToThem() {
        String many = IntStream.rangeClosed(1, PoolSection.MOST_POOLS + 1).mapToObj(i -> "{to: 10.0.1.1:" + i + ", services: [" + i + "]}")
                .collect(Collectors.joining(",", "pools: [", "]"));
        assertThatThrownBy(() -> read(many)).hasMessageContaining("pools: it has 65");
        String services = IntStream.rangeClosed(1, PoolSection.MOST_SERVICES + 1).mapToObj(Integer::toString).collect(Collectors.joining(","));
        assertThatThrownBy(() -> read("pools: [{to: 10.0.1.1:1, services: [" + services + "]}]")).hasMessageContaining("pools[0].services: it has 257");
    }
}
