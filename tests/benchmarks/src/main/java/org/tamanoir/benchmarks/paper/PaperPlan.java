package org.tamanoir.benchmarks.paper;

import java.time.Duration;

/**
 * What all figures are told.
 *
 * @param rounds  how often everything is measured; of simulations, how many seeds are averaged
 * @param seconds that one measurement counts
 */
public record PaperPlan(int rounds, double seconds) {
    public static final int ROUNDS = 3;
    public static final double SECONDS = 1;
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
    }

    Duration run() {
        return Duration.ofMillis(Math.round(1000 * seconds));
    }
}
