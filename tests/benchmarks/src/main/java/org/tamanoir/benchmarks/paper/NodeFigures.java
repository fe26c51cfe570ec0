package org.tamanoir.benchmarks.paper;

import static org.tamanoir.benchmarks.paper.PaperFigure.text;
import static org.tamanoir.benchmarks.paper.PaperFigure.value;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.kernel.KernelBench;
import org.tamanoir.benchmarks.kernel.KernelPlan;
import org.tamanoir.benchmarks.kernel.KernelPlan.Part;
import org.tamanoir.benchmarks.kernel.KernelResults;
import org.tamanoir.benchmarks.paper.PaperFigure.Beside;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.relay.RelayComparison;
import org.tamanoir.benchmarks.relay.RelayKind;
import org.tamanoir.benchmarks.relay.RelayPlan;
import org.tamanoir.benchmarks.relay.RelayPlan.Placement;
import org.tamanoir.benchmarks.relay.Transport;
import org.tamanoir.benchmarks.report.Row;

/** Section 3.2: one node, in the kernel and in user space. */
final class NodeFigures {
    static final String LATENCY = "latency of packets on TCP, in the kernel and in the JVM";
    static final String ONE_NODE = "one node, monitoring in user space";

    private static final int SHORT = 64;
    private static final int LONG = 60_000;
    private static final List<Integer> LENGTHS = List.of(SHORT, 512, 1400, 4096, 8192, 16384);
    private static final String[] COLOURS = {"#c8553d", "#0b6e4f", "#3b6fb6"};

    private NodeFigures() {
    }

    static PaperFigure latency(Rounds plan, Consumer<String> progress) {
        KernelResults found = KernelBench.run(new KernelPlan(Set.of(Part.TCP), KernelPlan.DATAGRAMS, List.of(LONG), LENGTHS, plan.count(), plan.run().dividedBy(2),
                KernelPlan.CHANGES, KernelPlan.Placement.ONE), progress);
        List<Row> rows = found.report().rows();
        return PaperFigure.of("fig8", LATENCY, found.report(), found::print, Map.of("fig8", found.latencies()), List.of(
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

    static PaperFigure oneNode(Rounds plan, Consumer<String> progress) {
        RelayPlan relay = new RelayPlan(Transport.TCP, List.of(RelayKind.DIRECT, RelayKind.TAMANOIR), Transport.TCP.packets(), RelayPlan.STREAMS, 1, plan.count(), plan.run(),
                Placement.FREE, Placement.ONE, null);
        RelayComparison found = RelayComparison.run(relay, progress);
        List<Row> rows = found.report().rows().stream().filter(row -> row.system().equals("tamanoir") && row.metric().equals("throughput")).toList();
        Chart chart = new Chart("Figure 9: one node, monitoring in user space", "octets of the packet, header included", "Gbit/s", Axes.LOGARITHMIC_X,
                List.of("Streams over TCP; sender, node and receiver share two CPUs. 2003 (two Pentium III, Gigabit Ethernet):", "up to 0.45 Gbit/s, depending on packet size and number of streams."));
        for (int i = 0; i < RelayPlan.STREAMS.size(); i++) {
            int streams = RelayPlan.STREAMS.get(i);
            Series line = new Series(streams + (streams == 1 ? " stream" : " streams"), COLOURS[i], false);
            rows.stream().filter(row -> row.streams() == streams).forEach(row -> line.add(row.packet(), row.value()));
            chart.series().add(line);
        }
        Comparator<Row> byRate = Comparator.comparing(Row::value);
        return PaperFigure.of("fig9", ONE_NODE, found.report(), found::printTable, Map.of("fig9", chart), List.of(
                new Beside("The most, over packet lengths and numbers of streams", "up to 450 Mb/s", cell(rows.stream().max(byRate))),
                new Beside("The least", "not given", cell(rows.stream().min(byRate)))),
                "all on one machine: no network card, and memory for a wire, but sender and receiver take most of the two processors; in 2003 three machines (two Pentium III at 1.4 GHz each), "
                        + "Gigabit Ethernet and Myrinet.");
    }

    private static String cell(Optional<Row> found) {
        return found.map(row -> String.format(Locale.ROOT, "%.1f Gbit/s (%d octets, %d %s)", row.value(), row.packet(), row.streams(), row.streams() == 1 ? "stream" : "streams"))
                .orElse(Beside.NONE);
    }
}
