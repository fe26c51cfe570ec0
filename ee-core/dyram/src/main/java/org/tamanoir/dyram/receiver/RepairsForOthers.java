package org.tamanoir.dyram.receiver;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.SessionTerms;

/** What a receiver sends for others that have lost it: twice the session's own rate, and bursts. The node elects another one for the rest. */
final class RepairsForOthers {
    private static final double BURST = 4_096;

    /** Takes what is found. */
    @FunctionalInterface
    interface Answer {
        /** @param body tag and content, lent during the call */
        void repair(long index, ByteBuf body);
    }

    private final Store store;
    private final Reception reception;
    private final LossRequests requests;
    private double left = BURST;
    private long at = Long.MIN_VALUE;
    private long sent;

    /** @param requests where it asks for what is missing here too */
    RepairsForOthers(Store store, Reception reception, LossRequests requests) {
        this.store = store;
        this.requests = requests;
        this.reception = reception;
    }

    /**
     * The node asks for packets of the session.
     *
     * @param reads whether what is here may be read
     * @throws AnepException EE-409 if it cannot
     */
    void requested(long now, SessionTerms terms, Losses.Range range, boolean reads, Answer answer) {
        long first = terms.index(range.first());
        for (long index = first; index < first + range.count(); index++) {
            if (!reception.have().contains(index)) {
                requests.add(terms.sequence(index), range.rank());
            } else if (reads && take(now, terms)) {
                ByteBuf body = store.get(index);
                try {
                    answer.repair(index, body);
                    sent++;
                } finally {
                    body.release();
                }
            }
        }
    }

    private boolean take(long now, SessionTerms terms) {
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

    /** Packets that were sent for others. */
    long sent() {
        return sent;
    }
}
