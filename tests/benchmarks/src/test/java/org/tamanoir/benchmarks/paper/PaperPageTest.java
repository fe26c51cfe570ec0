package org.tamanoir.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.benchmarks.paper.PaperFigure.Beside;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.lab.LabException;

class PaperPageTest {
    @TempDir
    private Path folder;

    private static Findings found() {
        Chart chart = new Chart("one node", "octets", "Gbit/s", Axes.LINEAR, List.of());
        chart.series().add(new Series("8 streams", "#0b6e4f", false));
        chart.series().get(0).add(256, 10.5);
        Row row = new Row("streams", "tamanoir", 256, 8, "throughput", 10.5, "Gbit/s", 3, 9, 12);
        return Findings.of(new PaperFigure("fig9", "one node", List.of(row), List.of(), List.of("a run broke"), out -> { }, Map.of("fig9", chart),
                List.of(new Beside("the most", "450 Mb/s", "10.5 Gbit/s")), "one machine, " + "and other things, ".repeat(20)));
    }

    @Test
    void thePartBetweenTheMarksIsMadeAnewAndTheRestStays() throws Exception {
        Path page = Files.writeString(folder.resolve("page.md"), "# Before\n\n" + PaperPage.BEGIN + "\nold\n### Figure 9: x\n\nold\n\n### Figure 10: kept\n\ntext\n\n### Figure 8: first\n\n"
                + PaperPage.END + "\n\nAfter\n");
        Findings found = found();
        found.writeCsv(folder.resolve("figures"));
        found.plot(folder.resolve("figures"));
        for (int twice = 0; twice < 2; twice++) {
            new PaperPage(page).write(found, folder.resolve("figures"));
        }
        String text = Files.readString(page);
        assertThat(text).startsWith("# Before\n\n" + PaperPage.BEGIN + "\n").endsWith(PaperPage.END + "\n\nAfter\n").doesNotContain("old");
        assertThat(text).containsOnlyOnce("### Figure 9: one node").contains("| the most | 450 Mb/s | 10.5 Gbit/s |", "Different: one machine, and other things, ", "Failed: a run broke",
                "![one node](figures/fig9.svg)");
        assertThat(text).containsSubsequence("### Figure 8: first", "### Figure 9: one node", "### Figure 10: kept\n\ntext\n\n" + PaperPage.END);
        assertThat(text.lines()).as("pages have lines of 120 characters").allMatch(line -> line.length() <= 120);
        assertThat(folder.resolve("figures/fig9.svg")).content().contains("8 streams");
        assertThat(folder.resolve("figures/fig9.csv")).content().isEqualTo("case,system,packet,streams,metric,value,unit,runs,low,high\r\n"
                + "streams,tamanoir,256,8,throughput,10.5,Gbit/s,3,9.0,12.0\r\n");
    }

    @Test
    void chartsBesideThePageAreNamedAsTheyAre() throws Exception {
        Path page = Files.writeString(folder.resolve("page.md"), PaperPage.BEGIN + PaperPage.END);
        new PaperPage(page).write(found(), folder);
        assertThat(page).content().contains("![one node](fig9.svg)");
    }

    @Test
    void aPageWithoutMarksIsRefusedBeforeAnythingIsMeasured() throws Exception {
        Path page = Files.writeString(folder.resolve("page.md"), "nothing\n");
        assertThatThrownBy(() -> new PaperPage(page)).isInstanceOf(LabException.class).hasMessageContaining("has no marks");
        assertThatThrownBy(() -> new PaperPage(folder.resolve("none.md"))).isInstanceOf(LabException.class).hasMessageContaining("none.md");
    }
}
