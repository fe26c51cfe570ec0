package org.tamanoir.benchmarks.parts;

import java.time.Duration;

/**
 * How often and how long.
 *
 * @param count   how often everything is measured; of simulations, how many seeds are averaged
 * @param seconds that one measurement counts
 */
public record Rounds(int count, double seconds) {
    /** Where nobody says. */
    public static final int COUNT = 3;
    public static final double SECONDS = 1;
    private static final int MOST = 50;
    private static final double LEAST_SECONDS = 0.2;
    private static final double MOST_SECONDS = 30;

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException("1 to " + MOST + " rounds");
        }
        if (!(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
            throw new IllegalArgumentException("a measurement counts " + LEAST_SECONDS + " to " + (int) MOST_SECONDS + " seconds");
        }
    }

    /** One measurement. */
    public Duration run() {
        return Duration.ofMillis(Math.round(1000 * seconds));
    }
}
