package org.tamanoir.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.benchmarks.plot.Chart.Axes;

class ChartTest {
    @ParameterizedTest
    @EnumSource
    void namesItsLinesAndIsAnSvgThatEveryReaderTakes(Axes axes, @TempDir Path folder) throws Exception {
        Chart chart = new Chart("a < b", "octets", "Mbit/s", axes, List.of("a note"));
        Chart.Series rising = chart.line("rising", "#0b6e4f", false);
        Chart.Series flat = chart.line("flat", "#c8553d", true);
        for (int x : new int[] {1, 4, 16, 64}) {
            rising.add(x, x);
            flat.add(x, 8);
        }
        chart.mark("the paper", 4, 12);
        Path file = folder.resolve("new/chart.svg");
        chart.write(file);

        DocumentBuilderFactory reader = DocumentBuilderFactory.newInstance();
        reader.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        String text = reader.newDocumentBuilder().parse(file.toFile()).getDocumentElement().getTextContent();
        assertThat(text).contains("a < b", "octets", "a note", "rising", "flat", "the paper");
    }
}
