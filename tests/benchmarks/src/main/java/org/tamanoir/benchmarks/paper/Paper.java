package org.tamanoir.benchmarks.paper;

import static org.tamanoir.benchmarks.paper.PaperFigure.text;
import static org.tamanoir.benchmarks.paper.PaperFigure.value;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.distance.Distance;
import org.tamanoir.benchmarks.cluster.scaling.Scaling;
import org.tamanoir.benchmarks.dyram.figures.Figures;
import org.tamanoir.benchmarks.kernel.KernelBench;
import org.tamanoir.benchmarks.kernel.KernelPlan;
import org.tamanoir.benchmarks.kernel.KernelResults;
import org.tamanoir.benchmarks.paper.PaperFigure.Beside;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.Table1;
import org.tamanoir.benchmarks.relay.RelayComparison;
import org.tamanoir.benchmarks.relay.RelayKind;
import org.tamanoir.benchmarks.relay.RelayPlan;
import org.tamanoir.benchmarks.relay.RelayPlan.Placement;
import org.tamanoir.benchmarks.relay.Transport;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.lab.LabException;

/** All the figures. One that cannot be measured on a machine is a failure of the run, with its reason, and the others are measured all the same. */
public final class Paper {
    public static final Parts<Rounds> PARTS = new Parts<>(List.of(
            part("fig8", "latency of packets on TCP, in the kernel and in the JVM", Paper::latency),
            part("fig9", "one node, monitoring in user space", Paper::oneNode),
            part("fig10", "a cluster: services of the levels middle and high", Paper::scaling),
            part("fig11", "a cluster over a long distance", Paper::distance),
            part("fig12", "local recovery of DyRAM, simulated", Paper::recovery),
            part("fig13", "recovery delay of DyRAM, simulated", Paper::delay),
            part("table1", "flows on an empty and on a congested path", Paper::quality)));

    private static final int KB = 1024;
    private static final int SHORT = 64;
    private static final int LONG = 60_000;
    private static final List<Integer> LENGTHS = List.of(SHORT, 512, 1400, 4096, 8192, 16384);
    private static final String[] COLOURS = {"#c8553d", "#0b6e4f", "#3b6fb6"};
    private static final int SEED = 1;
    private static final List<String> SPLITS = List.of(".02/.46/.02", ".1/.3/.1", "thirds");

    private Paper() {
    }

    private interface Measured {
        PaperFigure run(Rounds plan, Consumer<String> progress);
    }

    private static Part<Rounds> part(String name, String title, Measured measured) {
        return new Part<>(name, (plan, progress) -> {
            PaperFigure figure;
            try {
                figure = measured.run(plan, progress);
            } catch (LabException | AnepException e) {
                figure = PaperFigure.failed(name + ": " + e.getMessage());
            }
            return figure.named(name, title);
        });
    }

    private static PaperFigure latency(Rounds plan, Consumer<String> progress) {
        KernelResults found = KernelBench.run(new KernelPlan(Set.of(KernelPlan.Part.TCP), KernelPlan.DATAGRAMS, List.of(LONG), LENGTHS, plan.count(),
                plan.run().dividedBy(2), KernelPlan.CHANGES, KernelPlan.Placement.ONE), progress);
        List<Row> rows = found.report().rows();
        return PaperFigure.of(found.report(), found::print, Map.of("fig8", found.latencies()), List.of(
                new Beside("Through the kernel, " + SHORT + " and " + LONG + " octets", "a few microseconds, flat", oneWay(rows, "kernel")),
                new Beside("Through the JVM, the same", "up to several milliseconds, by payload", oneWay(rows, "user-space")),
                new Beside("No node, the same", "not given", oneWay(rows, "plain")),
                new Beside("Light services in the kernel, throughput", "up to 800 Mb/s", text("%.1f Gbit/s", value(rows, "tcp-stream", "kernel", LONG, 1, "throughput")))),
                "sender, node and receiver are namespaces of one machine and share one CPU; in 2003 they were machines of their own (two Pentium III at 1.4 GHz, Gigabit Ethernet, Linux 2.4.18). "
                        + "Half of the median round trip, both ends' stacks and the copies of a long packet included.");
    }

    private static String oneWay(List<Row> rows, String way) {
        return text("%.1f", value(rows, "tcp-round-trip", way, SHORT, 1, "p50").map(trip -> trip / 2)) + " and "
                + text("%.1f µs", value(rows, "tcp-round-trip", way, LONG, 1, "p50").map(trip -> trip / 2));
    }

    private static PaperFigure oneNode(Rounds plan, Consumer<String> progress) {
        RelayPlan relay = new RelayPlan(Transport.TCP, List.of(RelayKind.DIRECT, RelayKind.TAMANOIR), Transport.TCP.packets(), RelayPlan.STREAMS, 1, plan.count(), plan.run(),
                Placement.FREE, Placement.ONE, null, null);
        RelayComparison found = RelayComparison.run(relay, progress);
        List<Row> rows = found.report().rows().stream().filter(row -> row.system().equals("tamanoir") && row.metric().equals("throughput")).toList();
        Chart chart = new Chart("Figure 9: one node, monitoring in user space", "octets of the packet, header included", "Gbit/s", Axes.LOGARITHMIC_X,
                List.of("Streams over TCP; sender, node and receiver share two CPUs. 2003 (two Pentium III, Gigabit Ethernet):", "up to 0.45 Gbit/s, depending on packet size and number of streams."));
        for (int i = 0; i < RelayPlan.STREAMS.size(); i++) {
            int streams = RelayPlan.STREAMS.get(i);
            Series line = chart.line(streams(streams), COLOURS[i], false);
            rows.stream().filter(row -> row.streams() == streams).forEach(row -> line.add(row.packet(), row.value()));
        }
        Comparator<Row> byRate = Comparator.comparing(Row::value);
        return PaperFigure.of(found.report(), found::printTable, Map.of("fig9", chart), List.of(
                new Beside("The most, over packet lengths and numbers of streams", "up to 450 Mb/s", cell(rows.stream().max(byRate))),
                new Beside("The least", "not given", cell(rows.stream().min(byRate)))),
                "all on one machine: no network card, and memory for a wire, but sender and receiver take most of the two processors; in 2003 three machines (two Pentium III at 1.4 GHz each), "
                        + "Gigabit Ethernet and Myrinet.");
    }

    private static String cell(Optional<Row> found) {
        return found.map(row -> String.format(Locale.ROOT, "%.1f Gbit/s (%d octets, %s)", row.value(), row.packet(), streams(row.streams()))).orElse(Beside.NONE);
    }

    private static String streams(int count) {
        return count + (count == 1 ? " stream" : " streams");
    }

    private static PaperFigure scaling(Rounds plan, Consumer<String> progress) {
        Outcome found = Scaling.run(new ClusterPlan(plan.count(), Math.max(2, plan.seconds()), ClusterPlan.STREAMS), progress);
        List<Row> rows = found.rows();
        Chart chart = new Chart("Figure 10: what one, two and three back ends carry", "back ends", "times one back end", Axes.LINEAR,
                List.of("Each back end has a tenth of a CPU (gzip: a fifth). 2003, three back ends, each a machine of two Pentium III:", "monitoring 1.05 Gb/s (4 KB) and 1.4 Gb/s (larger packets), gzip around 200 Mb/s."));
        line(chart.line("monitoring, 4 KB", "#0b6e4f", false), rows, "scaling-monitoring", 4 * KB);
        line(chart.line("monitoring, 32 KB", "#3b6fb6", false), rows, "scaling-monitoring", 32 * KB);
        line(chart.line("gzip, 32 KB", "#c8553d", false), rows, "scaling-gzip", 32 * KB);
        return PaperFigure.of(found, Map.of("fig10", chart), List.of(
                new Beside("Three back ends, monitoring, 4 KB", "1.05 Gb/s", three(rows, "scaling-monitoring", 4 * KB)),
                new Beside("… with larger packets (here 32 KB)", "up to 1.4 Gb/s", three(rows, "scaling-monitoring", 32 * KB)),
                new Beside("… gzip", "around 200 Mb/s", three(rows, "scaling-gzip", 32 * KB))),
                "each back end may use a tenth of one CPU (gzip: a fifth), and the director runs IPVS in user-mode Linux on the same machine; in 2003 four machines of two Pentium III, Gigabit Ethernet. "
                        + "Compare how it grows.");
    }

    private static void line(Series line, List<Row> rows, String benchCase, int packet) {
        line.add(1, 1);
        for (int count = 1; count <= 3; count++) {
            int backEnds = count;
            value(rows, benchCase, "back-ends-" + count, packet, count * ClusterPlan.STREAMS, "of-one").ifPresent(ratio -> line.add(backEnds, ratio));
        }
    }

    private static String three(List<Row> rows, String benchCase, int packet) {
        return text("%.0f Mbit/s", value(rows, benchCase, "back-ends-3", packet, 3 * ClusterPlan.STREAMS, "throughput")) + ", "
                + text("%.2f times one back end", value(rows, benchCase, "back-ends-3", packet, 3 * ClusterPlan.STREAMS, "of-one"));
    }

    private static PaperFigure distance(Rounds plan, Consumer<String> progress) {
        Outcome found = Distance.run(new ClusterPlan(plan.count(), plan.seconds(), ClusterPlan.STREAMS), progress);
        return PaperFigure.of(found, Map.of("fig11", found.charts().get("distance")), List.of(
                new Beside("8 KB packets, 25 streams, far away", "919 Mb/s", far("%.0f Mbit/s", found, "throughput")),
                new Beside("… of what the same streams have without the cluster", "not given", far("%.2f", found, "throughput-of-direct-far")),
                new Beside("… of what the cluster carries near", "not given as a number", far("%.2f", found, "throughput-of-cluster-near"))),
                "the distance is a program that holds every frame for 2.9 ms each way (the paper's round trip from ENS Lyon to CEA; VTHD's own is not given); client, program, director (nftables), "
                        + "three back ends and receiver share one machine. In 2003 Gigabit Ethernet into a backbone of 2.5 Gb/s, and machines of their own.");
    }

    private static String far(String format, Outcome found, String metric) {
        return text(format, value(found.rows(), "distance", "cluster-far", 8 * KB, Distance.STREAMS, metric));
    }

    private static PaperFigure recovery(Rounds plan, Consumer<String> progress) {
        Figures found = Figures.run("figure-12", SEED, plan.count(), progress);
        List<Row> rows = found.rows();
        return PaperFigure.of(found, named(found.charts()), List.of(
                new Beside("12a, completion time at 48 receivers, without local recovery / with it", "a curve without numbers", text("%.2f", value(rows, "figure-12a", "without / with", 0, 48, "completion-time"))),
                new Beside("12b, bandwidth without / with, groups of 6", "1.8", text("%.2f (p = 0.25)", value(rows, "figure-12b", "local recovery, p = 0.25", 0, 6, "packets, source's link and links to sites")))),
                "the protocol's own cores in a simulator, links of one delay; in 2003 a simulator in PARSEC with link speeds and delays that the paper does not give.");
    }

    private static PaperFigure delay(Rounds plan, Consumer<String> progress) {
        Figures found = Figures.run("figure-13", SEED, plan.count(), progress);
        return PaperFigure.of(found, named(found.charts()), List.of(
                new Beside("13a, recovery delay at 96 receivers and p = 0.25, DyRAM- / DyRAM+", "up to 4", gain(found.rows(), "figure-13a")),
                new Beside("13b, the same at p = 0.5", "not given", gain(found.rows(), "figure-13b"))),
                "three splits of the delay over source's link, backbone and tail, given in their order (.02/.46/.02, .1/.3/.1, thirds), since the paper says none and everything depends on it.");
    }

    private static String gain(List<Row> rows, String figure) {
        return SPLITS.stream().map(split -> text("%.1f", value(rows, figure, "DyRAM- / DyRAM+, " + split + ", timers in nodes too, data lost", 0, 96, "recovery delay, mean")))
                .collect(Collectors.joining(", "));
    }

    /** {@code figure-12a} as {@code fig12a}. */
    private static Map<String, Chart> named(Map<String, Chart> charts) {
        Map<String, Chart> named = new LinkedHashMap<>();
        charts.forEach((name, chart) -> named.put(name.replace("figure-", "fig"), chart));
        return named;
    }

    private static PaperFigure quality(Rounds plan, Consumer<String> progress) {
        Outcome found = Table1.run(new QosPlan(QosPlan.RATE, 1, plan.seconds() < Rounds.SECONDS, List.of()), progress);
        List<Row> rows = found.rows();
        return PaperFigure.of(found, Map.of(), List.of(
                new Beside("Round trip, best effort, empty; congested", "5.8 ms; 32 ms", both("%.2f", "%.1f ms", rows, "rtt", "be")),
                new Beside("… EF", "5.8 ms; 6.8 ms", both("%.2f", "%.2f ms", rows, "rtt", "ef")),
                new Beside("… chosen by QoSinus, through two nodes", "", both("%.2f", "%.2f ms", rows, "rtt", "tamanoir-qosinus")),
                new Beside("TCP, best effort", "86 Mb/s; 0.1 to 0.2 Mb/s", both("%.1f", "%.2f Mbit/s", rows, "tcp", "be")),
                new Beside("… EF", "86 Mb/s; 44 Mb/s", both("%.1f", "%.1f Mbit/s", rows, "tcp", "ef")),
                new Beside("… chosen by QoSinus, sends 10 Mbit/s", "", both("%.1f", "%.1f Mbit/s", rows, "tcp", "tamanoir-qosinus")),
                new Beside("UDP, best effort", "100 Mb/s; 73 Mb/s", both("%.1f", "%.1f Mbit/s", rows, "udp", "be")),
                new Beside("… EF", "100 Mb/s; 100 Mb/s", both("%.1f", "%.1f Mbit/s", rows, "udp", "ef")),
                new Beside("… chosen by QoSinus, sends 6 Mbit/s", "", both("%.1f", "%.1f Mbit/s", rows, "udp", "tamanoir-qosinus"))),
                "a link of 50 Mbit/s with the classes of `qos domain`, flooded with 250 % of best effort, no distance; EF has 30 % of it, datagrams offer a quarter (2003: 100 Mb/s). In 2003 the path from "
                        + "ENS Lyon to CEA over VTHD.");
    }

    private static String both(String empty, String congested, List<Row> rows, String what, String how) {
        return text(empty, value(rows, "table1-" + what, how, 0, 1, "empty")) + "; " + text(congested, value(rows, "table1-" + what, how, 0, 1, "congested"));
    }
}
