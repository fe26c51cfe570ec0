package org.tamanoir.benchmarks.fleet;

import org.tamanoir.benchmarks.parts.Rounds;

/**
 * What all parts of {@code bench fleet} are told.
 *
 * @param rounds how often, and how long a measurement counts
 * @param share  of a processor that each process has which serves pulls
 * @param kills  in the middle of uploads
 * @param seed   of what is random; of several simulations the first one's, and the others count up
 * @param quick  whether a short simulated outage will do
 */
public record FleetPlan(Rounds rounds, double share, int kills, long seed, boolean quick) {
    private static final double LEAST_SHARE = 0.02;
    private static final int MOST_KILLS = 500;
    private static final long TEN_MINUTES = 600_000;
    private static final long MINUTE = 60_000;

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        rounds.check();
        if (!(share >= LEAST_SHARE && share <= 1)) {
            throw new IllegalArgumentException("a share of " + LEAST_SHARE + " to 1 processor");
        }
        if (kills < 1 || kills > MOST_KILLS) {
            throw new IllegalArgumentException("1 to " + MOST_KILLS + " kills");
        }
    }

    /** How long the server is away that the simulation has. */
    long outageMillis() {
        return quick ? MINUTE : TEN_MINUTES;
    }
}
