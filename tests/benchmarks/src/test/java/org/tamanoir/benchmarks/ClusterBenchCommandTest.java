package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabRequirements;

class ClusterBenchCommandTest {
    /** Three back ends cannot carry more than three times one; beyond it, and what runs of a second differ by, the one was held up. */
    private static final double MOST_OF_ONE = 3.3;

    private final BenchCall bench = new BenchCall();

    /** What a cluster promises with every margin that a busy machine takes; the bench has the exact figures. */
    @Test
    @Tag("sweep")
    void moreBackEndsCarryMoreAndFailuresCostWhatTheyMay() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        bench.run("cluster", "--quick", "--json");
        JsonNode report = bench.report();
        assertThat(report.get("failures")).as("no more than that others had the processors").allSatisfy(why -> assertThat(why.asText())
                .contains("of its cap: something else was the limit"));
        assertThat(report.get("targets")).hasSize(8);
        for (String what : List.of("gzip, packets of 32 KB", "monitoring, packets of 4 KB", "monitoring, packets of 32 KB")) {
            assertThat(value(report, what)).as(what).satisfiesAnyOf(ratio -> assertThat(ratio).as("not measured, which a failure explains").isNull(),
                    ratio -> assertThat(ratio).isBetween(1.8, MOST_OF_ONE));
        }
        assertThat(value(report, "a back end killed: until")).isBetween(0.0, 4.0);
        assertThat(value(report, "a back end killed: open")).isZero();
        assertThat(value(report, "a back end drained")).isZero();
        assertThat(value(report, "power: until")).isBetween(0.1, 6.0);
        assertThat(value(report, "power: open")).isZero();
        String pid = "tamanoir-" + ProcessHandle.current().pid() + "-";
        for (Path parent : List.of(Path.of("/sys/fs/cgroup"), Path.of("/sys/fs/cgroup/cpu"), Path.of("/run/netns"))) {
            if (Files.isDirectory(parent)) {
                try (var left = Files.list(parent)) {
                    assertThat(left.map(each -> each.getFileName().toString()).filter(name -> name.startsWith(pid))).as("left in " + parent).isEmpty();
                }
            }
        }
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("cluster", "--part", "nosuch")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("there is no part 'nosuch': scaling, distance, failure");
        assertThat(bench.run("cluster", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("cluster", "--seconds", "0.5")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("cluster", "--streams", "1")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("2 to 40 streams");
    }

    /** Null if it was not measured. */
    private static Double value(JsonNode report, String name) {
        List<JsonNode> found = report.get("targets").findParents("name").stream().filter(target -> target.get("name").asText().contains(name)).toList();
        assertThat(found).as(name).hasSize(1);
        return found.get(0).get("value").isNull() ? null : found.get(0).get("value").asDouble();
    }
}
