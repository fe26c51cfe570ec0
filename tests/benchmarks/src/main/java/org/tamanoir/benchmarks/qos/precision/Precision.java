package org.tamanoir.benchmarks.qos.precision;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.precision.Couple.Judged;
import org.tamanoir.benchmarks.qos.precision.Couple.Measured;
import org.tamanoir.benchmarks.report.Measurements;

/**
 * How exactly a link is shared ("DataTAG QoS report", 2003, section 3): what two classes get, against what they should get, for every couple of shares and
 * every load; beside a router that has one queue for all.
 */
public final class Precision {
    static final String OURS = "tamanoir-domain";
    static final String ONE_QUEUE = "one-queue";
    /** A run that its senders did not offer is measured again, whatever it shows and of whatever system; the last of so many counts as it is. */
    static final int ATTEMPTS = 4;

    /** The tests of the report, section 3.5: how many flows of each class, each of the same load. */
    enum Mix {
        TEST3(1, 1),
        TEST1(2, 1),
        TEST2(1, 2);

        final int be;
        final int lbe;

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
     * @param seconds that a run counts
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

        static Plan of(QosPlan plan) {
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

    private final PrecisionLab lab;
    private final Plan plan;
    private final Measurements measured;
    private final List<String> thrownAway = new ArrayList<>();
    private double capacity;

    private Precision(PrecisionLab lab, Plan plan, Measurements measured) {
        this.lab = lab;
        this.plan = plan;
        this.measured = measured;
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        return run(plan.rate(), Plan.of(plan), progress);
    }

    static PrecisionOutcome run(long rate, Plan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        try (PrecisionLab lab = new PrecisionLab(rate, plan.seconds())) {
            return new Precision(lab, plan, measured).run(rate);
        }
    }

    private PrecisionOutcome run(long rate) {
        lab.shareNothing();
        List<Double> capacities = new ArrayList<>();
        for (int i = 0; i < plan.calibrations(); i++) {
            capacities.add(undisturbed("capacity", () -> lab.run(1, 0, 1.5 * rate)).be());
        }
        // Whatever disturbs a run makes it carry less, never more.
        capacity = Collections.max(capacities);
        List<Point> points = new ArrayList<>(oneQueue());
        for (Couple couple : plan.couples()) {
            lab.share(couple);
            for (Mix mix : Mix.values()) {
                if (mix == Mix.TEST3 || plan.subset().contains(couple)) {
                    plan.loads().forEach(load -> points.add(measure(new Point(OURS, mix, couple, load))));
                }
            }
        }
        return new PrecisionOutcome(rate, plan, capacities, points, thrownAway, measured);
    }

    /** One queue knows of no shares: a run of a load is that of every couple. */
    private List<Point> oneQueue() {
        List<Point> points = new ArrayList<>();
        for (int load : plan.loads()) {
            Point first = measure(new Point(ONE_QUEUE, Mix.TEST3, plan.couples().get(0), load));
            for (Couple couple : plan.couples()) {
                points.add(new Point(ONE_QUEUE, Mix.TEST3, couple, load, first.runs().stream().map(run -> couple.judge(run.measured(), capacity)).toList()));
            }
        }
        return points;
    }

    private Point measure(Point point) {
        for (int run = 0; run < plan.runs(); run++) {
            measured.attempt(point + ", " + Measurements.name(run), () -> point.runs().add(point.couple().judge(undisturbed(point.toString(),
                    () -> lab.run(point.mix().be, point.mix().lbe, capacity * point.load() / 100)), capacity)));
        }
        return point;
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
}
