package org.tamanoir.cluster.weight;

import org.tamanoir.membership.Report.Load;

/** How busy a back end is, as one number. */
public final class Pressure {
    /** Of a back end that has nothing left and on which everything waits. */
    public static final double MOST = 1.5;
    /** Milliseconds of lag at which event loops count as half busy: what a person notices. */
    static final double HALF_LAG = 50;
    /** Milliseconds of lag at which half of all that can wait does. */
    static final double HALF_WAITING = 2_000;
    /** What waiting adds at most. Who has nothing left looks the same with one stream too many as with ten; only what waits tells them apart. */
    static final double WAITING = 0.5;

    private Pressure() {
    }

    /**
     * The busiest of what it has, which is CPU time, room for what waits, and punctuality of its event loops: each is 0 when idle and 1 when there is no
     * more. To this comes up to a half for what waits.
     *
     * @return 0 to {@value #MOST}
     */
    public static double of(Load load) {
        double queue = Math.min(1, (double) load.queuedOctets() / Math.max(1, load.queueMost()));
        double busiest = Math.max(load.cpu(), Math.max(queue, part(load.lagMillis(), HALF_LAG)));
        return Math.max(0, Math.min(1, busiest)) + WAITING * Math.max(queue, part(load.lagMillis(), HALF_WAITING));
    }

    private static double part(double lag, double half) {
        return lag / (lag + half);
    }
}
