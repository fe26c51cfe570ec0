package org.tamanoir.cluster.weight;

import java.util.HashMap;
import java.util.Map;
import org.tamanoir.membership.Report;

/** Controllers that are wrong, and look right. */
final class Mutants {
    private Mutants() {
    }

    /** The part that is free, as it was reported last: its gain grows without bound where it matters. */
    static Cluster.Controller undamped() {
        Map<String, Integer> weights = new HashMap<>();
        return new Cluster.Controller() {
            @Override
            public void report(Report report, double load, long now) {
                weights.put(report.name(), (int) Math.max(1, Math.round(100 * (1 - load))));
            }

            @Override
            public int weight(String name, long now) {
                return weights.getOrDefault(name, 100);
            }
        };
    }

    /** The real law without its filter and its steps, and with a gain of 3. */
    static Cluster.Controller steep() {
        Map<String, Integer> weights = new HashMap<>();
        return new Cluster.Controller() {
            @Override
            public void report(Report report, double load, long now) {
                weights.put(report.name(), (int) Math.max(1, Math.round(10_000 * Math.pow(0.1 / (Pressure.of(report.load()) + 0.1), 3))));
            }

            @Override
            public int weight(String name, long now) {
                return weights.getOrDefault(name, 100);
            }
        };
    }

    /** A weight that falls as long as its back end is busier than the others: well damped, but it does not know how long streams live. */
    static Cluster.Controller integrating() {
        Map<String, Double> loads = new HashMap<>();
        Map<String, Double> weights = new HashMap<>();
        return new Cluster.Controller() {
            @Override
            public void report(Report report, double load, long now) {
                loads.put(report.name(), load);
                double mean = loads.values().stream().mapToDouble(each -> each).average().orElseThrow();
                weights.merge(report.name(), 30.0, (old, preset) -> Math.max(1, Math.min(100, old * Math.exp(-0.3 * (load - mean) / mean))));
            }

            @Override
            public int weight(String name, long now) {
                return (int) Math.round(weights.getOrDefault(name, 30.0));
            }
        };
    }
}
