package org.tamanoir.node.cluster.load;

/**
 * How late one event loop runs what is due. A task on the loop says when it ran and is due again {@link #PERIOD_NANOS} later; one that is overdue
 * counts before it has run, so a loop that is held is seen while it is held. Takes the time; for any thread.
 */
final class LoopLag {
    /** Twenty looks a second. */
    static final long PERIOD_NANOS = 50_000_000;
    private static final long WINDOW_NANOS = 1_000_000_000;
    /** More than a window holds: delays only make them fewer. */
    private static final int KEPT = (int) (WINDOW_NANOS / PERIOD_NANOS) + 4;

    private final long[] at = new long[KEPT];
    private final long[] late = new long[KEPT];
    private int runs;
    private long due;

    LoopLag(long now) {
        due = now + PERIOD_NANOS;
    }

    /** The task has run. */
    synchronized void ran(long now) {
        int slot = runs++ % KEPT;
        at[slot] = now;
        late[slot] = Math.max(0, now - due);
        due = now + PERIOD_NANOS;
    }

    /** The largest lateness of the last second, in nanoseconds. */
    synchronized long largest(long now) {
        long most = Math.max(0, now - due);
        for (int i = 0; i < Math.min(runs, KEPT); i++) {
            if (now - at[i] <= WINDOW_NANOS) {
                most = Math.max(most, late[i]);
            }
        }
        return most;
    }

    /** How long it has been overdue by now, in nanoseconds; 0 if it is not. */
    synchronized long overdue(long now) {
        return Math.max(0, now - due);
    }
}
