package org.tamanoir.services.qosmonitoring;

import java.util.Arrays;

/** The largest value of the last periods; a fixed number of slots, whatever comes. */
final class RecentMost {
    /** Periods that count. */
    static final int SLOTS = 5;

    private final double[] most = new double[SLOTS];
    private long newest = Long.MIN_VALUE;

    RecentMost() {
        Arrays.fill(most, Double.NaN);
    }

    /** @param period the number of the period, growing */
    void add(long period, double value) {
        advance(period);
        int slot = Math.floorMod(newest, SLOTS);
        most[slot] = Double.isNaN(most[slot]) ? value : Math.max(most[slot], value);
    }

    /** The largest of this period and those before; NaN if there is none. */
    double most(long period) {
        advance(period);
        return Arrays.stream(most).filter(value -> !Double.isNaN(value)).max().orElse(Double.NaN);
    }

    private void advance(long period) {
        if (newest == Long.MIN_VALUE || period - newest >= SLOTS) {
            Arrays.fill(most, Double.NaN);
            newest = period;
        }
        while (newest < period) {
            newest++;
            most[Math.floorMod(newest, SLOTS)] = Double.NaN;
        }
    }

    void clear() {
        Arrays.fill(most, Double.NaN);
    }
}
