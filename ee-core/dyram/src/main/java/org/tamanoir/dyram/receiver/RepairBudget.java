package org.tamanoir.dyram.receiver;

import org.tamanoir.dyram.wire.SessionTerms;

/** How many repairs a receiver sends for others: twice the session's own rate, and bursts. The node elects another one for the rest. */
final class RepairBudget {
    private static final double BURST = 4_096;

    private double left = BURST;
    private long at = Long.MIN_VALUE;

    boolean take(long now, SessionTerms terms) {
        if (at != Long.MIN_VALUE) {
            left = Math.min(BURST, left + (now - at) / 1e9 * 2 * (terms.rate() / 8.0 / terms.packetSize() + 100));
        }
        at = now;
        if (left < 1) {
            return false;
        }
        left--;
        return true;
    }
}
