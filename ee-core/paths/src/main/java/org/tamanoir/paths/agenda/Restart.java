package org.tamanoir.paths.agenda;

import java.util.random.RandomGenerator;

/**
 * When a session that failed is begun again: after 1, 2, 4 ... 60 s, each a quarter more or less at random, so that sessions that failed together do not come back
 * together (GlueDomains: a theodolite "re-spawns when needed all monitoring sessions").
 */
public final class Restart {
    private static final long FIRST_MILLIS = 1000;
    private static final long LONGEST_MILLIS = 60_000;
    private static final double SPREAD = 0.25;

    private Restart() {
    }

    /** Milliseconds until then. @param failures in a row, 1 or more */
    public static long pause(int failures, RandomGenerator random) {
        long middle = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(10, failures - 1));
        return Math.round(middle * (1 + SPREAD * (2 * random.nextDouble() - 1)));
    }
}
