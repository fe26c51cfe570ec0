package org.tamanoir.node.service;

/**
 * Counts the failures of one running service and says when there are too many. No clock of its own.
 *
 * <p>A failure is a defect of the service: an error that it throws, a call that does not return, a limit that it breaks. What it refuses
 * with a code, such as a payload that cannot be restored, is none: otherwise a sender could open the circuit for everybody.
 */
final class Circuit {
    private final int most;
    private final long windowNanos;
    private final long[] times;
    private int next;
    private long count;
    private boolean open;

    Circuit(int most, long windowNanos) {
        this.most = most;
        this.windowNanos = windowNanos;
        this.times = new long[most];
    }

    /** Counts one failure; true exactly once, for the one that opens the circuit. */
    synchronized boolean failed(long now) {
        times[next] = now;
        next = (next + 1) % most;
        count++;
        // The slot that comes next holds the oldest of the last `most` failures.
        if (open || count < most || now - times[next] > windowNanos) {
            return false;
        }
        open = true;
        return true;
    }
}
