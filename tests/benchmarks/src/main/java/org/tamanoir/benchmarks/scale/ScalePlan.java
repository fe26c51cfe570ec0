package org.tamanoir.benchmarks.scale;

import org.tamanoir.benchmarks.parts.Rounds;

/**
 * What all parts are told.
 *
 * @param rounds each with new processes
 * @param most   of anything: larger sizes are left out
 */
public record ScalePlan(Rounds rounds, int most) {
    public static final int MOST = 10_000;

    /** @throws IllegalArgumentException if it cannot be run; the message says why */
    public void check() {
        rounds.check();
        if (most < 1 || most > MOST) {
            throw new IllegalArgumentException("sizes of 1 to " + MOST);
        }
    }
}
