package org.tamanoir.benchmarks.qos;

import java.util.List;

/**
 * What all parts are told.
 *
 * @param rate  bits a second of the bottleneck, Ethernet headers included
 * @param runs  how often everything is measured; the result is the median
 * @param quick a few cases, for a few seconds: to see that it works
 * @param couples of shares, as {@code 99-1}, for what is measured of several; empty for all
 */
public record QosPlan(long rate, int runs, boolean quick, List<String> couples) {
    public static final long RATE = 200_000_000;
    private static final long LEAST_RATE = 10_000_000;
    private static final long MOST_RATE = 1_000_000_000;
    private static final int MOST_RUNS = 20;

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        if (rate < LEAST_RATE || rate > MOST_RATE) {
            throw new IllegalArgumentException("a bottleneck of 10 to 1000 Mbit/s");
        }
        if (runs < 1 || runs > MOST_RUNS) {
            throw new IllegalArgumentException("1 to " + MOST_RUNS + " runs");
        }
        couples.forEach(Couple::of);
    }
}
