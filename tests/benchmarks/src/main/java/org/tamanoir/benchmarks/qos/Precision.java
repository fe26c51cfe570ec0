package org.tamanoir.benchmarks.qos;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.Couple.Judged;
import org.tamanoir.benchmarks.qos.Couple.Measured;
import org.tamanoir.benchmarks.qos.Couple.Verdict;
import org.tamanoir.benchmarks.qos.edge.Bottleneck;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.QosTestbed;

/**
 * How exactly a link is shared ("DataTAG QoS report", 2003, section 3): what two classes get, against what they should get, for every couple of shares and
 * every load; beside a router that has one queue for all. The network of the report: a host for each flow, two routers, one receiver.
 */
public final class Precision extends MeasuredOutcome {
    static final String OURS = "tamanoir-domain";
    static final String ONE_QUEUE = "one-queue";
    private static final List<String> SYSTEMS = List.of(OURS, ONE_QUEUE);
    /** A run that its senders did not offer is measured again, whatever it shows and of whatever system; the last of so many counts as it is. */
    private static final int ATTEMPTS = 4;
    /** Octets of a datagram: the report's, section 3.3. */
    private static final int PAYLOAD = 1470;
    private static final int MOST_FLOWS = 3;
    private static final int BE = 0;
    /** CS1, as in the report; today's code point of LBE is 1. */
    private static final int LBE = 8;
    /** Seconds from the first packet until the queues are full and the shares hold. */
    private static final double WARM = 0.6;
    private static final double AFTER = 0.2;
    /** Milliseconds until the queues of a run before are empty. */
    private static final long DRAIN = 400;
    private static final double MEGA = 1e6;
    /** What is said of a couple, by its name among the figures. */
    private static final Map<String, Function<Verdict, Double>> FIGURES = new LinkedHashMap<>();

    static {
        FIGURES.put("M-LREWS", Verdict::worstLbe);
        FIGURES.put("M-BREWS", Verdict::worstBe);
        FIGURES.put("A-ALRE", Verdict::averageLbe);
        FIGURES.put("A-ABRE", Verdict::averageBe);
        FIGURES.put("utilisation", Verdict::utilisation);
    }

    /** The tests of the report, section 3.5: how many flows of each class, each of the same load. */
    enum Mix {
        TEST3(1, 1),
        TEST1(2, 1),
        TEST2(1, 2);

        private final int be;
        private final int lbe;

        Mix(int be, int lbe) {
            this.be = be;
            this.lbe = lbe;
        }
    }

    /**
     * What is measured.
     *
     * @param calibrations how often the capacity is measured; it is the greatest
     * @param couples for one flow of each class
     * @param subset  of them, for three flows
     * @param loads   of each flow, in percent of the link's capacity
     * @param seconds that a run counts, in whole tenths
     * @param runs    of each point of each system; the median counts
     */
    record Plan(int calibrations, List<Couple> couples, List<Couple> subset, List<Integer> loads, double seconds, int runs) {
        /**
         * Percent of the capacity that each flow offers. At 50 both fit, at 60 and 80 one class has to leave its rest to the other, from 125 on both
         * want more than their shares; at 250 the link is offered five times what it carries.
         */
        private static final List<Integer> LOADS = List.of(50, 60, 80, 125, 250);
        private static final int CALIBRATIONS = 5;
        private static final int RUNS = 3;

        private static Plan of(QosPlan plan) {
            List<Couple> subset = List.of(new Couple(99, 1), new Couple(80, 20), new Couple(50, 50));
            List<Couple> chosen = plan.couples().stream().map(Couple::of).toList();
            return plan.quick() ? new Plan(CALIBRATIONS, chosen.isEmpty() ? subset : chosen, List.of(), List.of(60, 125), 1, plan.runs())
                    : new Plan(CALIBRATIONS, chosen.isEmpty() ? Couple.ALL : chosen, subset, LOADS, 4, RUNS * plan.runs());
        }
    }

    /**
     * A couple at a load: its runs, and the median of them.
     *
     * @param load of each flow, in percent of the link's capacity
     */
    record Point(String system, Mix mix, Couple couple, int load, List<Judged> runs) {
        Point(String system, Mix mix, Couple couple, int load) {
            this(system, mix, couple, load, new ArrayList<>());
        }

        /** The run with the median LBE error, of an even number the worse of the middle two. */
        Judged median() {
            List<Judged> sorted = runs.stream().sorted(Comparator.comparingDouble(Judged::errorLbe)).toList();
            Judged upper = sorted.get(sorted.size() / 2);
            Judged lower = sorted.get((sorted.size() - 1) / 2);
            return Math.abs(lower.errorLbe()) > Math.abs(upper.errorLbe()) ? lower : upper;
        }

        @Override
        public String toString() {
            return system + ", " + mix + " " + couple + " at " + load + " %";
        }
    }

    /**
     * How many couples are in the operating regions, in percent.
     *
     * @param max the "max" operating region
     * @param avg the "avg" operating region; null where the report has only "//"
     */
    private record Region(String system, Double max, Double avg, int runs) {
        /** What the report found in 2003 (section 3.9, tables 1 and 2). It counts 19 couples, one twice, and 15 of 19 as 78 %. */
        private static final List<Region> LINE_CARDS = List.of(new Region("2003: Cisco OC-48", 31.5, 68.42, 0),
                new Region("2003: Juniper OC-48", 100.0, null, 0), new Region("2003: Procket OC-48", 100.0, null, 0),
                new Region("2003: Cisco GigE", 21.0, 26.3, 0), new Region("2003: Juniper GigE", 26.3, 52.6, 0),
                new Region("2003: Procket GigE", 73.6, 78.0, 0));
    }

    private final long rate;
    private final Plan plan;
    private final List<Double> capacities = new ArrayList<>();
    private final List<Point> points = new ArrayList<>();
    /** Runs that did not count, each with its reason. */
    private final List<String> thrownAway = new ArrayList<>();

    Precision(long rate, Plan plan, Measurements measured) {
        super("precision", measured);
        this.rate = rate;
        this.plan = plan;
    }

    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        return run(plan.rate(), Plan.of(plan), progress);
    }

    static Precision run(long rate, Plan plan, Consumer<String> progress) {
        Precision precision = new Precision(rate, plan, new Measurements(progress));
        try (QosTestbed testbed = QosTestbed.open(MOST_FLOWS, 1)) {
            precision.measure(testbed, FlowReceiver.start(testbed.delivery(1).second()));
        }
        return precision;
    }

    /** Queues hold two tenths of a second of the link, so that they do not run empty while a sender rests. */
    private void measure(QosTestbed testbed, FlowReceiver receiver) {
        Bottleneck.apply(testbed, "{rate: %dbit, classes: {be: {rate: 100%%, queue: 200ms, code-points: [0, 1, 8]}}}", rate);
        for (int i = 0; i < plan.calibrations; i++) {
            capacities.add(undisturbed("capacity", () -> run(testbed, receiver, 1, 0, 1.5 * rate)).be());
        }
        // One queue knows of no shares: a run of a load is that of every couple.
        for (int load : plan.loads) {
            Point first = measure(testbed, receiver, new Point(ONE_QUEUE, Mix.TEST3, plan.couples.get(0), load));
            plan.couples.forEach(couple -> points.add(new Point(ONE_QUEUE, Mix.TEST3, couple, load,
                    first.runs.stream().map(run -> couple.judge(run.measured(), capacity())).toList())));
        }
        for (Couple couple : plan.couples) {
            Bottleneck.apply(testbed, "{rate: %dbit, classes: {be: {rate: %d%%, queue: 200ms}, lbe: {rate: %d%%, queue: 200ms, code-points: [1, 8]}}}",
                    rate, couple.be(), couple.lbe());
            for (Mix mix : Mix.values()) {
                if (mix == Mix.TEST3 || plan.subset.contains(couple)) {
                    plan.loads.forEach(load -> points.add(measure(testbed, receiver, new Point(OURS, mix, couple, load))));
                }
            }
        }
    }

    private Point measure(QosTestbed testbed, FlowReceiver receiver, Point point) {
        for (int run = 0; run < plan.runs; run++) {
            measured.attempt(point + ", " + Measurements.name(run), () -> point.runs.add(point.couple.judge(undisturbed(point.toString(),
                    () -> run(testbed, receiver, point.mix.be, point.mix.lbe, capacity() * point.load / 100)), capacity())));
        }
        return point;
    }

    /** Whatever disturbs a run makes it carry less, never more. */
    private double capacity() {
        return Collections.max(capacities);
    }

    private Measured undisturbed(String what, Supplier<Measured> run) {
        measured.doing(what);
        Measured found = run.get();
        for (int i = 1; i < ATTEMPTS && found.isDisturbed(); i++) {
            thrownAway.add(String.format(Locale.ROOT, "%s: the senders did not get to run and left out %,d of %,d datagrams", what, found.leftOut(),
                    found.sent() + found.leftOut()));
            found = run.get();
        }
        return found;
    }

    /** @param load bits of payload a second of each flow */
    private Measured run(QosTestbed testbed, FlowReceiver receiver, int be, int lbe, double load) {
        Pause.millis(DRAIN);
        receiver.begin();
        List<Flows.Flow> flows = new ArrayList<>();
        for (int i = 0; i < be + lbe; i++) {
            flows.add(Flows.datagrams(testbed.sender(i + 1), receiver, i < be ? BE : LBE, PAYLOAD, load, WARM + plan.seconds + AFTER));
        }
        List<Flows.Sent> sent = flows.stream().map(Flows.Flow::sent).toList();
        FlowReport report = receiver.report();
        return new Measured(offered(sent.subList(0, be)), offered(sent.subList(be, be + lbe)), report.rate(false, BE, WARM, WARM + plan.seconds),
                report.rate(false, LBE, WARM, WARM + plan.seconds), sent.stream().mapToLong(Flows.Sent::octets).sum() / PAYLOAD,
                sent.stream().mapToLong(Flows.Sent::leftOut).sum());
    }

    private static double offered(List<Flows.Sent> sent) {
        return sent.stream().mapToDouble(Flows.Sent::rate).sum();
    }

    void add(Point point) {
        points.add(point);
    }

    private List<Point> points(String system, Mix mix, Couple couple) {
        return points.stream().filter(point -> point.system.equals(system) && point.mix == mix && point.couple.equals(couple)).toList();
    }

    /** By couple; a couple of which a load gave no figure is not there, and so in no region. */
    private Map<Couple, Verdict> verdicts(String system, Mix mix) {
        Map<Couple, Verdict> verdicts = new LinkedHashMap<>();
        for (Couple couple : plan.couples) {
            List<Point> loads = points(system, mix, couple);
            if (!loads.isEmpty() && loads.stream().noneMatch(point -> point.runs.isEmpty())) {
                verdicts.put(couple, Verdict.of(loads.stream().map(Point::median).toList()));
            }
        }
        return verdicts;
    }

    private List<Region> regions() {
        List<Region> regions = new ArrayList<>();
        SYSTEMS.forEach(system -> regions.add(new Region(system, part(system, Verdict::isInMaxRegion), part(system, Verdict::isInAverageRegion),
                plan.runs)));
        regions.addAll(Region.LINE_CARDS);
        return regions;
    }

    /** Percent of the couples. */
    private double part(String system, Predicate<Verdict> region) {
        return 100.0 * verdicts(system, Mix.TEST3).values().stream().filter(region).count() / plan.couples.size();
    }

    private long thrownAway(String system) {
        return thrownAway.stream().filter(reason -> reason.startsWith(system)).count();
    }

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row("precision-capacity", OURS, 0, "payload", capacity() / MEGA, "Mbit/s", capacities.size()));
        SYSTEMS.forEach(system -> rows.add(row("precision-runs", system, 0, "disturbed", thrownAway(system), "runs", 1)));
        for (String system : SYSTEMS) {
            for (Mix mix : Mix.values()) {
                verdicts(system, mix).forEach((couple, verdict) -> FIGURES.forEach((metric, figure) ->
                        rows.add(row("precision-" + mix.name().toLowerCase(Locale.ROOT) + "-" + couple, system, mix.be + mix.lbe, metric,
                                figure.apply(verdict), "%", plan.runs))));
            }
        }
        for (Region region : regions()) {
            rows.add(row("precision-region", region.system, 2, "max", region.max, "%", region.runs));
            if (region.avg != null) {
                rows.add(row("precision-region", region.system, 2, "avg", region.avg, "%", region.runs));
            }
        }
        return rows;
    }

    private static Row row(String what, String system, int flows, String metric, double value, String unit, int runs) {
        double rounded = Math.round(value * 1e4) / 1e4;
        return new Row(what, system, PAYLOAD, flows, metric, rounded, unit, runs, rounded, rounded);
    }

    /** A couple that gave no figure is a failure of the run, and misses the target too. */
    @Override
    public List<Target> targets() {
        Map<Couple, Verdict> verdicts = verdicts(OURS, Mix.TEST3);
        Double within = verdicts.isEmpty() ? null : (double) verdicts.values().stream().filter(Verdict::isInMaxRegion).count();
        return List.of(Target.atLeast(String.format(Locale.ROOT, "precision: couples of %d whose classes are within %.1f %% at every load",
                plan.couples.size(), Verdict.BOUND), within, plan.couples.size()));
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nPrecision of shares (DataTAG, section 3): UDP of %d octets at a constant rate, bottleneck %.0f Mbit/s, %.0f s a run%n",
                PAYLOAD, rate / MEGA, plan.seconds);
        out.printf("capacity C %.3f Mbit/s of payload with one class (the greatest of %d, the least %.3f)%n", capacity() / MEGA, capacities.size(),
                Collections.min(capacities) / MEGA);
        out.printf("every point of every system: the median of %d runs. A run whose senders leave out more than one datagram of a thousand is run again, %d times "
                + "at most: %d of %s, %d of %s, %d of the capacity.%n", plan.runs, ATTEMPTS - 1, thrownAway(OURS), OURS, thrownAway(ONE_QUEUE), ONE_QUEUE,
                thrownAway("capacity"));
        thrownAway.forEach(reason -> out.println("  thrown away: " + reason));
        for (Mix mix : Mix.values()) {
            Table<Couple> table = new Table<>(mix + ": LBE gets (should), Mb/s", Couple::toString);
            plan.loads.forEach(load -> table.text(load + " % of C", couple -> gets(mix, couple, load)));
            table.print(out, List.copyOf(verdicts(OURS, mix).keySet()));
        }
        for (Mix mix : Mix.values()) {
            print(out, mix + ", " + mix.be + " BE + " + mix.lbe + " LBE", verdicts(OURS, mix));
        }
        print(out, "One queue for all, " + Mix.TEST3, verdicts(ONE_QUEUE, Mix.TEST3));
        new Table<>("couples in the operating region", Region::system).number("max %", "%.1f", Region::max).number("avg %", "%.1f", Region::avg)
                .print(out, regions());
        out.println("2003: line cards at 1 and 2.4 Gbit/s, loads of 10 to 100 % a flow, 19 couples of which one stands there twice; here another rate, "
                + "other loads, virtual links.");
    }

    private String gets(Mix mix, Couple couple, int load) {
        Judged median = points(OURS, mix, couple).stream().filter(point -> point.load == load).findFirst().orElseThrow().median();
        return String.format(Locale.ROOT, "%.3f (%.3f)", median.measured().lbe() / MEGA, median.shouldLbe() / MEGA);
    }

    private static void print(PrintWriter out, String title, Map<Couple, Verdict> verdicts) {
        Table<Couple> table = new Table<>(title, Couple::toString);
        FIGURES.forEach((metric, figure) -> table.number(metric.replace("utilisation", "utilised") + " %", "%.2f",
                couple -> figure.apply(verdicts.get(couple))));
        table.text("2.5 %", couple -> verdicts.get(couple).isInMaxRegion() ? "in" : "out").print(out, List.copyOf(verdicts.keySet()));
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("system,test,couple,load_percent,run,offered_be,offered_lbe,be,lbe,should_be,should_lbe,error_be_percent,"
                + "error_lbe_percent,utilisation_percent,left_out\r\n");
        for (Point point : points) {
            for (int i = 0; i < point.runs.size(); i++) {
                Judged run = point.runs.get(i);
                csv.append(String.format(Locale.ROOT, "%s,%s,%s,%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.4f,%.4f,%.3f,%d\r\n", point.system, point.mix,
                        point.couple, point.load, i + 1, run.measured().offeredBe(), run.measured().offeredLbe(), run.measured().be(),
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
        verdicts(OURS, Mix.TEST3).forEach((couple, verdict) -> {
            worst.add(couple.lbe(), Math.abs(verdict.worstLbe()));
            average.add(couple.lbe(), verdict.averageLbe());
            bound.add(couple.lbe(), Verdict.BOUND);
        });
        return Map.of("precision", chart);
    }
}
