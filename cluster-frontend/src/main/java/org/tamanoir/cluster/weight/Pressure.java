package org.tamanoir.cluster.weight;

import org.tamanoir.membership.Report.Load;

/** How busy a back end is, as one number. */
public final class Pressure {
    /** Milliseconds of lag at which event loops count as half busy: what a person notices. */
    static final double HALF_LAG = 50;

    private Pressure() {
    }

    /**
     * The busiest of what it has: CPU time, room for what waits, punctuality of its event loops. Each is 0 when idle and 1 when there is no more, and
     * none counts for more than that: a queue that grows without end says no more than one that is full.
     *
     * @return 0 to 1
     */
    public static double of(Load load) {
        double queue = (double) load.queuedOctets() / Math.max(1, load.queueMost());
        double lag = load.lagMillis() / (load.lagMillis() + HALF_LAG);
        return Math.max(0, Math.min(1, Math.max(load.cpu(), Math.max(queue, lag))));
    }
}
