package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.StreamContext;

/**
 * Stands at the end of the way to the destination while there is no connection to the next hop ({@link StreamContext#connectLater}): keeps what comes until the
 * first payload has the connection made. On the loop of the stream.
 */
final class LateStage extends Stage {
    /** Octets of packets without payload that may wait; the first of a stream is one. */
    private static final int MOST_EMPTY = 64 * 1024;

    private final LoopMemory memory;
    private final Runnable wanted;
    private final Runnable never;
    private final Deque<Held> held = new ArrayDeque<>();
    private int octets;
    private boolean asked;
    private boolean ended;

    private record Held(ByteBuf packet, int codePoint) {
    }

    /**
     * Nothing has come yet.
     *
     * @param wanted has the connection made; called once, {@link #to} follows
     * @param never  the direction has ended and needs none
     */
    LateStage(LoopMemory memory, Runnable wanted, Runnable never) {
        super(null);
        this.memory = memory;
        this.wanted = wanted;
        this.never = never;
    }

    @Override
    public void packet(Packet packet) {
        if (next() != null) {
            next().packet(packet);
            return;
        }
        held.add(new Held(memory.copy(packet.buffer(), packet.offset(), packet.length()), packet.codePoint()));
        octets += packet.length();
        if (!asked && (packet.payloadLength() > 0 || octets > MOST_EMPTY)) {
            asked = true;
            wanted.run();
        }
    }

    /** The connection stands: what was kept goes there, and so does what follows. */
    void to(Stage last) {
        next(last);
        while (!held.isEmpty()) {
            Held first = held.poll();
            ByteBuf octets = first.packet();
            last.packet(new Packet().wrap(octets, octets.readerIndex(), octets.readableBytes()).receivedNanos(System.nanoTime()).codePoint(first.codePoint()));
            octets.release();
        }
        last.flush();
        if (ended) {
            last.end();
        }
    }

    /** Lets go of what was kept. */
    void release() {
        held.forEach(each -> each.packet().release());
        held.clear();
    }

    @Override
    public void flush() {
        if (next() != null) {
            next().flush();
        }
    }

    @Override
    public void end() {
        ended = true;
        if (next() != null) {
            next().end();
        } else if (!asked) {
            never.run();
        }
    }

    @Override
    public void mark(int codePoint) {
        if (next() != null) {
            next().mark(codePoint);
        }
    }
}
