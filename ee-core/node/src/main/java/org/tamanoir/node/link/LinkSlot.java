package org.tamanoir.node.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.link.LinkCounters.Drop;
import org.tamanoir.node.service.RunningService;

/**
 * Where one service has its handler on one event loop. What comes up on that loop is shown to the handler as it is; what comes up on
 * another is copied and waits here, within bounds. The handler is opened by its first datagram.
 */
final class LinkSlot implements Runnable {
    /** Datagrams that may wait. */
    static final int MOST = 8192;
    /** Octets that may wait. */
    static final int MOST_OCTETS = 4 << 20;
    /** Datagrams that are shown in one turn, before others of the loop have theirs. */
    private static final int TURN = 512;

    private record Waiting(ByteBuf datagram, InetSocketAddress from) {
    }

    private final LinkType type;
    private final LinkLoop loop;
    private final Queue<Waiting> queue = PlatformDependent.newMpscQueue(MOST);
    private final AtomicInteger octets = new AtomicInteger();
    /** Whether somebody will wake this slot, or has. */
    private final AtomicBoolean awaited = new AtomicBoolean();
    private OpenLinks open;
    private boolean touched;

    LinkSlot(LinkType type, LinkLoop loop) {
        this.type = type;
        this.loop = loop;
    }

    LinkLoop loop() {
        return loop;
    }

    // From other loops.

    /**
     * Keeps a copy of a datagram for the handler.
     *
     * @return whether the caller is the one who must {@link #wake} this slot when it has read what there is
     */
    boolean offer(Packet packet, InetSocketAddress from) {
        int length = packet.length();
        if (octets.addAndGet(length) > MOST_OCTETS) {
            octets.addAndGet(-length);
            loop.counters().drop(Drop.NO_ROOM);
            return false;
        }
        ByteBuf copy = PooledByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(packet.buffer(), packet.offset(), length);
        if (!queue.offer(new Waiting(copy, from))) {
            drop(copy, Drop.NO_ROOM);
            return false;
        }
        return !awaited.get() && awaited.compareAndSet(false, true);
    }

    /** Lets the handler's loop look at what waits, and at whether the handler is still that of the current version. */
    void wake() {
        try {
            loop.execute(this);
        } catch (RejectedExecutionException e) {
            // The loop has ended and with it whoever else could empty the queue.
            for (Waiting next = queue.poll(); next != null; next = queue.poll()) {
                drop(next.datagram(), Drop.NO_HANDLER);
            }
        }
    }

    private void drop(ByteBuf datagram, Drop reason) {
        octets.addAndGet(-datagram.readableBytes());
        datagram.release();
        loop.counters().drop(reason);
    }

    // On its own loop.

    @Override
    public void run() {
        awaited.set(false);
        if (open != null && open.running() != type.current()) {
            close();
        }
        long now = System.nanoTime();
        for (int i = 0; i < TURN; i++) {
            Waiting next = queue.poll();
            if (next == null) {
                break;
            }
            ByteBuf datagram = next.datagram();
            octets.addAndGet(-datagram.readableBytes());
            try {
                show(datagram, datagram.readerIndex(), datagram.readableBytes(), next.from(), now);
            } finally {
                datagram.release();
            }
        }
        readComplete();
        loop.flush();
        if (!queue.isEmpty() && awaited.compareAndSet(false, true)) {
            wake();
        }
    }

    /**
     * Shows a datagram that has just been read to the handler, without copying it.
     *
     * @return whether this is the first since {@link #readComplete}
     */
    boolean read(Packet packet, InetSocketAddress from, long nanos) {
        boolean first = !touched;
        show(packet.buffer(), packet.offset(), packet.length(), from, nanos);
        return first && touched;
    }

    private void show(ByteBuf buffer, int offset, int length, InetSocketAddress from, long nanos) {
        OpenLinks links = handler();
        if (links == null) {
            loop.counters().drop(Drop.NO_HANDLER);
            return;
        }
        touched = true;
        if (!links.packet(buffer, offset, length, from, nanos)) {
            loop.counters().drop(Drop.SERVICE_FAILED);
        }
    }

    private OpenLinks handler() {
        RunningService now = type.current();
        if (open != null && open.running() != now) {
            close();
        }
        if (open == null && now != null) {
            open = OpenLinks.open(now, loop);
        }
        return open;
    }

    /** Nothing more comes for the moment. */
    void readComplete() {
        if (touched) {
            touched = false;
            if (open != null) {
                open.readComplete();
            }
        }
    }

    private void close() {
        OpenLinks old = open;
        open = null;
        old.close();
    }

    /** What the handler says of itself, on its loop; null if there is none. */
    Map<String, Object> report() {
        return open == null ? null : open.report();
    }
}
