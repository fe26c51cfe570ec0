package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
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

    /** Beside other work ratios say nothing, so targets may be missed; what is asked is that every octet arrives, and figures that can be. */
    @Test
    @Tag("long")
    void marksAreMeasuredBesideSessionsWithoutThemAndAnOrdinaryGateway() throws Exception {
        measure("--part", "cost", "--rounds", "1", "--seconds", "0.2");
        assertThat(bench.report().get("rows").findValuesAsText("system")).contains("marks", "no-marks", "ordinary-gateway");
        assertThat(row("throughput-of-no-marks")).isBetween(0.2, 5.0);
        assertThat(row("cpu-of-ordinary-gateway")).isBetween(0.2, 10.0);
    }

    @Test
    @Tag("long")
    void allSessionsGoOnWhateverTheyDoWhenTheirNodeIsKilled() throws Exception {
        measure("--part", "many", "--sessions", "40", "--seconds", "0.5");
        assertThat(bench.report().get("rows").findValuesAsText("system")).contains("idle", "busy", "stalled");
        assertThat(row("resumptions")).isGreaterThanOrEqualTo(40);
        assertThat(row("endpoint-peak")).isBetween(20.0, 2000.0);
        assertThat(row("last-on")).isBetween(0.001, 30.0);
    }

    private void measure(String... options) throws Exception {
        int exit = bench.run(Stream.concat(Stream.of("survive", "--json"), Stream.of(options)).toArray(String[]::new));
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("failures")).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
    }

    /** The first figure of a name. */
    private double row(String metric) throws Exception {
        for (JsonNode row : bench.report().get("rows")) {
            if (row.get("metric").asText().equals(metric)) {
                return row.get("value").asDouble();
            }
        }
        throw new AssertionError("no row '" + metric + "'");
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("survive", "--losses", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("survive", "--programs", "telnet")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("curl");
        assertThat(bench.run("survive", "--ways", "fire")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("kill, stop, gone");
        assertThat(bench.run("survive", "--part", "marks")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("losses, cost, many");
        assertThat(bench.run("survive", "--sessions", "1001")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("survive", "--states", "asleep")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("idle, busy, stalled");
    }
}
