package org.tamanoir.benchmarks.relay;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.relay.RelayCase.Metric;
import org.tamanoir.benchmarks.relay.RelayCase.Work;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Table;

/** The figures of {@code bench relay} for people. */
final class RelayTable {
    private final RelayPlan plan;
    private final Samples samples;

    RelayTable(RelayPlan plan, Samples samples) {
        this.plan = plan;
        this.samples = samples;
    }

    void print(PrintWriter out) {
        for (RelayCase what : plan.cases()) {
            switch (what.work()) {
                case STREAMS -> printStreams(out, what);
                case ECHOES -> printDatagrams(out, what, new RelayCase(Work.ONE_WAY, what.packet(), 1));
                case ONE_WAY -> { }
                case TRIPS, DATAGRAM_TRIPS -> printTrips(out, what);
            }
        }
    }

    private void printStreams(PrintWriter out, RelayCase what) {
        new Table<>(what.toString(), RelayKind::toString)
                .median("Gbit/s", "%.2f", samples, kind -> what.figure(kind, Metric.THROUGHPUT))
                .median("packets/s", "%,.0f", samples, kind -> what.figure(kind, Metric.PACKETS))
                .median("of direct", "%.2f", samples, kind -> what.ratio(kind, RelayKind.DIRECT))
                .median("CPU s/GB", "%.2f", samples, kind -> what.figure(kind, Metric.CPU))
                .median("peak MB", "%.0f", samples, kind -> what.figure(kind, Metric.PEAK)).print(out, plan.systems());
        String others = others().stream().filter(other -> other != RelayKind.DIRECT).map(other -> {
            Double ratio = samples.median(what.ratio(RelayKind.TAMANOIR, other));
            return ratio == null ? null : String.format("  %.2f of %s", ratio, other);
        }).filter(Objects::nonNull).collect(Collectors.joining());
        if (!others.isEmpty()) {
            out.println("  tamanoir:" + others);
        }
    }

    private List<RelayKind> others() {
        return plan.systems().stream().filter(kind -> kind != RelayKind.TAMANOIR).sorted().toList();
    }

    /** A line has a system, or the node and the system of whose figures its own are parts. */
    private void printDatagrams(PrintWriter out, RelayCase echoes, RelayCase oneWay) {
        List<List<RelayKind>> lines = new ArrayList<>();
        plan.systems().forEach(kind -> lines.add(List.of(kind)));
        others().forEach(other -> lines.add(List.of(RelayKind.TAMANOIR, other)));
        Table<List<RelayKind>> table = new Table<>(echoes.toString(),
                line -> line.stream().map(RelayKind::toString).collect(Collectors.joining(" of ")));
        table.text("echoes/s", line -> text(echoes, Metric.ECHOES, "%,.0f", line))
                .text("CPU µs each", line -> text(echoes, Metric.CPU_EACH, "%.2f", line))
                .text("one way, /s", line -> text(oneWay, Metric.RECEIVED, "%,.0f", line))
                .text("lost", line -> text(oneWay, Metric.LOST, "%.2f", line)).print(out, lines);
    }

    private String text(RelayCase what, Metric metric, String format, List<RelayKind> line) {
        return line.size() == 1 ? Samples.text(format, samples.median(what.figure(line.get(0), metric)))
                : metric == what.work().main() ? Samples.text("%.2f", samples.median(what.ratio(line.get(0), line.get(1)))) : "";
    }

    private void printTrips(PrintWriter out, RelayCase what) {
        new Table<>("round trip of " + what.packet() + " octets, µs", RelayKind::toString)
                .median("p50", "%.1f", samples, kind -> what.figure(kind, Metric.P50))
                .median("p99", "%.1f", samples, kind -> what.figure(kind, Metric.P99)).print(out, plan.systems());
        Double ofBefore = samples.median(what.ratio(RelayKind.TAMANOIR, RelayKind.BEFORE));
        if (ofBefore != null) {
            out.printf("  tamanoir:  p50 %.2f of before%n", ofBefore);
        }
    }
}
