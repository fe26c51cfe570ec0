package org.tamanoir.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ChartTest {
    private static Chart chart(Axes axes) {
        Chart chart = new Chart("a < b", "x", "y", axes, List.of("a note"));
        Series rising = new Series("rising", "#0b6e4f", false);
        Series flat = new Series("flat", "#c8553d", true);
        for (int x : new int[] {1, 4, 16}) {
            rising.add(x, x);
            flat.add(x, 8);
        }
        chart.series().add(rising);
        chart.series().add(flat);
        return chart;
    }

    private static List<double[]> points(Chart chart, int which) throws Exception {
        NodeList lines = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8))).getElementsByTagName("polyline");
        List<double[]> points = new ArrayList<>();
        for (String point : ((Element) lines.item(which)).getAttribute("points").split(" ")) {
            String[] both = point.split(",");
            points.add(new double[] {Double.parseDouble(both[0]), Double.parseDouble(both[1])});
        }
        return points;
    }

    @Test
    void linearAxesKeepProportionsAndBeginAtZero() throws Exception {
        List<double[]> rising = points(chart(Axes.LINEAR), 0);
        double slope = (rising.get(1)[1] - rising.get(0)[1]) / (rising.get(1)[0] - rising.get(0)[0]);
        assertThat(slope).as("higher is up").isNegative();
        assertThat((rising.get(2)[1] - rising.get(1)[1]) / (rising.get(2)[0] - rising.get(1)[0])).isCloseTo(slope, within(0.01));
        List<double[]> flat = points(chart(Axes.LINEAR), 1);
        assertThat(flat).extracting(point -> point[1]).containsOnly(flat.get(0)[1]);
        double zero = rising.get(0)[1] + (rising.get(0)[1] - rising.get(2)[1]) / 15;
        assertThat(flat.get(0)[1]).as("8 is half of 16").isCloseTo((zero + rising.get(2)[1]) / 2, within(0.2));
    }

    @Test
    void aLogarithmicAxisMakesEqualWaysOfEqualFactors() throws Exception {
        List<double[]> rising = points(chart(Axes.LOGARITHMIC_X), 0);
        assertThat(rising.get(1)[0] - rising.get(0)[0]).isCloseTo(rising.get(2)[0] - rising.get(1)[0], within(0.2));
    }

    @Test
    void onTwoLogarithmicAxesAPowerIsAStraightLine() throws Exception {
        List<double[]> rising = points(chart(Axes.LOGARITHMIC), 0);
        double slope = (rising.get(1)[1] - rising.get(0)[1]) / (rising.get(1)[0] - rising.get(0)[0]);
        assertThat(slope).isNegative();
        assertThat((rising.get(2)[1] - rising.get(1)[1]) / (rising.get(2)[0] - rising.get(1)[0])).isCloseTo(slope, within(0.01));
    }
}
