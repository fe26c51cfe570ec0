package org.tamanoir.services.interest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.interest.wire.Frames;

/**
 * What waits for one neighbour: what is to be said first, then events in pieces of a packet. Beyond its bound the oldest events go, a piece at a time, and the neighbour is
 * told how many they were. Any thread.
 */
final class Outbox {
    /** Octets of a piece, unless one event is longer. */
    private static final int PIECE = 60_000;
    private static final int FIRST = 512;
    /** Octets that are to be said to somebody who does not listen. */
    private static final int MOST_SAID = 4 << 20;

    private final int most;
    private final long mostOfAll;
    private final Counters counters;
    private final Deque<ByteBuf> said = new ArrayDeque<>();
    private final Deque<Piece> events = new ArrayDeque<>();
    private int saidOctets;
    private int eventOctets;
    private long dropped;
    private boolean closed;

    private static final class Piece {
        private final ByteBuf octets;
        private int events;

        private Piece(int length) {
            octets = Unpooled.buffer(Math.max(FIRST, length), Math.max(PIECE, length));
        }
    }

    Outbox(Settings settings, Counters counters) {
        this.most = settings.waiting();
        this.mostOfAll = settings.waitingInAll();
        this.counters = counters;
    }

    /** Something to be said; given away. @throws AnepException EE-309 if so much has been said that nobody has taken */
    synchronized void say(ByteBuf frame) {
        if (closed) {
            return;
        }
        saidOctets += frame.readableBytes();
        if (saidOctets > MOST_SAID) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "it does not take what it is told");
        }
        said.add(frame);
    }

    /** An event, which is copied. */
    synchronized void event(ByteBuf in, int index, int length) {
        if (closed) {
            return;
        }
        while (!events.isEmpty() && (eventOctets + length > most || counters.waiting.sum() + length > mostOfAll)) {
            Piece oldest = events.poll();
            taken(oldest);
            dropped(oldest.events);
        }
        if (counters.waiting.sum() + length > mostOfAll) {
            dropped(1);
            return;
        }
        Piece last = events.peekLast();
        if (last == null || last.octets.readableBytes() + length > PIECE) {
            last = new Piece(length);
            events.add(last);
        }
        last.octets.writeBytes(in, index, length);
        last.events++;
        eventOctets += length;
        counters.waiting.add(length);
    }

    private void taken(Piece piece) {
        eventOctets -= piece.octets.readableBytes();
        counters.waiting.add(-piece.octets.readableBytes());
    }

    private void dropped(int count) {
        dropped += count;
        counters.dropped.add(count);
    }

    /** What goes next, or null; it is the caller's. */
    synchronized ByteBuf take() {
        ByteBuf next = said.poll();
        if (next != null) {
            saidOctets -= next.readableBytes();
            return next;
        }
        if (dropped > 0) {
            next = Frames.dropped(false, dropped);
            dropped = 0;
            return next;
        }
        Piece piece = events.poll();
        if (piece == null) {
            return null;
        }
        taken(piece);
        counters.out.add(piece.events);
        return piece.octets;
    }

    /** Nobody is there any more. */
    synchronized void close() {
        closed = true;
        events.forEach(this::taken);
        events.clear();
        said.clear();
    }
}
