package org.tamanoir.services.qosmonitoring;

import java.util.Arrays;

/**
 * What is known of the throughput of one class on one segment; megabits a second. Trains measure it, and so do flows: one that the network
 * held back shows how much a flow gets, another how much it gets at least.
 */
final class ThroughputWindow {
    /** Trains whose median counts. */
    static final int TRAINS = 3;
    /** Trains whose spread counts, and how many it takes. */
    private static final int SPREAD = 8;
    private static final int LEAST_SPREAD = 4;
    /** A standard deviation is so many median deviations, where values are spread as by chance. */
    private static final double DEVIATION = 1.4826;
    private static final int PERCENT = 100;
    /** Trains may be left out so many times in a row. */
    private static final int MOST_LEFT_OUT = 3;
    /** A flow that had this part of what trains say confirms them. */
    private static final double CONFIRMS = 0.9;

    private final double[] rates = new double[TRAINS];
    private final long[] times = new long[TRAINS];
    private final RecentMost limited = new RecentMost();
    private final RecentMost least = new RecentMost();
    private final double[] spread = new double[SPREAD];
    private final long[] spreadTimes = new long[SPREAD];
    private int spreads;
    private int size;
    private int fruitless;
    private int leftOut;
    private boolean outdated;

    /** How much the rates of trains vary, also over changes of the class; what one of them shows may be the host's doing. */
    double variation(long nowNanos, long mostAgeNanos) {
        double[] fresh = new double[SPREAD];
        int count = 0;
        for (int i = 0; i < Math.min(spreads, SPREAD); i++) {
            if (nowNanos - spreadTimes[i] <= mostAgeNanos) {
                fresh[count++] = spread[i];
            }
        }
        if (count < LEAST_SPREAD) {
            return Double.NaN;
        }
        double median = median(fresh, count);
        for (int i = 0; i < count; i++) {
            fresh[i] = Math.abs(fresh[i] - median);
        }
        return median == 0 ? Double.NaN : PERCENT * DEVIATION * median(fresh, count) / median;
    }

    private static double median(double[] values, int count) {
        Arrays.sort(values, 0, count);
        return (values[(count - 1) / 2] + values[count / 2]) / 2;
    }

    /** Adds the rate of a train; NaN if it has shown none. After {@value #TRAINS} of these in a row nothing is known any more. */
    void train(double mbps, long nowNanos) {
        if (Double.isNaN(mbps)) {
            fruitless++;
            size = fruitless >= TRAINS ? 0 : size;
            return;
        }
        fruitless = 0;
        spread(mbps, nowNanos);
        if (outdated) {
            size = 0;
            outdated = false;
        }
        if (size == TRAINS) {
            size--;
            System.arraycopy(rates, 1, rates, 0, size);
            System.arraycopy(times, 1, times, 0, size);
        }
        rates[size] = mbps;
        times[size++] = nowNanos;
    }

    /** The class does not do as before: what trains have shown counts until the next one has, what flows have shown no more. */
    void changed() {
        outdated = true;
        limited.clear();
        least.clear();
    }

    /**
     * Adds what a flow carried.
     *
     * @param period      the number of the period, growing
     * @param heldBack whether it would have carried more if the network had let it
     */
    void carried(long period, double mbps, boolean heldBack) {
        (heldBack ? limited : least).add(period, mbps);
    }

    /** Median of the last trains that are not older than a bound; NaN for none. */
    double trains(long nowNanos, long mostAgeNanos) {
        double[] fresh = new double[size];
        int count = 0;
        for (int i = 0; i < size; i++) {
            if (nowNanos - times[i] <= mostAgeNanos) {
                fresh[count++] = rates[i];
            }
        }
        if (count == 0) {
            return Double.NaN;
        }
        return median(fresh, count);
    }

    /** The most that a flow had lately that the network held back; NaN for none. */
    double limited(long period) {
        return limited.most(period);
    }

    /** The most that another flow had lately; NaN for none. */
    double least(long period) {
        return least.most(period);
    }

    /**
     * Whether flows have shown enough for the next train to be left out: one that was held back, or one that had nearly what trains say.
     * Never more than {@value #MOST_LEFT_OUT} times in a row, for flows do not show everything.
     */
    boolean leaveOut(long period, long nowNanos, long mostAgeNanos) {
        double trains = trains(nowNanos, mostAgeNanos);
        boolean enough = !outdated && !Double.isNaN(trains) && (!Double.isNaN(limited(period)) || least(period) >= CONFIRMS * trains);
        leftOut = enough && leftOut < MOST_LEFT_OUT ? leftOut + 1 : 0;
        return leftOut > 0;
    }

    /** Whether the last trains have all shown nothing. */
    boolean isFruitless() {
        return fruitless >= TRAINS;
    }

    private void spread(double mbps, long nanos) {
        spread[spreads % SPREAD] = mbps;
        spreadTimes[spreads % SPREAD] = nanos;
        spreads = spreads + 1 < 0 ? SPREAD : spreads + 1;
    }

    /** Rates of trains whose spread counts; their order says nothing. */
    double[] spreadRates() {
        return Arrays.copyOf(spread, Math.min(spreads, SPREAD));
    }

    long[] spreadTimes() {
        return Arrays.copyOf(spreadTimes, Math.min(spreads, SPREAD));
    }

    /** Takes over what {@link #spreadRates} and {@link #spreadTimes} gave; after {@link #load}. */
    void loadSpread(double[] savedRates, long[] savedTimes) {
        spreads = 0;
        for (int i = 0; i < Math.min(savedRates.length, savedTimes.length); i++) {
            spread(savedRates[i], savedTimes[i]);
        }
    }

    double[] rates() {
        return Arrays.copyOf(rates, size);
    }

    long[] times() {
        return Arrays.copyOf(times, size);
    }

    /** Takes over what {@link #rates} and {@link #times} gave. */
    void load(double[] savedRates, long[] savedTimes) {
        for (int i = 0; i < Math.min(savedRates.length, savedTimes.length); i++) {
            if (savedRates[i] > 0 && Double.isFinite(savedRates[i])) {
                train(savedRates[i], savedTimes[i]);
            }
        }
    }

    /** The largest value of the last periods; a fixed number of slots, whatever comes. */
    static final class RecentMost {
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
}
