package org.tamanoir.dyram.source;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.Inet6Address;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.tamanoir.dyram.hop.Hop;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/** The packets that a source sends, each when the rate allows it: all of them once, in their order, and some again. */
final class Transmission {
    /** Octets of IP and UDP headers. */
    private static final int IPV4_UDP = 28;
    private static final int IPV6_UDP = 48;
    private static final long REPAIR_PATIENCE = 50_000_000;
    /** How long it waits for receivers that say nothing of what they hold: some round trips. */
    private static final long SILENT = 1_000_000_000;
    /** How long it waits for those that are looking: what they find need not be sent. A part of the time that sending everything takes. */
    private static final long LOOKING = 2_000_000_000L;
    private static final int PART = 10;
    /** Packets that are read for the digest alone before others have their turn. */
    private static final int MOST_SKIPPED = 256;

    private final SourceSettings settings;
    private final SessionTerms terms;
    private final SessionKey key;
    private final Content content;
    private final Hop hop;
    private final int headers;
    private final Set<Long> repairs = new LinkedHashSet<>();
    private Pace pace;
    private RateControl control;
    private byte[] digest;
    private long sent;
    private long skipped;
    private int skips;
    private long headSent = Long.MIN_VALUE;
    private boolean asked;
    private long repaired;
    private boolean repairedLast;

    /** @param hop where its packets go */
    Transmission(SourceSettings settings, SessionTerms terms, SessionKey key, Content content, Hop hop) {
        this.settings = settings;
        this.terms = terms;
        this.key = key;
        this.content = content;
        this.hop = hop;
        this.headers = Codec.DATA_OVERHEAD + (settings.group().getAddress() instanceof Inet6Address ? IPV6_UDP : IPV4_UDP);
    }

    /** Whether there is something that can leave. */
    boolean isReady() {
        return content.isReady();
    }

    /** From now on packets leave. */
    void begin(long now) {
        control = new RateControl(settings.rate(), now);
        pace = new Pace(control.step(now), now);
    }

    /** How a link is, which the rate may follow. */
    void report(Report report) {
        if (control != null) {
            control.report(report.delay(), report.loss(), report.rate());
        }
    }

    /** A packet is to be sent again. */
    void repair(long index) {
        repairs.add(index);
    }

    /** Nothing is to be sent again. */
    void end() {
        repairs.clear();
    }

    /** How long a repair may take to leave, in nanoseconds. */
    long patience() {
        int turns = isFinished() ? 1 : 2;
        return REPAIR_PATIENCE + (pace == null ? 0 : turns * repairs.size() * pace.time(terms.packetSize() + headers));
    }

    /**
     * Sends what is due.
     *
     * @param waiting whether nothing is to leave now
     * @return whether the last of the packets has left for the first time
     */
    boolean send(long now, boolean waiting) {
        pace.rate(control.step(now));
        boolean before = isFinished();
        skips = 0;
        while (!waiting && pace.maySend(now) && sendNext(now)) {
            if (isFinished() && digest == null) {
                digest = content.digest();
            }
        }
        return isFinished() && !before;
    }

    /** @return false if there is nothing to send */
    private boolean sendNext(long now) {
        // Repairs first, but never two while there is something new: who asks without end does not stop the others.
        boolean hasNew = !isFinished() && !isWaiting(now);
        if (!repairs.isEmpty() && !(repairedLast && hasNew)) {
            repairedLast = true;
            Iterator<Long> first = repairs.iterator();
            long index = first.next();
            first.remove();
            repaired++;
            send(now, index, true);
        } else if (!hasNew) {
            return false;
        } else if (hop.isHeldByAll(sent)) {
            return skip(now);
        } else {
            repairedLast = false;
            send(now, sent++, false);
        }
        return true;
    }

    /** A packet that nobody needs is read for the digest. @return false if others are to have their turn before the next */
    private boolean skip(long now) {
        content.read(sent++).release();
        skipped++;
        hop.sent(now, sent);
        return ++skips < MOST_SKIPPED;
    }

    /** Whether the receivers, who know what there is, have still to say what they hold of it. */
    private boolean isWaiting(long now) {
        if (asked || sent != content.head()) {
            return false;
        }
        if (headSent == Long.MIN_VALUE) {
            headSent = now;
        }
        long looking = Math.max(LOOKING, terms.packets() / PART * pace.time(terms.packetSize() + headers));
        asked = sent == 0 || (!hop.isSilent() || now - headSent > SILENT) && (!hop.isLooking() || now - headSent > looking);
        return !asked;
    }

    /** Whether everything waits for what receivers say that they hold. */
    boolean isWaiting() {
        return headSent != Long.MIN_VALUE && !asked;
    }

    private void send(long now, long index, boolean repair) {
        ByteBuf octets = content.read(index);
        Data data;
        int length = octets.readableBytes();
        try {
            data = Codec.make(key, settings.session(), terms.sequence(index), repair, octets, PooledByteBufAllocator.DEFAULT);
        } finally {
            octets.release();
        }
        try {
            int copies = hop.data(now, data);
            pace.sent((long) (length + headers) * copies);
        } finally {
            data.packet().release();
        }
    }

    /** When something is due; {@link Long#MAX_VALUE} if nothing is to be sent. */
    long deadline() {
        if (repairs.isEmpty() && (isFinished() || isWaiting())) {
            return Long.MAX_VALUE;
        }
        return isFinished() || isWaiting() || !hop.isHeldByAll(sent) ? pace.next(terms.packetSize() + headers) : pace.soonest();
    }

    /** Whether every packet was sent once. */
    boolean isFinished() {
        return sent == terms.packets();
    }

    /** SHA-256 of the whole; null before everything was sent once. */
    byte[] digest() {
        return digest;
    }

    /** The packet that is sent next for the first time. */
    long sent() {
        return sent;
    }

    /** Those before it that were not sent. */
    long skipped() {
        return skipped;
    }

    /** Packets that were sent again. */
    long repaired() {
        return repaired;
    }

    /** Bits a second; 0 before it has begun. */
    long rate() {
        return pace == null ? 0 : pace.rate();
    }
}
