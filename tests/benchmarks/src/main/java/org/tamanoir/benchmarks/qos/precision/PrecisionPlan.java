package org.tamanoir.benchmarks.qos.precision;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.qos.QosPlan;

/**
 * What is measured.
 *
 * @param calibrations how often the capacity is measured; it is the greatest
 * @param couples for one flow of each class
 * @param subset  of them, for three flows
 * @param loads   of each flow, in percent of the link's capacity
 * @param seconds that a run counts
 * @param runs    of each point; what is then out of bounds is run three times in all
 */
record PrecisionPlan(int calibrations, List<Couple> couples, List<Couple> subset, List<Integer> loads, double seconds, int runs) {
    /**
     * Percent of the capacity that each flow offers. At 50 both fit, at 60 and 80 one class has to leave its rest to the other, from 125 on both
     * want more than their shares; at 250 the link is offered five times what it carries.
     */
    private static final List<Integer> LOADS = List.of(50, 60, 80, 125, 250);

    private static final int CALIBRATIONS = 5;

    static PrecisionPlan of(QosPlan plan) {
        List<Couple> subset = List.of(new Couple(99, 1), new Couple(80, 20), new Couple(50, 50));
        return plan.quick() ? new PrecisionPlan(CALIBRATIONS, subset, List.of(), List.of(60, 125), 1, plan.runs())
                : new PrecisionPlan(CALIBRATIONS, Couple.ALL, subset, LOADS, 4, plan.runs());
    }

    /** Every point, couple by couple, so that the classes change as seldom as can be. */
    List<Point> points() {
        List<Point> points = new ArrayList<>();
        for (Couple couple : couples) {
            for (Mix mix : Mix.values()) {
                if (mix == Mix.TEST3 || subset.contains(couple)) {
                    loads.forEach(load -> points.add(new Point(mix, couple, load)));
                }
            }
        }
        return points;
    }
}
