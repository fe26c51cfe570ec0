package org.tamanoir.client.session;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** After how many octets a mark follows at the latest. */
final class MarkDistance {
    /** Marks that are further apart than this cost more than they spare: what is not acknowledged leaves the processor's caches. */
    private static final int MOST = 1 << 20;
    /** A ring has room for so many marks, so that it is not full before the first of them is answered. */
    private static final int MARKS_OF_RING = 4;
    /** Other numbers, which sessions take in turn (0: their own), for 'bench survive --part cost', which finds out what marks cost. */
    private static final long[] OTHERS = Arrays.stream(System.getProperty("tamanoir.session.marks", "0").split(",")).mapToLong(Long::parseLong).toArray();
    private static final AtomicInteger SESSIONS = new AtomicInteger();

    private MarkDistance() {
    }

    /** Of one more session. @param ring octets that may wait for an acknowledgement */
    static long of(long ring) {
        long other = OTHERS[(SESSIONS.getAndIncrement() & Integer.MAX_VALUE) % OTHERS.length];
        return other > 0 ? other : Math.max(OctetRing.PACKET, Math.min(MOST, ring / MARKS_OF_RING));
    }
}
