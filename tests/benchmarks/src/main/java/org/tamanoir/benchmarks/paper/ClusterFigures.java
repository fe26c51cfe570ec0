package org.tamanoir.benchmarks.paper;

import static org.tamanoir.benchmarks.paper.PaperFigure.text;
import static org.tamanoir.benchmarks.paper.PaperFigure.value;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.distance.Distance;
import org.tamanoir.benchmarks.cluster.scaling.Scaling;
import org.tamanoir.benchmarks.paper.PaperFigure.Beside;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;

/** Section 3.2.3: several nodes behind one address. */
final class ClusterFigures {
    static final String SCALING = "a cluster: services of the levels middle and high";
    static final String DISTANCE = "a cluster over a long distance";

    private static final int KB = 1024;
    private static final List<Integer> BACK_ENDS = List.of(1, 2, 3);
    private static final int FAR_PACKET = 8 * KB;

    private ClusterFigures() {
    }

    static PaperFigure scaling(Rounds plan, Consumer<String> progress) {
        Outcome found = Scaling.run(new ClusterPlan(plan.count(), Math.max(2, plan.seconds()), ClusterPlan.STREAMS), progress);
        List<Row> rows = found.rows();
        Chart chart = new Chart("Figure 10: what one, two and three back ends carry", "back ends", "times one back end", Axes.LINEAR,
                List.of("Each back end has a tenth of a CPU (gzip: a fifth). 2003, three back ends, each a machine of two Pentium III:", "monitoring 1.05 Gb/s (4 KB) and 1.4 Gb/s (larger packets), gzip around 200 Mb/s."));
        chart.series().add(line("monitoring, 4 KB", "#0b6e4f", rows, "scaling-monitoring", 4 * KB));
        chart.series().add(line("monitoring, 32 KB", "#3b6fb6", rows, "scaling-monitoring", 32 * KB));
        chart.series().add(line("gzip, 32 KB", "#c8553d", rows, "scaling-gzip", 32 * KB));
        return PaperFigure.of("fig10", SCALING, found, Map.of("fig10", chart), List.of(
                new Beside("Three back ends, monitoring, 4 KB", "1.05 Gb/s", three(rows, "scaling-monitoring", 4 * KB)),
                new Beside("… with larger packets (here 32 KB)", "up to 1.4 Gb/s", three(rows, "scaling-monitoring", 32 * KB)),
                new Beside("… gzip", "around 200 Mb/s", three(rows, "scaling-gzip", 32 * KB))),
                "each back end may use a tenth of one CPU (gzip: a fifth), and the director runs IPVS in user-mode Linux on the same machine; in 2003 four machines of two Pentium III, Gigabit Ethernet. "
                        + "Compare how it grows.");
    }

    private static Series line(String name, String colour, List<Row> rows, String benchCase, int packet) {
        Series line = new Series(name, colour, false);
        line.add(1, 1);
        BACK_ENDS.forEach(count -> value(rows, benchCase, "back-ends-" + count, packet, count * ClusterPlan.STREAMS, "of-one").ifPresent(ratio -> line.add(count, ratio)));
        return line;
    }

    private static String three(List<Row> rows, String benchCase, int packet) {
        return text("%.0f Mbit/s", value(rows, benchCase, "back-ends-3", packet, 3 * ClusterPlan.STREAMS, "throughput")) + ", "
                + text("%.2f times one back end", value(rows, benchCase, "back-ends-3", packet, 3 * ClusterPlan.STREAMS, "of-one"));
    }

    static PaperFigure distance(Rounds plan, Consumer<String> progress) {
        Outcome found = Distance.run(new ClusterPlan(plan.count(), plan.seconds(), ClusterPlan.STREAMS), progress);
        List<Row> rows = found.rows();
        return PaperFigure.of("fig11", DISTANCE, found, Map.of("fig11", found.charts().get("distance")), List.of(
                new Beside("8 KB packets, 25 streams, far away", "919 Mb/s", text("%.0f Mbit/s", value(rows, "distance", "cluster-far", FAR_PACKET, Distance.STREAMS, "throughput"))),
                new Beside("… of what the same streams have without the cluster", "not given", text("%.2f", value(rows, "distance", "cluster-far", FAR_PACKET, Distance.STREAMS, "throughput-of-direct-far"))),
                new Beside("… of what the cluster carries near", "not given as a number", text("%.2f", value(rows, "distance", "cluster-far", FAR_PACKET, Distance.STREAMS, "throughput-of-cluster-near")))),
                "the distance is a program that holds every frame for 2.9 ms each way (the paper's round trip from ENS Lyon to CEA; VTHD's own is not given); client, program, director (nftables), "
                        + "three back ends and receiver share one machine. In 2003 Gigabit Ethernet into a backbone of 2.5 Gb/s, and machines of their own.");
    }
}
