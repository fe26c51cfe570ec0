package org.tamanoir.benchmarks.kernel;

import java.util.List;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Samples;

/**
 * Figure 8 of "Designing and Evaluating An Active Grid Architecture" (2003) with the figures of one run: the time of an ANEP packet on TCP
 * from sender to receiver against its length, through the kernel and through the JVM. A time is half the median round trip.
 */
final class LatencyChart {
    private LatencyChart() {
    }

    /** @param samples with the round trips of at least one length */
    static Chart of(KernelPlan plan, Samples samples) {
        Chart chart = new Chart("Figure 8: latency of an ANEP packet on TCP against its length", "octets of the packet, header included",
                "µs, half the median round trip", Axes.LOGARITHMIC, List.of("All on one CPU. 2003 (two Pentium III, Gigabit Ethernet, Linux 2.4.18): the kernel's curve",
                        "is flat at a few microseconds, the JVMs' rise with the payload to several milliseconds."));
        chart.series().add(line(new Series("no node: a plain router", "#777777", false), Way.PLAIN, plan, samples));
        chart.series().add(line(new Series("node, in the kernel", "#0b6e4f", false), Way.KERNEL, plan, samples));
        chart.series().add(line(new Series("node, in the JVM", "#c8553d", false), Way.USER_SPACE, plan, samples));
        return chart;
    }

    private static Series line(Series line, Way way, KernelPlan plan, Samples samples) {
        for (int octets : plan.tripFrames()) {
            Double p50 = samples.median(KernelFigure.p50(KernelFigure.TCP_TRIP, way, octets));
            if (p50 != null) {
                line.add(octets, p50 / 2);
            }
        }
        return line;
    }
}
