package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class CopyBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** Beside other work a ratio says nothing, so the target may be missed; what is asked is that every copy is whole and has its figures. */
    @Test
    @Tag("lab")
    void aFileIsCopiedBesideItsPeersAndEachCopyIsWhole() throws Exception {
        int exit = bench.run("copy", "--json", "--rtt", "10", "--rate", "100mbit", "--loss", "0.1", "--octets", "5000000", "--rounds", "1",
                "--systems", "tamanoir,rsync,curl");
        assertThat(bench.errors()).isEmpty();
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        assertThat(report.get("rows").findParents("metric")).filteredOn(row -> row.get("metric").asText().equals("rate"))
                .hasSize(3).allMatch(row -> row.get("value").asDouble() > 0.5 && row.get("value").asDouble() < 100);
        assertThat(report.get("targets").get(0).get("value").asDouble()).isPositive();
        assertThat(report.get("machine").get("curl").asText()).matches("curl \\d.*");
        assertThat(exit).isEqualTo(bench.deserved());
    }

    /** One moment for each victim, of a file so small that two extents of each stream are more of it than the target allows. */
    @Test
    @Tag("sweep")
    void aCopyIsTheSourceWhoeverIsKilledInTheMiddle() throws Exception {
        losses("--megabytes", "8", "--kills", "1", "--pace", "80M", "--extent", "256K", "--streams", "2");
    }

    @Test
    @Tag("sweep")
    void aCopyIsTheSourceAtWhicheverMomentSomebodyIsKilled() throws Exception {
        losses("--megabytes", "200", "--kills", "20");
    }

    private void losses(String... options) throws Exception {
        bench.run(Stream.concat(Stream.of("copy", "--json", "--part", "losses"), Stream.of(options)).toArray(String[]::new));
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("failures")).isEmpty();
        assertThat(bench.report().get("targets").get(0).get("holds").asBoolean()).isTrue();
        assertThat(bench.report().get("rows").findParents("metric")).filteredOn(row -> row.get("metric").asText().equals("twice")).hasSize(5)
                .allMatch(row -> row.get("low").asDouble() >= 0 && row.get("high").asDouble() < 20);
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("copy", "--part", "piers")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("peers");
        assertThat(bench.run("copy", "--systems", "ftp")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("globus-url-copy");
        assertThat(bench.run("copy", "--loss", "6")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("copy", "--rate", "2000mbit")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("copy", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("copy", "--part", "losses", "--kills", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("copy", "--part", "losses", "--victims", "nobody")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("mover, command, first, second");
    }
}
