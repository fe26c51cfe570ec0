package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class SurviveCommandTest {
    private final BenchCall bench = new BenchCall();

    /** One program, the two losses that a node says nothing of, at the node where each is found in another way. */
    @Test
    @Tag("lab")
    void curlFetchesItsFileThoughANodeIsKilledOrFrozenInTheMiddle() throws Exception {
        everyTransferIsWhole(4, "--programs", "curl", "--losses", "1", "--ways", "kill,stop", "--megabytes", "20", "--service", "compression");
    }

    @Test
    @Tag("sweep")
    void sixProgramsFetchTheirFilesHoweverANodeIsLost() throws Exception {
        everyTransferIsWhole(144);
    }

    private void everyTransferIsWhole(int transfers, String... options) throws Exception {
        String[] arguments = new String[options.length + 2];
        arguments[0] = "survive";
        arguments[1] = "--json";
        System.arraycopy(options, 0, arguments, 2, options.length);
        bench.run(arguments);
        assertThat(bench.errors()).isEmpty();
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        assertThat(report.get("targets").get(0).get("value").asInt()).isEqualTo(transfers);
        assertThat(report.get("targets").findValuesAsText("holds")).doesNotContain("false");
        assertThat(report.get("rows").findParents("metric")).filteredOn(row -> row.get("metric").asText().equals("resumptions")).isNotEmpty()
                .allMatch(row -> row.get("low").asInt() >= 1);
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("survive", "--losses", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("survive", "--programs", "telnet")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("curl");
        assertThat(bench.run("survive", "--ways", "fire")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("kill, stop, gone");
    }
}
