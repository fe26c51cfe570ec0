package org.tamanoir.node.cluster;

import java.util.function.Supplier;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.State;

/** One report for all front-ends of a period, so that they weigh the same. Safe for all threads. */
final class SharedReport {
    private final long sharedNanos;
    private final Supplier<State> state;
    private final Supplier<Report> maker;
    private Report latest;
    private long latestAt;

    /**
     * @param sharedNanos how long one is good for another front-end
     * @param state       that a report must tell
     */
    SharedReport(long sharedNanos, Supplier<State> state, Supplier<Report> maker) {
        this.sharedNanos = sharedNanos;
        this.state = state;
        this.maker = maker;
    }

    /** @param had what a front-end has heard last; it is not told the same twice */
    synchronized Report after(Report had) {
        long now = System.nanoTime();
        if (latest == null || latest == had || now - latestAt > sharedNanos || latest.state() != state.get()) {
            latest = maker.get();
            latestAt = now;
        }
        return latest;
    }

    /** Something else has changed that front-ends should hear of at once. */
    synchronized void forget() {
        latest = null;
    }
}
