package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class CopyBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** Beside other work a ratio says nothing, so the target may be missed; what is asked is that every copy is whole and has its figures. */
    @Test
    @Tag("lab")
    void aFileIsCopiedStraightAndByNodesBesideItsPeers() throws Exception {
        int exit = bench.run("copy", "--json", "--rtt", "10", "--rate", "100mbit", "--loss", "0.1", "--octets", "5000000", "--rounds", "1",
                "--systems", "tamanoir,tamanoir-nodes,rsync,curl");
        assertThat(bench.errors()).isEmpty();
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        assertThat(report.get("rows").findParents("metric")).filteredOn(row -> row.get("metric").asText().equals("rate"))
                .hasSize(4).allMatch(row -> row.get("value").asDouble() > 0.5 && row.get("value").asDouble() < 100);
        assertThat(report.get("targets").get(0).get("value").asDouble()).isPositive();
        assertThat(report.get("machine").get("curl").asText()).matches("curl \\d.*");
        assertThat(exit).isEqualTo(bench.deserved());
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
    }
}
