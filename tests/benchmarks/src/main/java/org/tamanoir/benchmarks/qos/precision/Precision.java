package org.tamanoir.benchmarks.qos.precision;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.lab.LabException;

/** What two classes get, against what they should get, for every couple of shares and every load; beside a router that has one queue for all. */
public final class Precision {
    private static final int MOST_RUNS = 3;

    private Precision() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        return run(plan.rate(), PrecisionPlan.of(plan), progress);
    }

    static PrecisionOutcome run(long rate, PrecisionPlan plan, Consumer<String> progress) {
        List<String> failures = new ArrayList<>();
        try (PrecisionLab lab = new PrecisionLab(rate, plan.seconds())) {
            lab.shareNothing();
            progress.accept("capacity");
            List<Double> capacities = new ArrayList<>();
            for (int i = 0; i < plan.calibrations(); i++) {
                capacities.add(lab.capacity());
            }
            // Whatever disturbs a run makes it carry less, never more.
            double capacity = Collections.max(capacities);
            List<Point> one = measureOneQueue(lab, plan, capacity, progress, failures);
            List<Point> points = plan.points();
            Couple shares = null;
            for (int i = 0; i < points.size(); i++) {
                Point point = points.get(i);
                if (!point.couple().equals(shares)) {
                    shares = point.couple();
                    lab.share(shares);
                }
                progress.accept(String.format("%s, %d of %d", point, i + 1, points.size()));
                measure(lab, point, plan.runs(), capacity, failures);
                if (!point.runs().isEmpty() && !point.median().isExact()) {
                    measure(lab, point, Math.max(0, MOST_RUNS - plan.runs()), capacity, failures);
                }
            }
            return new PrecisionOutcome(plan, rate, capacities, points, one, lab.disturbed(), failures);
        }
    }

    /** One queue knows of no shares: a run of a load is that of every couple. */
    private static List<Point> measureOneQueue(PrecisionLab lab, PrecisionPlan plan, double capacity, Consumer<String> progress,
            List<String> failures) {
        List<Point> points = new ArrayList<>();
        for (int load : plan.loads()) {
            progress.accept("one queue at " + load + " %");
            Point first = new Point(Mix.TEST3, plan.couples().get(0), load);
            measure(lab, first, plan.runs(), capacity, failures);
            for (Couple couple : plan.couples()) {
                Point point = new Point(Mix.TEST3, couple, load);
                first.runs().forEach(run -> point.add(Judged.of(couple, run.measured(), capacity)));
                points.add(point);
            }
        }
        return points;
    }

    private static void measure(PrecisionLab lab, Point point, int runs, double capacity, List<String> failures) {
        for (int i = 0; i < runs; i++) {
            try {
                point.add(Judged.of(point.couple(), lab.run(point.mix(), capacity * point.load() / 100), capacity));
            } catch (LabException e) {
                failures.add(point + ": " + e.getMessage());
            }
        }
    }
}
