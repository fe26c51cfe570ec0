package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabRequirements;

class StreamsCommandTest {
    private final BenchCall bench = new BenchCall();

    /** Root, because it may have to install its peers. How the figures compare is for the bench to say. */
    @Test
    @Tag("lab")
    @Tag("sweep")
    void everyLoadRunsThroughEveryChain() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.root(), requirements.explain());
        int exit = bench.run("streams", "--rounds", "1", "--seconds", "1", "--warm-up", "0", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        for (String load : new String[] {"connections", "keep-alive", "queries"}) {
            for (String system : new String[] {"direct", "haproxy-3", "now"}) {
                assertThat(figure(report, load, system, "rate")).as(load + " through " + system).isGreaterThan(1);
            }
        }
        double ratio = figure(report, "keep-alive", "now", "rate-of-haproxy-3");
        assertThat(ratio * figure(report, "keep-alive", "haproxy-3", "rate")).isCloseTo(figure(report, "keep-alive", "now", "rate"),
                Percentage.withPercentage(1));
        assertThat(figure(report, "first-octet", "now", "p50")).isLessThanOrEqualTo(figure(report, "first-octet", "now", "p99"));
        assertThat(figure(report, "start", "now", "ready")).isBetween(0.05, 60.0);
        assertThat(report.get("targets")).hasSize(7).noneMatch(target -> target.get("value").isNull());
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        assertThat(bench.run("streams", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("streams", "--seconds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("streams", "--warm-up", "-1")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("streams", "--against", "/nowhere")).isEqualTo(ExitCode.USAGE);
    }

    private static double figure(JsonNode report, String load, String system, String metric) {
        for (JsonNode row : report.get("rows")) {
            if (row.get("case").asText().equals(load) && row.get("system").asText().equals(system) && row.get("metric").asText().equals(metric)) {
                return row.get("value").asDouble();
            }
        }
        throw new AssertionError("no figure " + load + " " + system + " " + metric);
    }
}
