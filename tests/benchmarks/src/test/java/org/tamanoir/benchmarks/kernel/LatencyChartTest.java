package org.tamanoir.benchmarks.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Samples;

class LatencyChartTest {
    @Test
    void eachWayIsALineOfHalfItsRoundTripsAndWhatWasNotMeasuredIsNotThere() {
        KernelPlan plan = new KernelPlan(Set.of(Part.TCP), List.of(64), List.of(64, 640), List.of(6400), 1, Duration.ofSeconds(1), 1, Placement.ONE);
        Samples samples = new Samples();
        for (int octets : plan.tripFrames()) {
            samples.add(KernelFigure.p50(KernelFigure.TCP_TRIP, Way.KERNEL, octets), 2);
        }
        samples.add(KernelFigure.p50(KernelFigure.TCP_TRIP, Way.USER_SPACE, 640), 18);
        List<Series> lines = LatencyChart.of(plan, samples).series();
        assertThat(lines).extracting(Series::points).containsExactly(new TreeMap<>(), new TreeMap<>(Map.of(64.0, 1.0, 640.0, 1.0, 6400.0, 1.0)),
                new TreeMap<>(Map.of(640.0, 9.0)));
        assertThat(lines).extracting(Series::name).containsExactly("no node: a plain router", "node, in the kernel", "node, in the JVM");
    }
}
