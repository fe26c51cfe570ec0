package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.Exit;
import org.tamanoir.lab.LabRequirements;
import picocli.CommandLine;

class QosBenchCommandTest {
    @TempDir
    private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new BenchCommand()).setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
    }

    /** A quarter of an hour, for a machine that does nothing else. */
    @Test
    @Tag("sweep")
    void everyCoupleAndEveryExperimentKeepsItsTargets() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        int exit = run("qos", "--part", "qbss,precision", "--json", "--csv", folder.toString(), "--plots", folder.toString());
        assertThat(err.toString()).isEmpty();
        assertThat(exit).isEqualTo(Exit.DONE);
        JsonNode report = new ObjectMapper().readTree(out.toString());
        assertThat(report.get("targets")).hasSize(10).allMatch(target -> target.get("holds").asBoolean());
        assertThat(Files.readString(folder.resolve("precision.csv")).lines().count()).isGreaterThan(18 * 5 * 2);
        for (String name : new String[] {"precision", "qbss-one-stream", "qbss-three-streams", "qbss-datagrams"}) {
            assertThat(Files.readString(folder.resolve(name + ".svg"))).contains("<svg");
        }
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(run("qos", "--part", "nosuch")).isEqualTo(Exit.USAGE);
        assertThat(err.toString()).contains("there is no part 'nosuch'").contains("qbss").contains("precision");
        assertThat(run("qos", "--runs", "0")).isEqualTo(Exit.USAGE);
        assertThat(run("qos", "--rate", "1mbit")).isEqualTo(Exit.USAGE);
        assertThat(run("qos", "--rate", "fast")).isEqualTo(Exit.USAGE);
    }
}
