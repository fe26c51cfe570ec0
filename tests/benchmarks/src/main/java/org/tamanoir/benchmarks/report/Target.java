package org.tamanoir.benchmarks.report;

/**
 * A figure that was asked for.
 *
 * @param name   what, with the bound's direction ({@code … at least})
 * @param value  what was measured, or null if it was not measured in this run
 * @param target the bound
 * @param holds  whether it was measured and keeps the bound
 */
public record Target(String name, Double value, double target, boolean holds) {
    /** Whether it was measured and does not keep the bound. */
    public boolean isMissed() {
        return value != null && !holds;
    }

    /** @param value the measured value, or null */
    public static Target atLeast(String name, Double value, double target) {
        return new Target(name + ", at least", value, target, value != null && value >= target);
    }

    /** @param value the measured value, or null */
    public static Target atMost(String name, Double value, double target) {
        return new Target(name + ", at most", value, target, value != null && value <= target);
    }
}
