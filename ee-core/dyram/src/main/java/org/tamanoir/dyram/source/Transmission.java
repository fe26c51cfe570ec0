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
        if (!repairs.isEmpty() && !(repairedLast && !isFinished())) {
            repairedLast = true;
            Iterator<Long> first = repairs.iterator();
            long index = first.next();
            first.remove();
            repaired++;
            send(now, index, true);
        } else if (!isFinished()) {
            repairedLast = false;
            send(now, sent++, false);
        } else {
            return false;
        }
        return true;
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
        return repairs.isEmpty() && isFinished() ? Long.MAX_VALUE : pace.next(terms.packetSize() + headers);
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

    /** Packets that were sent again. */
    long repaired() {
        return repaired;
    }

    /** Bits a second; 0 before it has begun. */
    long rate() {
        return pace == null ? 0 : pace.rate();
    }
}
