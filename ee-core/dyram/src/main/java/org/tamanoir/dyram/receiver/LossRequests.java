package org.tamanoir.dyram.receiver;

import java.util.List;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.RoundTrip;
import org.tamanoir.dyram.wire.SessionTerms;
import org.tamanoir.dyram.wire.Stall;

/** When a receiver asks for what it misses, and how long it waits before it asks again. */
final class LossRequests {
    /** More than what clocks and wake-ups add to a wait. */
    static final long MARGIN = 5_000_000;
    private static final long MOST_RETRY = 1_000_000_000;
    private static final double BACK_OFF = 1.25;
    private static final int MOST_BACK_OFF = 2;

    private final Reception reception;
    private final RoundTrip way;
    private final Losses.Builder nacks = new Losses.Builder();
    private final Stall stall = new Stall();

    /** @param way to the next hop */
    LossRequests(Reception reception, RoundTrip way) {
        this.reception = reception;
        this.way = way;
    }

    /** A packet is missing here; others are asked for it, or asked in vain. */
    void add(long sequence, int rank) {
        nacks.add(sequence, rank);
    }

    long deadline() {
        return stall.deadline(reception.missing().next());
    }

    /** Gathers what is to be asked for now. @return whether there may be some */
    boolean due(long now, SessionTerms terms) {
        if (stall.isLate(now, reception.missing().next())) {
            return false;
        }
        reception.fill(now);
        reception.missing().due(now, this::retry, terms.first(), nacks);
        return true;
    }

    private long retry(int rank) {
        long usual = way.rtt() + way.local() + MARGIN;
        // Not for much longer than a packet takes from above: the last one may have been lost on its last link.
        long most = Math.min(MOST_RETRY, MOST_BACK_OFF * (way.rtt() + Math.max(way.local(), way.remote()) + MARGIN));
        return (long) Math.min(most, usual * Math.pow(BACK_OFF, Math.min(rank, 16)));
    }

    /** What was gathered, and begins anew. */
    List<Losses> take() {
        return nacks.take();
    }
}
