package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.cluster.ClusterSettings;
import org.tamanoir.service.rule.Prefix;

class ClusterSectionTest {
    private static final String GOOD = "listen: 10.0.1.2:3322\ncluster: {name: b-1.site, frontends: [http://10.0.1.1:3381/], token: sesame}\n";

    @TempDir
    private Path directory;

    private ClusterSettings read(String text) throws IOException {
        return NodeConfiguration.read(Files.writeString(directory.resolve("node.yaml"), text)).clusterSettings();
    }

    @Test
    void whatIsNotSaidIsThatOfTheNode() throws Exception {
        InetAddress own = InetAddress.getByName("10.0.1.2");
        assertThat(read(GOOD)).isEqualTo(new ClusterSettings("b-1.site", own, "default", List.of("http://10.0.1.1:3381"), "sesame",
                new InetSocketAddress(own, 3326), null, List.of()));
        assertThat(read(GOOD).toString()).as("what may come into a log").doesNotContain("sesame");
        assertThat(read("listen: 10.0.1.2:3322\n")).isNull();
        Path token = Files.writeString(directory.resolve("token"), "from-a-file\nand a remark\n");
        ClusterSettings all = read("listen: '[::]:3322'\ncluster: {name: b, address: 10.0.1.2, pool: heavy, frontends: [http://a:1, https://b:2], token-file: "
                + token + ", health: '0.0.0.0:99', reply-via: 10.0.1.254, virtual-addresses: [198.51.100.0/24]}\n");
        assertThat(all).isEqualTo(new ClusterSettings("b", own, "heavy", List.of("http://a:1", "https://b:2"), "from-a-file",
                new InetSocketAddress("0.0.0.0", 99), InetAddress.getByName("10.0.1.254"), List.of(Prefix.parse("198.51.100.0/24"))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "name: b-1.site | name: B | cluster.name", "name: b-1.site, | '' | cluster.name", "name: b-1.site | name: a/b | cluster.name",
        "name: b-1.site | name: b- | cluster.name", "token: sesame | pool: 'x y' | cluster.pool",
        "frontends: [http://10.0.1.1:3381/] | frontends: [] | frontends", "frontends: [http://10.0.1.1:3381/], | '' | frontends",
        "http://10.0.1.1:3381/ | ftp://10.0.1.1 | frontends", "http://10.0.1.1:3381/ | 'http://a:1,http://a:1/' | twice",
        "token: sesame | token-file: /nonexistent/token | token-file", "token: sesame | token: 'two words' | token", "token: sesame | token: '' | token",
        "token: sesame | {token: a, token-file: b} | exclude", "token: sesame | address: node.example | cluster.address",
        "token: sesame | address: 10.0.1.3 | cluster.address", "token: sesame | address: 0.0.0.0 | cluster.address",
        "listen: 10.0.1.2:3322 | listen: 0.0.0.0:3322 | cluster.address", "token: sesame | health: 10.0.1.3:80 | cluster.health",
        "token: sesame | health: 3326 | cluster.health", "token: sesame | reply-via: router | reply-via", "token: sesame | tokn: sesame | tokn"})
    void whatMakesNoSenseIsRefusedByName(String part, String instead, String named) {
        String text = GOOD.replace(part, instead.equals("''") ? "" : instead.replaceAll("^\\{|}$", ""));
        assertThatThrownBy(() -> read(text)).as(text).isInstanceOfSatisfying(AnepException.class, error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
            assertThat(error.getMessage()).contains(named);
        });
    }
}
