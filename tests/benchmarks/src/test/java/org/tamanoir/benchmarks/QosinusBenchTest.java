package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;

class QosinusBenchTest {
    private final BenchCall bench = new BenchCall();

    /** What QoSinus promises with every margin that a busy machine takes; the bench has the exact figures. */
    @Test
    @Tag("sweep")
    void aFlowIsInABetterClassSoonAndKeepsWhatItAskedFor(@TempDir Path folder) throws Exception {
        assertThat(bench.run("qos", "--part", "table1,adaptation", "--quick", "--json", "--csv", folder.toString(), "--plots", folder.toString()))
                .as(bench.errors()).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        assertThat(value(report, "asked for delay")).isLessThan(5);
        assertThat(value(report, "best effort, times its round trip")).isGreaterThan(10);
        assertThat(value(report, "asked for throughput")).isGreaterThan(0.5);
        assertThat(value(report, "TCP in best effort")).isLessThan(0.1);
        assertThat(value(report, "the path degrades")).isLessThan(6);
        assertThat(value(report, "the path recovers")).isLessThan(8);
        assertThat(folder).isDirectoryContaining("glob:**adaptation.csv").isDirectoryContaining("glob:**adaptation-500ms.svg")
                .isDirectoryContaining("glob:**table1.csv");
    }

    private static double value(JsonNode report, String name) {
        List<JsonNode> found = report.get("targets").findParents("name").stream().filter(target -> target.get("name").asText().contains(name)).toList();
        assertThat(found).as(name).hasSize(1);
        return found.get(0).get("value").asDouble();
    }
}
