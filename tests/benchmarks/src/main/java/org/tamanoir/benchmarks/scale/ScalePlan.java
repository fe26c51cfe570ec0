package org.tamanoir.benchmarks.scale;

import java.time.Duration;

/**
 * What all parts are told.
 *
 * @param rounds  how often everything is measured, each time with new processes
 * @param seconds that a measurement counts
 * @param most    of anything: larger sizes are left out
 */
public record ScalePlan(int rounds, double seconds, int most) {
    public static final int ROUNDS = 3;
    public static final double SECONDS = 1;
    public static final int MOST = 10_000;
    private static final int MOST_ROUNDS = 50;
    private static final double LEAST_SECONDS = 0.2;
    private static final double MOST_SECONDS = 30;

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        if (rounds < 1 || rounds > MOST_ROUNDS) {
            throw new IllegalArgumentException("1 to " + MOST_ROUNDS + " rounds");
        }
        if (!(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
            throw new IllegalArgumentException("a measurement counts " + LEAST_SECONDS + " to " + (int) MOST_SECONDS + " seconds");
        }
        if (most < 1 || most > MOST) {
            throw new IllegalArgumentException("sizes of 1 to " + MOST);
        }
    }

    Duration run() {
        return Duration.ofMillis(Math.round(1000 * seconds));
    }
}
