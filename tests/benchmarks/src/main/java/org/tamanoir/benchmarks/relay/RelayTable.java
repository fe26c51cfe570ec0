package org.tamanoir.benchmarks.relay;

import java.io.PrintWriter;
import org.tamanoir.benchmarks.report.Samples;

/** The figures of {@code bench relay} for people. */
final class RelayTable {
    private final RelayPlan plan;
    private final Samples samples;

    RelayTable(RelayPlan plan, Samples samples) {
        this.plan = plan;
        this.samples = samples;
    }

    void print(PrintWriter out) {
        for (int packet : plan.packets()) {
            for (int streams : plan.streams()) {
                out.printf("%n%-32s %8s %11s %9s %8s %8s%n", packet + " octets, " + streams + (streams == 1 ? " stream" : " streams"),
                        "Gbit/s", "packets/s", "of direct", "CPU s/GB", "peak MB");
                for (RelayKind kind : plan.systems()) {
                    out.printf("  %-30s %8s %11s %9s %8s %8s%n", kind, Samples.text("%.2f", samples.median(Figure.gigabits(kind, packet, streams))),
                            Samples.text("%,.0f", samples.median(Figure.packets(kind, packet, streams))),
                            Samples.text("%.2f", samples.median(Figure.ratio(kind, RelayKind.DIRECT, packet, streams))),
                            Samples.text("%.2f", samples.median(Figure.cpu(kind, packet, streams))),
                            Samples.text("%.0f", samples.median(Figure.peak(kind, packet, streams))));
                }
                printAgainstPeers(out, packet, streams);
            }
        }
        out.printf("%n%-32s %8s %11s%n", "round trip of 64 octets, µs", "p50", "p99");
        for (RelayKind kind : plan.systems()) {
            out.printf("  %-30s %8s %11s%n", kind, Samples.text("%.1f", samples.median(Figure.tripP50(kind))),
                    Samples.text("%.1f", samples.median(Figure.tripP99(kind))));
        }
        Double ofBefore = samples.median(Figure.tripRatio(RelayKind.BEFORE));
        if (ofBefore != null) {
            out.printf("  tamanoir:  p50 %.2f of before%n", ofBefore);
        }
    }

    private void printAgainstPeers(PrintWriter out, int packet, int streams) {
        StringBuilder line = new StringBuilder();
        for (RelayKind peer : RelayKind.OTHERS) {
            Double ratio = samples.median(Figure.ratio(RelayKind.TAMANOIR, peer, packet, streams));
            if (ratio != null) {
                line.append(String.format("  %.2f of %s", ratio, peer));
            }
        }
        if (!line.isEmpty()) {
            out.println("  tamanoir:" + line);
        }
    }
}
