package org.tamanoir.paths.cost;

import java.util.Locale;

/** What a sample is of. */
public enum Metric {
    /** Megabits a second. */
    THROUGHPUT("Mbit/s"),
    /** Milliseconds. */
    ROUND_TRIP("ms"),
    /** A ratio, 0 to 1. */
    LOSS(""),
    /** Milliseconds. */
    JITTER("ms");

    private final String unit;

    Metric(String unit) {
        this.unit = unit;
    }

    /** Empty for a ratio. */
    public String unit() {
        return unit;
    }

    /** {@code round trip}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Why a value is none of this; null if it is one. */
    String problem(double value) {
        if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            return value + " is no number from 0";
        }
        if (this == LOSS && value > 1) {
            return value + " is no ratio from 0 to 1";
        }
        return value == 0 && (this == THROUGHPUT || this == ROUND_TRIP) ? "it is 0" : null;
    }
}
