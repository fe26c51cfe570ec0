package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabRequirements;

class PaperCommandTest {
    private final BenchCall bench = new BenchCall();

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("paper", "--only", "fig7")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("there is no part 'fig7': fig8, fig9, fig10, fig11, fig12, fig13, table1");
        assertThat(bench.run("paper", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("paper", "--seconds", "0.1")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("paper", "--page", "README.md")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("give --out");
    }

    @Test
    @Tag("sweep")
    void everyFigureComesOutBesideThePaper(@TempDir Path folder) throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        Path page = Files.writeString(folder.resolve("page.md"), "<!-- paper: begin --><!-- paper: end -->");
        bench.run("paper", "--rounds", "1", "--seconds", "0.3", "--out", folder.toString(), "--page", page.toString(), "--json");
        JsonNode report = bench.report();
        assertThat(report.get("failures")).as("no more than that others had the processors").allSatisfy(why -> assertThat(why.asText())
                .contains("of its cap: something else was the limit"));
        for (String file : List.of("fig8.svg", "fig9.svg", "fig10.svg", "fig11.svg", "fig12a.svg", "fig12b.svg", "fig13a.svg", "fig13b.svg", "fig8.csv", "fig9.csv", "fig10.csv", "fig11.csv",
                "fig12.csv", "fig13.csv", "table1.csv")) {
            assertThat(folder.resolve(file)).isNotEmptyFile();
        }
        String text = Files.readString(page);
        assertThat(text).contains("### Figure 8: ", "### Figure 13: ", "### Table 1: ");
        assertThat(text.lines().filter(line -> line.contains("no figure"))).as("only of figure 10 may a busy machine have none")
                .allMatch(line -> line.contains("gzip") || line.contains("back ends") || line.contains("larger packets"));
    }
}
