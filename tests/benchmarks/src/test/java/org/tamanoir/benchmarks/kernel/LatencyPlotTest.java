package org.tamanoir.benchmarks.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Samples;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class LatencyPlotTest {
    /** The bottom and the top of the axes, pixels from above. */
    private static final double BOTTOM = 380;
    private static final double TOP = 50;

    @Test
    void eachWayIsALineOfHalfItsRoundTripsOnLogarithmicAxes() throws Exception {
        KernelPlan plan = new KernelPlan(Set.of(Part.TCP), List.of(64), List.of(64, 640, 6400), List.of(), 1, Duration.ofSeconds(1), 1,
                Placement.ONE);
        Samples samples = new Samples();
        // One-way times from 1 to 100 microseconds, so two decades from the bottom to the top.
        for (int octets : plan.frames()) {
            samples.add(KernelFigure.p50(KernelFigure.TCP_TRIP, Way.KERNEL, octets), 2);
            samples.add(KernelFigure.p50(KernelFigure.TCP_TRIP, Way.USER_SPACE, octets), 2 * octets / 64.0 * 0.9);
        }
        NodeList lines = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(new LatencyPlot(plan, samples).svg().getBytes(StandardCharsets.UTF_8)))
                .getElementsByTagName("polyline");
        assertThat(points(lines, 0)).as("the plain router was not measured").isEmpty();
        List<double[]> kernel = points(lines, 1);
        List<double[]> user = points(lines, 2);
        assertThat(kernel).extracting(point -> point[1]).as("flat").containsOnly(kernel.get(0)[1]);
        assertThat(kernel.get(1)[0] - kernel.get(0)[0]).as("tenfold is tenfold").isCloseTo(kernel.get(2)[0] - kernel.get(1)[0],
                org.assertj.core.data.Offset.offset(0.3));
        double decade = user.get(0)[1] - user.get(1)[1];
        assertThat(user.get(1)[1] - user.get(2)[1]).isCloseTo(decade, org.assertj.core.data.Offset.offset(0.3));
        assertThat(user).allMatch(point -> point[1] <= BOTTOM && point[1] >= TOP);
    }

    private static List<double[]> points(NodeList lines, int which) {
        List<double[]> points = new ArrayList<>();
        for (String point : ((Element) lines.item(which)).getAttribute("points").split(" ")) {
            if (!point.isEmpty()) {
                String[] both = point.split(",");
                points.add(new double[] {Double.parseDouble(both[0]), Double.parseDouble(both[1])});
            }
        }
        return points;
    }
}
