package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.node.tuning.LegMatch;
import org.tamanoir.node.tuning.TuneRule;
import org.tamanoir.service.Level;
import org.tamanoir.service.rule.Prefix;

class TuneSectionTest {
    @TempDir
    private Path directory;

    private List<TuneRule> read(String tune) throws IOException {
        return NodeConfiguration.read(Files.writeString(directory.resolve("node.yaml"), "tune: " + tune + "\n")).tune();
    }

    @Test
    void rulesAreReadInTheirOrder() throws IOException {
        assertThat(read("""

                - {name: far, to: 198.51.100.0/24, service: monitoring, class: ef, session: c7, level: heavy, preset: wan, pacing: 100M}
                - {name: near, from: 10.0.0.0/8, preset: lan, probation: false}
                - {name: rest, congestion: reno, buffers: {send: 65536, receive: 131072}}
                """)).containsExactly(
                new TuneRule("far", new LegMatch(Prefix.parse("198.51.100.0/24"), null, 0x5402, 46, 0xC7L, Level.HEAVY), new SocketTuning("bbr", 12_500_000, 0, 0), true),
                new TuneRule("near", new LegMatch(null, Prefix.parse("10.0.0.0/8"), null, null, null, null), new SocketTuning("cubic", 0, 0, 0), false),
                new TuneRule("rest", new LegMatch(null, null, null, null, null, null), new SocketTuning("reno", 0, 65_536, 131_072), true));
        assertThat(NodeConfiguration.read(Files.writeString(directory.resolve("none.yaml"), "listen: 127.0.0.1:0\n")).tune()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "[null] | says nothing", "[{preset: wan}] | tune[0].name", "[{name: Big, preset: wan}] | small letters",
        "[{name: a, preset: wan, to: 10.0.0.0/8}, {name: a, preset: lan}] | another rule is called 'a'",
        "[{name: a}] | it needs preset, congestion, pacing or buffers",
        "[{name: a, preset: fast}] | wan or lan", "[{name: a, preset: wad-2003}] | tamanoir host tune run", "[{name: a, preset: wan, congestion: reno}] | use one of the two",
        "[{name: a, congestion: 'bbr; rm'}] | no name of an algorithm", "[{name: a, congestion: abcdefghijklmnop}] | no name of an algorithm",
        "[{name: a, pacing: fast}] | pacing", "[{name: a, pacing: 63k}] | from 64k to 1000G", "[{name: a, pacing: 2000G}] | pacing", "[{name: a, pacing: forecast}] | has no forecast",
        "[{name: a, buffers: {send: 100}}] | send", "[{name: a, buffers: {receive: 2000000000}}] | receive", "[{name: a, buffers: {both: 65536}}] | both",
        "[{name: a, preset: wan, to: 10.0.0.0/99}] | 10.0.0.0/99", "[{name: a, preset: wan, to: near}] | near", "[{name: a, preset: wan, to: 10.0.0.0/8, from: 10.0.0.0/8}] | exclude each other",
        "[{name: a, preset: wan, service: nobody}] | nobody", "[{name: a, preset: wan, class: best}] | best", "[{name: a, preset: wan, session: xyz}] | xyz",
        "[{name: a, preset: wan, level: low}] | light, middle or heavy", "[{name: a, preset: wan, colour: red}] | colour",
        "[{name: all, preset: wan}, {name: b, preset: lan, to: 10.0.0.0/8}] | all before it is for every leg",
        "[{name: a, preset: wan, to: 10.0.0.0/8}, {name: b, preset: lan, to: 10.1.0.0/16, class: 46}] | a before it is for to 10.0.0.0/8"})
    void whatMakesNoSenseIsRefusedByName(String tune, String named) {
        assertThatThrownBy(() -> read(tune)).isInstanceOfSatisfying(AnepException.class, error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
            assertThat(error.getMessage()).contains(named);
        });
    }

    @Test
    void thereAreNoMoreThanOneLooksThroughForEachLeg() {
        String rule = "{name: a%1$d, preset: wan, to: 10.0.0.%1$d}";
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i <= TuneSection.MOST_RULES; i++) {
            rules.append(rules.isEmpty() ? "" : ", ").append(rule.formatted(i));
        }
        assertThatThrownBy(() -> read("[" + rules + "]")).hasMessageContaining("it may have 64");
    }
}
