package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class UpgradeCommandTest {
    private final BenchCall bench = new BenchCall();

    /** All but the delays, which depend on what else the machine does. */
    @Test
    @Tag("sweep")
    void nothingIsLostAndNoStreamBreaksWhileSourcesDie() throws Exception {
        bench.run("upgrade", "--seconds", "6", "--json");
        assertThat(bench.errors()).isEmpty();
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        List<JsonNode> targets = report.get("targets").findParents("name");
        assertThat(targets).hasSize(12).filteredOn(target -> !target.get("name").asText().contains("delay"))
                .allMatch(target -> target.get("holds").asBoolean());
        assertThat(figure(report, "streams", "tcp", "versions-met")).as("upgrades are real").isGreaterThanOrEqualTo(5);
        assertThat(figure(report, "upgrade", "last", "from-node")).isEqualTo(1);
        assertThat(figure(report, "upgrade", "first", "versions-left")).as("the current one, and the one before while it may come back")
                .isBetween(1.0, 2.0);
        assertThat(figure(report, "packets", "tcp", "sent")).isGreaterThan(5_000);
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        assertThat(bench.run("upgrade", "--seconds", "5")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("give 6 to 3600");
        assertThat(bench.run("upgrade", "--streams", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("upgrade", "--packet", "10")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("deploy", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
    }

    private static double figure(JsonNode report, String what, String system, String metric) {
        for (JsonNode row : report.get("rows")) {
            if (row.get("case").asText().equals(what) && row.get("system").asText().equals(system) && row.get("metric").asText().equals(metric)) {
                return row.get("value").asDouble();
            }
        }
        throw new AssertionError("no figure " + what + " " + system + " " + metric);
    }
}
