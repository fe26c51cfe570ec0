package org.tamanoir.benchmarks.kernel;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/** The figures of {@code bench kernel} for people. */
final class KernelTable {
    private final KernelPlan plan;
    private final Samples samples;

    KernelTable(KernelPlan plan, Samples samples) {
        this.plan = plan;
        this.samples = samples;
    }

    void print(PrintWriter out) {
        if (plan.parts().contains(Part.UDP)) {
            rates(out, "UDP, 32 outstanding, echoes/s", KernelFigure.UDP_WINDOW, plan.datagrams(), "%,.0f", Way.COMPARED);
            rates(out, "UDP, blast, received/s", KernelFigure.UDP_BLAST, plan.datagrams(), "%,.0f", Way.COMPARED);
            trips(out, "UDP, one outstanding, one CPU", KernelFigure.UDP_TRIP, plan.datagrams(), Way.COMPARED);
        }
        if (plan.parts().contains(Part.TCP)) {
            rates(out, "TCP, one stream, Gbit/s", KernelFigure.TCP_STREAM, plan.frames(), "%.2f", Way.COMPARED);
            trips(out, "TCP, one outstanding, one CPU", KernelFigure.TCP_TRIP, plan.tripFrames(), Way.COMPARED);
        }
        if (plan.parts().contains(Part.RULES)) {
            List<Integer> shortest = List.of(Collections.min(plan.datagrams()));
            rates(out, "10 and 10,000 rules, echoes/s", KernelFigure.RULES_WINDOW, shortest, "%,.0f", Way.BY_RULES);
            trips(out, "10 and 10,000 rules, one CPU", KernelFigure.RULES_TRIP, shortest, Way.BY_RULES);
        }
        if (plan.parts().contains(Part.CHANGE)) {
            changes(out);
        }
    }

    /** What a table of some ways compares them to, besides the plain router. */
    private static Way other(List<Way> ways) {
        return ways == Way.BY_RULES ? Way.TEN_RULES : Way.USER_SPACE;
    }

    private void rates(PrintWriter out, String title, String what, Collection<Integer> lengths, String format, List<Way> ways) {
        out.printf("%n%-34s %12s %9s %18s %12s %9s %18s %7s %9s%n", title, "rate", "of plain", "of " + other(ways), "per CPU s", "of plain",
                "of " + other(ways), "lost", "node CPU");
        for (int octets : lengths) {
            for (Way way : ways) {
                Way other = other(ways);
                out.printf("  %-32s %12s %9s %18s %12s %9s %18s %7s %9s%n", octets + " octets, " + way, text(format, KernelFigure.rate(what, way, octets)),
                        text("%.2f", KernelFigure.ratio(what, way, Way.PLAIN, octets)),
                        text("%.2f", KernelFigure.ratio(what, way, other, octets)),
                        text(format, KernelFigure.perCpu(what, way, octets)), text("%.2f", KernelFigure.cpuRatio(what, way, Way.PLAIN, octets)),
                        text("%.2f", KernelFigure.cpuRatio(what, way, other, octets)),
                        text("%.4f", KernelFigure.lost(what, way, octets)), text("%.2f", KernelFigure.cpu(what, way, octets)));
            }
        }
    }

    private void trips(PrintWriter out, String title, String what, Collection<Integer> lengths, List<Way> ways) {
        out.printf("%n%-34s %9s %9s %9s %18s%n", title, "p50, us", "p99, us", "of plain", "of " + other(ways));
        for (int octets : lengths) {
            for (Way way : ways) {
                Way other = other(ways);
                out.printf("  %-32s %9s %9s %9s %18s%n", octets + " octets, " + way, text("%.1f", KernelFigure.p50(what, way, octets)),
                        text("%.1f", KernelFigure.p99(what, way, octets)), text("%.2f", KernelFigure.ratio(what, way, Way.PLAIN, octets)),
                        text("%.2f", KernelFigure.ratio(what, way, other, octets)));
            }
        }
    }

    private void changes(PrintWriter out) {
        out.printf("%n%-34s %9s %9s %9s %14s%n", "rule changed, ms until in force", "p50", "p99", "most", "the call, p50");
        for (int rules : RuleChange.RULES) {
            for (String direction : RuleChange.DIRECTIONS) {
                out.printf("  %-32s %9s %9s %9s %14s%n", String.format("%s, one of %,d", direction, rules),
                        text("%.3f", KernelFigure.change(direction, rules, "p50")), text("%.3f", KernelFigure.change(direction, rules, "p99")),
                        text("%.3f", KernelFigure.change(direction, rules, "most")),
                        text("%.3f", KernelFigure.change(direction, rules, "call-p50")));
            }
        }
    }

    private String text(String format, Key key) {
        Double value = samples.median(key);
        return value == null ? "-" : String.format(format, value);
    }
}
