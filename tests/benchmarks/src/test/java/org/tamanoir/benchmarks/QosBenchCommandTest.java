package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabRequirements;

class QosBenchCommandTest {
    @TempDir
    private Path folder;
    private final BenchCall bench = new BenchCall();

    /** A quarter of an hour, for a machine that does nothing else. */
    @Test
    @Tag("sweep")
    void everyCoupleAndEveryExperimentKeepsItsTargets() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        int exit = bench.run("qos", "--part", "qbss,precision", "--json", "--csv", folder.toString(), "--plots", folder.toString());
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(ExitCode.DONE);
        JsonNode report = bench.report();
        assertThat(report.get("targets")).hasSize(10).allMatch(target -> target.get("holds").asBoolean());
        assertThat(Files.readString(folder.resolve("precision.csv")).lines().count()).isGreaterThan(18 * 5 * 2);
        for (String name : new String[] {"precision", "qbss-one-stream", "qbss-three-streams", "qbss-datagrams"}) {
            assertThat(Files.readString(folder.resolve(name + ".svg"))).contains("<svg");
        }
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("qos", "--part", "nosuch")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("there is no part 'nosuch'").contains("qbss").contains("precision");
        assertThat(bench.run("qos", "--runs", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("qos", "--couple", "99-2")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("qos", "--couple", "100-0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("qos", "--rate", "1mbit")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("qos", "--rate", "fast")).isEqualTo(ExitCode.USAGE);
    }
}
