package org.tamanoir.dyram.receiver;

import java.util.List;
import org.tamanoir.dyram.wire.Held;
import org.tamanoir.dyram.wire.Message.Have;
import org.tamanoir.dyram.wire.PacketRanges;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * When a receiver tells what it holds of the packets that are still to be sent. It is said at once, as the source may wait for it, and again as
 * long as it may be of use: what was lost on the way costs no more than packets that were sent in vain.
 */
final class HaveNotices {
    /** Ranges that are told at most: those that come next. More follow when these have been passed. */
    static final int MOST_RANGES = 256;
    private static final long MILLI = 1_000_000;
    /** What is found within this time is told together. */
    private static final long GATHER = 20 * MILLI;
    private static final long SOON = 100 * MILLI;
    private static final long LATER = 500 * MILLI;
    private static final int MOST_SOON = 5;

    private boolean says;
    private boolean looking;
    private int said;
    private long toldAt;
    private long due = Long.MAX_VALUE;

    /** It looks for packets, or has looked. */
    void looking(long now, boolean looks) {
        says = true;
        looking = looks;
        said = 0;
        due = now;
    }

    /** It has found some. */
    void found(long now) {
        due = says ? Math.min(due, now + GATHER) : due;
    }

    /** The next hop knows nothing of it any more. */
    void again(long now) {
        if (says) {
            said = 0;
            due = now;
        }
    }

    /** Nothing is told any more. */
    void end() {
        says = false;
        due = Long.MAX_VALUE;
    }

    long deadline() {
        return due;
    }

    /** What is to be told now, in parts; empty if nothing is. */
    List<Have> due(long now, long session, long cookie, SessionTerms terms, Reception reception) {
        if (now < due) {
            return List.of();
        }
        PacketRanges ahead = reception.ahead(MOST_RANGES);
        if (said == 0) {
            toldAt = reception.next();
        }
        boolean heard = reception.next() > toldAt || said > MOST_SOON;
        if (said > 0 && heard && ahead.isEmpty() && !looking) {
            end();
            return List.of();
        }
        said++;
        due = now + (said <= MOST_SOON ? SOON : LATER);
        return Held.of(terms, ahead).stream().map(held -> new Have(session, cookie, looking, held)).toList();
    }
}
