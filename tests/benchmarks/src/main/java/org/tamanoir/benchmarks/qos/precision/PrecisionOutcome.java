package org.tamanoir.benchmarks.qos.precision;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

/** Every point, and what follows from them. */
final class PrecisionOutcome implements Outcome {
    private static final String OURS = "tamanoir-domain";
    private static final String ONE_QUEUE = "one-queue";
    private static final double MEGA = 1e6;

    private final PrecisionPlan plan;
    private final long rate;
    private final List<Double> capacities;
    private final List<Point> points;
    private final List<Point> oneQueue;
    private final int disturbed;
    private final List<String> failures;

    PrecisionOutcome(PrecisionPlan plan, long rate, List<Double> capacities, List<Point> points, List<Point> oneQueue, int disturbed,
            List<String> failures) {
        this.plan = plan;
        this.rate = rate;
        this.capacities = capacities;
        this.points = points;
        this.oneQueue = oneQueue;
        this.disturbed = disturbed;
        this.failures = failures;
    }

    /** By couple; a couple of which a load gave no figure is not there, and so in no region. */
    private Map<Couple, Verdict> verdicts(List<Point> of, Mix mix) {
        Map<Couple, Verdict> verdicts = new LinkedHashMap<>();
        for (Couple couple : plan.couples()) {
            List<Point> loads = of.stream().filter(point -> point.mix() == mix && point.couple().equals(couple)).toList();
            if (!loads.isEmpty() && loads.stream().noneMatch(point -> point.runs().isEmpty())) {
                verdicts.put(couple, Verdict.of(loads.stream().map(Point::median).toList()));
            }
        }
        return verdicts;
    }

    private static long inMaxRegion(Map<Couple, Verdict> verdicts) {
        return verdicts.values().stream().filter(Verdict::isInMaxRegion).count();
    }

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row("precision-capacity", OURS, 0, "payload", Collections.max(capacities) / MEGA, "Mbit/s", capacities.size()));
        rows.add(row("precision-runs", OURS, 0, "disturbed", disturbed, "runs", 1));
        for (Mix mix : Mix.values()) {
            verdicts(points, mix).forEach((couple, verdict) -> rows.addAll(rows(mix, couple, OURS, verdict)));
        }
        verdicts(oneQueue, Mix.TEST3).forEach((couple, verdict) -> rows.addAll(rows(Mix.TEST3, couple, ONE_QUEUE, verdict)));
        region(rows, OURS, verdicts(points, Mix.TEST3));
        region(rows, ONE_QUEUE, verdicts(oneQueue, Mix.TEST3));
        for (LineCard card : LineCard.ALL) {
            rows.add(row("precision-region", "2003: " + card.name(), 2, "max", card.max(), "%", 0));
            if (!Double.isNaN(card.avg())) {
                rows.add(row("precision-region", "2003: " + card.name(), 2, "avg", card.avg(), "%", 0));
            }
        }
        return rows;
    }

    private List<Row> rows(Mix mix, Couple couple, String system, Verdict verdict) {
        String name = "precision-" + mix.name().toLowerCase(Locale.ROOT) + "-" + couple;
        return List.of(row(name, system, mix.flows(), "M-LREWS", verdict.worstLbe(), "%", plan.runs()),
                row(name, system, mix.flows(), "M-BREWS", verdict.worstBe(), "%", plan.runs()),
                row(name, system, mix.flows(), "A-ALRE", verdict.averageLbe(), "%", plan.runs()),
                row(name, system, mix.flows(), "A-ABRE", verdict.averageBe(), "%", plan.runs()),
                row(name, system, mix.flows(), "utilisation", verdict.utilisation(), "%", plan.runs()));
    }

    private void region(List<Row> rows, String system, Map<Couple, Verdict> verdicts) {
        double all = plan.couples().size();
        rows.add(row("precision-region", system, 2, "max", 100 * inMaxRegion(verdicts) / all, "%", plan.runs()));
        rows.add(row("precision-region", system, 2, "avg", 100 * verdicts.values().stream().filter(Verdict::isInAverageRegion).count() / all, "%",
                plan.runs()));
    }

    private static Row row(String what, String system, int flows, String metric, double value, String unit, int runs) {
        double rounded = Math.round(value * 1e4) / 1e4;
        return new Row(what, system, PrecisionLab.PAYLOAD, flows, metric, rounded, unit, runs, rounded, rounded);
    }

    @Override
    public List<Target> targets() {
        Map<Couple, Verdict> verdicts = verdicts(points, Mix.TEST3);
        return List.of(Target.atLeast(String.format(Locale.ROOT, "precision: couples of %d whose classes are within %.1f %% at every load",
                plan.couples().size(), Verdict.BOUND), (double) inMaxRegion(verdicts), plan.couples().size()));
    }

    @Override
    public List<String> failures() {
        return failures;
    }

    @Override
    public void print(PrintWriter out) {
        new PrecisionTable(plan, rate, capacities, points).print(out);
        out.printf("%d runs did not count, since their senders did not get to run%n", disturbed);
        for (Mix mix : Mix.values()) {
            PrecisionTable.verdicts(out, mix + ", " + mix.be + " BE + " + mix.lbe + " LBE", verdicts(points, mix));
        }
        PrecisionTable.verdicts(out, "One queue for all, " + Mix.TEST3, verdicts(oneQueue, Mix.TEST3));
        PrecisionTable.regions(out, plan.couples().size(), verdicts(points, Mix.TEST3), verdicts(oneQueue, Mix.TEST3));
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("system,test,couple,load_percent,run,offered_be,offered_lbe,be,lbe,should_be,should_lbe,error_be_percent,"
                + "error_lbe_percent,utilisation_percent,left_out\r\n");
        points.forEach(point -> lines(csv, OURS, point));
        oneQueue.forEach(point -> lines(csv, ONE_QUEUE, point));
        return Map.of("precision", csv.toString());
    }

    private static void lines(StringBuilder csv, String system, Point point) {
        for (int i = 0; i < point.runs().size(); i++) {
            Judged run = point.runs().get(i);
            csv.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.4f,%.4f,%.3f,%d\r\n", system, point.mix(), point.couple(),
                    point.load(), i + 1, run.measured().offeredBe(), run.measured().offeredLbe(), run.measured().be(), run.measured().lbe(),
                    run.shouldBe(), run.shouldLbe(), run.errorBe(), run.errorLbe(), run.utilisation(), run.measured().leftOut()));
        }
    }

    @Override
    public Map<String, Chart> charts() {
        Chart chart = new Chart("Precision of shares: the errors of LBE", "share of LBE in percent of the link", "percent of what LBE should get", Axes.LINEAR,
                List.of("Magnitudes over all loads; dashed: the bound of the operating region."));
        Series worst = new Series("|M-LREWS|", "#c8553d", false);
        Series average = new Series("A-ALRE", "#0b6e4f", false);
        Series bound = new Series("2.5 %", "#777777", true);
        verdicts(points, Mix.TEST3).forEach((couple, verdict) -> {
            worst.add(couple.lbe(), Math.abs(verdict.worstLbe()));
            average.add(couple.lbe(), verdict.averageLbe());
            bound.add(couple.lbe(), Verdict.BOUND);
        });
        chart.series().addAll(List.of(worst, average, bound));
        return Map.of("precision", chart);
    }
}
