package org.tamanoir.dyram.receiver;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.PacketRanges;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/** The packets of a session at one receiver: what is here, what is missing, and what is asked for. */
final class Reception {
    private final ReceiverSettings settings;
    private final Store store;
    private final MissingPackets missing = new MissingPackets();
    private final ReportInterval interval = new ReportInterval();
    private SessionTerms terms;
    private PacketSet have;
    /** The packet after the last that is known to have been sent. */
    private long next;
    /** Everything before it is there or in {@link #missing}. */
    private long scanned;
    private long lost;
    private long repaired;
    private long found;

    Reception(ReceiverSettings settings, Store store) {
        this.settings = settings;
        this.store = store;
    }

    /** The session is known. @throws AnepException if the store cannot take it */
    void open(long session, SessionTerms its) {
        have = store.open(session, its);
        terms = its;
    }

    /** Keeps a packet that is not here yet. @throws AnepException if the store cannot */
    void put(long now, long index, Data data) {
        store.put(index, data.body());
        have.add(index);
        missing.remove(index);
        repaired += data.repair() ? 1 : 0;
        interval.received(data.body().readableBytes() - SessionKey.TAG_LENGTH, data.repair());
        sent(now, index + 1);
    }

    /** Keeps a packet that was found here. @return false if it is here already @throws AnepException if the store cannot */
    boolean find(long index, ByteBuf body) {
        if (have.contains(index)) {
            return false;
        }
        store.put(index, body);
        have.add(index);
        missing.remove(index);
        found++;
        return true;
    }

    /** What is here of the packets that are still to be sent: those that come next. @param most so many ranges at most */
    PacketRanges ahead(int most) {
        PacketRanges.Builder ranges = new PacketRanges.Builder();
        for (long index = have.nextPresent(next); index < have.size() && ranges.size() < most; ) {
            long end = have.nextMissing(index);
            ranges.add(index, end);
            index = have.nextPresent(end);
        }
        return ranges.build();
    }

    /** All packets before this one have been sent. */
    void sent(long now, long upTo) {
        next = Math.max(next, upTo);
        fill(now);
    }

    /** Puts what is known to have been sent and is not here among the missing, as far as there is room. */
    void fill(long now) {
        while (scanned < next && missing.size() < settings.window()) {
            long index = have.nextMissing(scanned);
            if (index >= next) {
                scanned = next;
                return;
            }
            missing.add(index, now + settings.gather().toNanos());
            scanned = index + 1;
            lost++;
            interval.lost();
        }
    }

    /** The node has asked for these, and they come before a time. @return ranges that cannot be */
    int postpone(long now, Losses losses, long until) {
        int refused = 0;
        for (Losses.Range range : losses.ranges()) {
            if (!terms.contains(range)) {
                refused++;
                continue;
            }
            long first = terms.index(range.first());
            sent(now, first + range.count());
            for (int i = 0; i < range.count(); i++) {
                missing.postpone(first + i, until);
            }
        }
        return refused;
    }

    /** Nothing more is asked for. */
    void giveUp() {
        scanned = Long.MAX_VALUE;
        missing.clear();
    }

    /** Packets that are here. */
    long count() {
        return have == null ? 0 : have.count();
    }

    PacketSet have() {
        return have;
    }

    MissingPackets missing() {
        return missing;
    }

    ReportInterval interval() {
        return interval;
    }

    long next() {
        return next;
    }

    /** Packets that did not come with the stream. */
    long lost() {
        return lost;
    }

    /** Packets that were found here. */
    long found() {
        return found;
    }

    long repaired() {
        return repaired;
    }
}
