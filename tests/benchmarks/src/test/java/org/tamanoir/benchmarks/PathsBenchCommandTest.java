package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;

class PathsBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    @TempDir
    private Path directory;

    /** Simulations: nothing depends on how busy the machine is, so every target that was measured holds. */
    @Test
    @Tag("sweep")
    void equivalentClassesGetWhatTheirFactorsSay() throws Exception {
        int exit = bench.run("paths", "--json", "--part", "eds", "--rounds", "1", "--quick", "--csv", directory.toString(), "--plots", directory.toString());
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(12).allMatch(target -> target.get("value").isNull() || target.get("holds").asBoolean());
        assertThat(exit).isEqualTo(ExitCode.DONE);
        assertThat(directory.resolve("eds-figure-39.csv")).isNotEmptyFile();
        assertThat(directory.resolve("eds-figure-41.svg")).isNotEmptyFile();
    }

    @Test
    @Tag("sweep")
    void aLossCostsATunedFlowLittle() throws Exception {
        int exit = bench.run("paths", "--json", "--part", "wad,wadbeside", "--rounds", "1", "--quick");
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(3).allMatch(target -> !target.get("value").isNull());
        assertThat(targets.get(0).get("holds").asBoolean()).isTrue();
        assertThat(exit).isEqualTo(bench.deserved());
    }

    /** Shapes of figures that a busy machine bends: that all are measured is for here, the rest for the bench. */
    @Test
    @Tag("sweep")
    void policersQueuesAndMarksAreMeasured() throws Exception {
        int exit = bench.run("paths", "--json", "--part", "aqm", "--rounds", "1", "--seconds", "4", "--quick");
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(8).allMatch(target -> !target.get("value").isNull());
        assertThat(exit).isEqualTo(bench.deserved());
    }

    /** Which spread is smaller in six transfers on a busy machine is for the bench to say; that all of them arrive is not. */
    @Test
    @Tag("sweep")
    void transfersOfEachWayArriveAndOthersKeepSomething() throws Exception {
        int exit = bench.run("paths", "--json", "--part", "tune", "--rounds", "1", "--seconds", "2", "--quick");
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("targets")).hasSize(1).allMatch(target -> !target.get("value").isNull());
        assertThat(bench.report().get("rows")).hasSize(3 + 4 * 2).allMatch(row -> row.get("value").asDouble() > 0);
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("paths", "--part", "edz")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("eds");
        assertThat(bench.run("paths", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
    }
}
