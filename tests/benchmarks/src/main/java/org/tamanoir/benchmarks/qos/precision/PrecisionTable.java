package org.tamanoir.benchmarks.qos.precision;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The figures for people. */
final class PrecisionTable {
    private static final double MEGA = 1e6;

    private final PrecisionPlan plan;
    private final long rate;
    private final List<Double> capacities;
    private final List<Point> points;

    PrecisionTable(PrecisionPlan plan, long rate, List<Double> capacities, List<Point> points) {
        this.plan = plan;
        this.rate = rate;
        this.capacities = capacities;
        this.points = points;
    }

    void print(PrintWriter out) {
        long more = points.stream().filter(point -> point.runs().size() > plan.runs()).count();
        out.printf("%nPrecision of shares (DataTAG, section 3): UDP of %d octets at a constant rate, bottleneck %.0f Mbit/s, %.0f s a run%n",
                PrecisionLab.PAYLOAD, rate / MEGA, plan.seconds());
        out.printf("capacity C %.3f Mbit/s of payload with one class (the greatest of %d, the least %.3f); %d of %d points were out of bounds and run three times%n",
                Collections.max(capacities) / MEGA, capacities.size(), Collections.min(capacities) / MEGA, more, points.size());
        out.printf("%n%-22s %-8s", "LBE gets (should), Mb/s", "");
        plan.loads().forEach(load -> out.printf(" %20s", load + " % of C"));
        out.println();
        for (Mix mix : Mix.values()) {
            for (Couple couple : plan.couples()) {
                List<Point> row = points.stream().filter(point -> point.mix() == mix && point.couple().equals(couple)).toList();
                if (!row.isEmpty()) {
                    out.printf("%-22s %-8s", mix, couple);
                    row.forEach(point -> out.printf(" %20s", point.runs().isEmpty() ? "-" : String.format("%.3f (%.3f)",
                            point.median().measured().lbe() / MEGA, point.median().shouldLbe() / MEGA)));
                    out.println();
                }
            }
        }
    }

    static void verdicts(PrintWriter out, String title, Map<Couple, Verdict> verdicts) {
        if (verdicts.isEmpty()) {
            return;
        }
        out.printf("%n%-30s %10s %10s %10s %10s %12s%n", title, "M-LREWS %", "M-BREWS %", "A-ALRE %", "A-ABRE %", "utilised %");
        verdicts.forEach((couple, verdict) -> out.printf("%-30s %10.2f %10.2f %10.2f %10.2f %12.2f%s%n", couple, verdict.worstLbe(), verdict.worstBe(),
                verdict.averageLbe(), verdict.averageBe(), verdict.utilisation(), verdict.isInMaxRegion() ? "" : "  out"));
    }

    static void regions(PrintWriter out, int couples, Map<Couple, Verdict> ours, Map<Couple, Verdict> oneQueue) {
        out.printf("%n%-30s %14s %14s%n", "operating region", "max", "avg");
        region(out, "this domain", couples, ours);
        region(out, "one queue for all", couples, oneQueue);
        LineCard.ALL.forEach(card -> out.printf("%-30s %12.1f %% %14s%n", "2003: " + card.name(), card.max(),
                Double.isNaN(card.avg()) ? "-" : String.format("%.1f %%", card.avg())));
        out.println("2003: line cards at 1 and 2.4 Gbit/s, loads of 10 to 100 % a flow, 19 couples of which one stands there twice; here another rate, "
                + "other loads, virtual links.");
    }

    private static void region(PrintWriter out, String name, int couples, Map<Couple, Verdict> verdicts) {
        out.printf("%-30s %14s %14s%n", name, verdicts.values().stream().filter(Verdict::isInMaxRegion).count() + " of " + couples,
                verdicts.values().stream().filter(Verdict::isInAverageRegion).count() + " of " + couples);
    }
}
