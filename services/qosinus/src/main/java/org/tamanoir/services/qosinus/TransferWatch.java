package org.tamanoir.services.qosinus;

import java.time.Instant;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ServiceLevel.Transfer;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.services.qosinus.TransferPace.State;

/**
 * The file that a session is for, at this node: its {@link TransferPace}, and what of it outlives a restart. Fields that change are read by any
 * thread and written under the lock of the session.
 */
final class TransferWatch {
    /** An Ethernet packet, and what a TCP segment of it has of headers: IP, TCP, and the option with timestamps. */
    private static final double PACKET = 1500;
    private static final int TCP4 = 52;
    private static final int TCP6 = 72;
    /** Headers of IP and UDP. */
    private static final int UDP4 = 28;
    private static final int UDP6 = 48;
    /** Fewer octets do not show how large the packets of a flow are. */
    private static final long MEANT = 100_000;
    /** It is written to the disk once for each of so many parts of it. */
    private static final int KEPT_PARTS = 8;
    private static final long NANOS_PER_MILLI = 1_000_000;

    final Transfer asked;
    final TransferPace pace;
    /** When the first packet came; 0 while it has not. */
    volatile long begunMillis;
    /** What no class can carry, for people; null while one can, or nobody knows. */
    volatile String impossible;
    int impossiblePeriods;
    private final long base;
    private final long before;
    private final boolean begins;
    private long keptPart = -1;

    /**
     * A file of which nothing has passed.
     *
     * @param base   octets of payload that the session had carried for something else
     * @param begins whether its first packet is there; otherwise it begins with the next that passes
     */
    TransferWatch(Transfer asked, long base, boolean begins) {
        this(asked, base, 0, 0, begins);
    }

    private TransferWatch(Transfer asked, long base, long before, long begunMillis, boolean begins) {
        this.asked = asked;
        this.pace = new TransferPace(asked.size());
        this.base = base;
        this.before = before;
        this.begunMillis = begunMillis;
        this.begins = begins;
    }

    /**
     * Goes on after a restart.
     *
     * @param carried    octets of payload that had passed at least
     * @param lateMillis how long after the deadline the end was; null if it has not been
     */
    static TransferWatch kept(Transfer asked, long begunMillis, long carried, Long lateMillis, long nowNanos, long nowMillis) {
        TransferWatch watch = new TransferWatch(asked, 0, carried, begunMillis, true);
        if (lateMillis != null) {
            watch.pace.restoreEnd(nowNanos, lateMillis * NANOS_PER_MILLI);
        } else {
            watch.begin(nowNanos, nowMillis);
        }
        return watch;
    }

    private void begin(long nowNanos, long nowMillis) {
        pace.begin(nowNanos - nanos(nowMillis - begunMillis), nowNanos + nanos(deadlineMillis() - nowMillis), before);
    }

    /** Looks at what has passed. @param payload octets that the session has carried since it is in memory */
    State look(long payload, long nowNanos, long nowMillis) {
        if (pace.state() == State.WAITING) {
            if (!begins && payload == base) {
                return State.WAITING;
            }
            begunMillis = nowMillis;
            begin(nowNanos, nowMillis);
        }
        return pace.look(nowNanos, before + payload - base);
    }

    /** On the clock of people; only once it has begun. */
    long deadlineMillis() {
        return asked.by() != null ? asked.by().toEpochMilli() : begunMillis + asked.within().toMillis();
    }

    Instant deadline() {
        return begunMillis == 0 && asked.by() == null ? null : Instant.ofEpochMilli(deadlineMillis());
    }

    /** Whether what has passed by now is to be written to the disk. */
    boolean isToBeKept() {
        long part = pace.state().isDone() ? KEPT_PARTS : (long) (KEPT_PARTS * (double) pace.carried() / pace.size());
        boolean is = part != keptPart;
        keptPart = part;
        return is;
    }

    /**
     * Octets a second of IP packets that the rest needs: its payload, and the headers of packets as large as those that have passed. Over TCP a
     * segment fills a packet of 1,500 octets. 0 if there is nothing to be carried in time.
     *
     * @param octets  that were counted of the session; over UDP of IP packets, over TCP of ANEP packets
     * @param payload in them
     */
    long wireRate(Transport transport, Prefix destination, long octets, long payload) {
        boolean four = destination == null || destination.network().getAddress().length == 4;
        boolean counts = payload >= MEANT;
        double factor = transport == Transport.TCP ? PACKET / (PACKET - (four ? TCP4 : TCP6)) * (counts ? (double) octets / payload : 1)
                : counts ? (double) octets / payload : PACKET / (PACKET - (four ? UDP4 : UDP6));
        return (long) Math.ceil(Math.min(Long.MAX_VALUE / 16.0, pace.rate() * factor));
    }

    private static long nanos(long millis) {
        // Days at most in one direction; in the other a deadline may be centuries away.
        return Math.max(-Long.MAX_VALUE / 4, Math.min(Long.MAX_VALUE / 4 / NANOS_PER_MILLI, millis) * NANOS_PER_MILLI);
    }
}
