package org.tamanoir.benchmarks.qos.precision;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.qos.precision.Couple.Judged;
import org.tamanoir.benchmarks.qos.precision.Couple.Verdict;
import org.tamanoir.benchmarks.qos.precision.Precision.Mix;
import org.tamanoir.benchmarks.qos.precision.Precision.Plan;
import org.tamanoir.benchmarks.qos.precision.Precision.Point;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** Every point, and what follows from them. */
final class PrecisionOutcome extends MeasuredOutcome {
    private static final double MEGA = 1e6;

    /**
     * How many couples are in the operating regions, in percent.
     *
     * @param max the "max" operating region
     * @param avg the "avg" operating region; null where the report has only "//"
     */
    private record Region(String system, Double max, Double avg, int runs) {
        /** What the report found in 2003 (section 3.9, tables 1 and 2). It counts 19 couples, one twice, and 15 of 19 as 78 %. */
        static final List<Region> LINE_CARDS = List.of(new Region("2003: Cisco OC-48", 31.5, 68.42, 0), new Region("2003: Juniper OC-48", 100.0, null, 0),
                new Region("2003: Procket OC-48", 100.0, null, 0), new Region("2003: Cisco GigE", 21.0, 26.3, 0),
                new Region("2003: Juniper GigE", 26.3, 52.6, 0), new Region("2003: Procket GigE", 73.6, 78.0, 0));
    }

    private final long rate;
    private final Plan plan;
    private final List<Double> capacities;
    private final List<Point> points;
    private final List<String> thrownAway;

    /** @param thrownAway runs that did not count, each with its reason */
    PrecisionOutcome(long rate, Plan plan, List<Double> capacities, List<Point> points, List<String> thrownAway, Measurements measured) {
        super("precision", measured);
        this.rate = rate;
        this.plan = plan;
        this.capacities = capacities;
        this.points = points;
        this.thrownAway = thrownAway;
    }

    /** By couple; a couple of which a load gave no figure is not there, and so in no region. */
    private Map<Couple, Verdict> verdicts(String system, Mix mix) {
        Map<Couple, Verdict> verdicts = new LinkedHashMap<>();
        for (Couple couple : plan.couples()) {
            List<Point> loads = points.stream().filter(point -> point.system().equals(system) && point.mix() == mix && point.couple().equals(couple)).toList();
            if (!loads.isEmpty() && loads.stream().noneMatch(point -> point.runs().isEmpty())) {
                verdicts.put(couple, Verdict.of(loads.stream().map(Point::median).toList()));
            }
        }
        return verdicts;
    }

    private List<Region> regions() {
        List<Region> regions = new ArrayList<>();
        for (String system : List.of(Precision.OURS, Precision.ONE_QUEUE)) {
            regions.add(new Region(system, part(system, Verdict::isInMaxRegion), part(system, Verdict::isInAverageRegion), plan.runs()));
        }
        regions.addAll(Region.LINE_CARDS);
        return regions;
    }

    /** Percent of the couples. */
    private double part(String system, Predicate<Verdict> region) {
        return 100.0 * verdicts(system, Mix.TEST3).values().stream().filter(region).count() / plan.couples().size();
    }

    private long thrownAway(String system) {
        return thrownAway.stream().filter(reason -> reason.startsWith(system)).count();
    }

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row("precision-capacity", Precision.OURS, 0, "payload", Collections.max(capacities) / MEGA, "Mbit/s", capacities.size()));
        for (String system : List.of(Precision.OURS, Precision.ONE_QUEUE)) {
            rows.add(row("precision-runs", system, 0, "disturbed", thrownAway(system), "runs", 1));
        }
        for (String system : List.of(Precision.OURS, Precision.ONE_QUEUE)) {
            for (Mix mix : Mix.values()) {
                verdicts(system, mix).forEach((couple, verdict) -> {
                    String name = "precision-" + mix.name().toLowerCase(Locale.ROOT) + "-" + couple;
                    int flows = mix.be + mix.lbe;
                    rows.add(row(name, system, flows, "M-LREWS", verdict.worstLbe(), "%", plan.runs()));
                    rows.add(row(name, system, flows, "M-BREWS", verdict.worstBe(), "%", plan.runs()));
                    rows.add(row(name, system, flows, "A-ALRE", verdict.averageLbe(), "%", plan.runs()));
                    rows.add(row(name, system, flows, "A-ABRE", verdict.averageBe(), "%", plan.runs()));
                    rows.add(row(name, system, flows, "utilisation", verdict.utilisation(), "%", plan.runs()));
                });
            }
        }
        for (Region region : regions()) {
            rows.add(row("precision-region", region.system(), 2, "max", region.max(), "%", region.runs()));
            if (region.avg() != null) {
                rows.add(row("precision-region", region.system(), 2, "avg", region.avg(), "%", region.runs()));
            }
        }
        return rows;
    }

    private static Row row(String what, String system, int flows, String metric, double value, String unit, int runs) {
        double rounded = Math.round(value * 1e4) / 1e4;
        return new Row(what, system, PrecisionLab.PAYLOAD, flows, metric, rounded, unit, runs, rounded, rounded);
    }

    /** A couple that gave no figure is a failure of the run, and misses the target too. */
    @Override
    public List<Target> targets() {
        Map<Couple, Verdict> verdicts = verdicts(Precision.OURS, Mix.TEST3);
        Double within = verdicts.isEmpty() ? null : (double) verdicts.values().stream().filter(Verdict::isInMaxRegion).count();
        return List.of(Target.atLeast(String.format(Locale.ROOT, "precision: couples of %d whose classes are within %.1f %% at every load",
                plan.couples().size(), Verdict.BOUND), within, plan.couples().size()));
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nPrecision of shares (DataTAG, section 3): UDP of %d octets at a constant rate, bottleneck %.0f Mbit/s, %.0f s a run%n",
                PrecisionLab.PAYLOAD, rate / MEGA, plan.seconds());
        out.printf("capacity C %.3f Mbit/s of payload with one class (the greatest of %d, the least %.3f)%n", Collections.max(capacities) / MEGA,
                capacities.size(), Collections.min(capacities) / MEGA);
        out.printf("every point of every system: the median of %d runs. A run whose senders leave out more than one datagram of a thousand is run again, %d times "
                + "at most: %d of %s, %d of %s, %d of the capacity.%n", plan.runs(), Precision.ATTEMPTS - 1, thrownAway(Precision.OURS), Precision.OURS,
                thrownAway(Precision.ONE_QUEUE), Precision.ONE_QUEUE, thrownAway("capacity"));
        thrownAway.forEach(reason -> out.println("  thrown away: " + reason));
        for (Mix mix : Mix.values()) {
            Table<Couple> table = new Table<>(mix + ": LBE gets (should), Mb/s", Couple::toString);
            plan.loads().forEach(load -> table.text(load + " % of C", couple -> gets(mix, couple, load)));
            table.print(out, List.copyOf(verdicts(Precision.OURS, mix).keySet()));
        }
        for (Mix mix : Mix.values()) {
            print(out, mix + ", " + mix.be + " BE + " + mix.lbe + " LBE", verdicts(Precision.OURS, mix));
        }
        print(out, "One queue for all, " + Mix.TEST3, verdicts(Precision.ONE_QUEUE, Mix.TEST3));
        new Table<>("couples in the operating region", Region::system).number("max %", "%.1f", Region::max).number("avg %", "%.1f", Region::avg)
                .print(out, regions());
        out.println("2003: line cards at 1 and 2.4 Gbit/s, loads of 10 to 100 % a flow, 19 couples of which one stands there twice; here another rate, "
                + "other loads, virtual links.");
    }

    private String gets(Mix mix, Couple couple, int load) {
        Judged median = points.stream().filter(point -> point.system().equals(Precision.OURS) && point.mix() == mix && point.couple().equals(couple)
                && point.load() == load).findFirst().orElseThrow().median();
        return String.format(Locale.ROOT, "%.3f (%.3f)", median.measured().lbe() / MEGA, median.shouldLbe() / MEGA);
    }

    private static void print(PrintWriter out, String title, Map<Couple, Verdict> verdicts) {
        new Table<>(title, Couple::toString).number("M-LREWS %", "%.2f", couple -> verdicts.get(couple).worstLbe())
                .number("M-BREWS %", "%.2f", couple -> verdicts.get(couple).worstBe()).number("A-ALRE %", "%.2f", couple -> verdicts.get(couple).averageLbe())
                .number("A-ABRE %", "%.2f", couple -> verdicts.get(couple).averageBe())
                .number("utilised %", "%.2f", couple -> verdicts.get(couple).utilisation())
                .text("2.5 %", couple -> verdicts.get(couple).isInMaxRegion() ? "in" : "out").print(out, List.copyOf(verdicts.keySet()));
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("system,test,couple,load_percent,run,offered_be,offered_lbe,be,lbe,should_be,should_lbe,error_be_percent,"
                + "error_lbe_percent,utilisation_percent,left_out\r\n");
        for (Point point : points) {
            for (int i = 0; i < point.runs().size(); i++) {
                Judged run = point.runs().get(i);
                csv.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.4f,%.4f,%.3f,%d\r\n", point.system(), point.mix(),
                        point.couple(), point.load(), i + 1, run.measured().offeredBe(), run.measured().offeredLbe(), run.measured().be(),
                        run.measured().lbe(), run.shouldBe(), run.shouldLbe(), run.errorBe(), run.errorLbe(), run.utilisation(), run.measured().leftOut()));
            }
        }
        return Map.of("precision", csv.toString());
    }

    @Override
    public Map<String, Chart> charts() {
        Chart chart = new Chart("Precision of shares: the errors of LBE", "share of LBE in percent of the link", "percent of what LBE should get", Axes.LINEAR,
                List.of("Magnitudes over all loads; dashed: the bound of the operating region."));
        Series worst = chart.line("|M-LREWS|", "#c8553d", false);
        Series average = chart.line("A-ALRE", "#0b6e4f", false);
        Series bound = chart.line("2.5 %", "#777777", true);
        verdicts(Precision.OURS, Mix.TEST3).forEach((couple, verdict) -> {
            worst.add(couple.lbe(), Math.abs(verdict.worstLbe()));
            average.add(couple.lbe(), verdict.averageLbe());
            bound.add(couple.lbe(), Verdict.BOUND);
        });
        return Map.of("precision", chart);
    }
}
