package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.tamanoir.anep.MalformedPacketException;

/**
 * The reading half of a TCP connection: says where the transport reads to, when it reads nothing, and what came ahead of the reader. On the
 * connection's event loop.
 */
final class TcpInput {
    /** How long it waits for memory before it looks again. */
    private static final long STARVED_MILLIS = 50;
    private static final int RECORDS = 64 * 1024;

    private final Channel channel;
    private final boolean tls;
    private final PacketReader reader;
    private final TcpLeg leg;
    private boolean starved;
    private boolean paused;
    /** Where the transport reads to now. */
    private ByteBuf reading;
    /** What came by TLS, or before this was there, and the reader has not taken yet; null until there is some. */
    private ArrayDeque<ByteBuf> ahead;
    private boolean endsBehind;

    /** @param reads the allocator that the channel has already; null for none */
    TcpInput(Channel channel, boolean tls, PacketReader reader, Reads reads, TcpLeg leg) {
        this.channel = channel;
        this.tls = tls;
        this.reader = reader;
        this.leg = leg;
        IntFunction<ByteBuf> next = tls ? this::nextRecords : this::nextRead;
        if (reads == null) {
            channel.config().setRecvByteBufAllocator(budget(channel, next));
        } else {
            reads.to(next);
        }
    }

    static ReadBudget budget(Channel channel, IntFunction<ByteBuf> next) {
        return new ReadBudget(next, () -> LoopTurn.begin(channel.eventLoop()));
    }

    /**
     * Where to read to. A peer that has finished makes Netty's epoll read on to the end whatever {@code autoRead} says
     * (docs/decisions/0003); what would be read then has no bound here, so a paused leg ends the reading by an exception.
     */
    private ByteBuf nextRead(int most) {
        if (reader.isStopped() && !reader.isDiscarding()) {
            // Not when it was stopped: a stream is opened so soon as a rule that nothing comes meanwhile, and the kernel need not be told.
            pause(true);
        }
        // First what came before. A leg that reads nothing although it could would not be asked again.
        takeAhead();
        if (isPaused()) {
            throw ReadPaused.INSTANCE;
        }
        reading = reader.nextRead(most);
        if (reading == null) {
            starve();
            throw ReadPaused.INSTANCE;
        }
        return reading;
    }

    /** Where to read TLS records to; what is in them comes by way of {@link #ahead}. */
    private ByteBuf nextRecords(int most) {
        if (reader.isStopped() && !reader.isDiscarding()) {
            pause(true);
        }
        if (isPaused()) {
            throw ReadPaused.INSTANCE;
        }
        return channel.alloc().directBuffer(RECORDS);
    }

    /** Before a leg is there a connection reads a little; later to where the leg says. The transport asks for its allocator once. */
    static final class Reads implements IntFunction<ByteBuf> {
        private static final int FIRST = 16 * 1024;
        private IntFunction<ByteBuf> to;

        void to(IntFunction<ByteBuf> leg) {
            to = leg;
        }

        @Override
        public ByteBuf apply(int most) {
            return to == null ? PooledByteBufAllocator.DEFAULT.directBuffer(FIRST) : to.apply(most);
        }
    }

    private boolean isAhead() {
        return ahead != null && !ahead.isEmpty();
    }

    /** Hands what came ahead to the reader, as far as it takes it now. */
    private void takeAhead() {
        while (isAhead() && (reader.isDiscarding() || !leg.isGone() && !reader.isStopped() && !isPaused())) {
            ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
            if (room == null) {
                starve();
                return;
            }
            while (isAhead() && room.isWritable()) {
                ByteBuf from = ahead.peek();
                room.writeBytes(from, Math.min(room.writableBytes(), from.readableBytes()));
                if (!from.isReadable()) {
                    ahead.poll().release();
                }
            }
            guarded(() -> reader.read(room));
        }
        if (!isAhead() && endsBehind) {
            endsBehind = false;
            leg.inputEnded();
        }
    }

    void resume() {
        takeAhead();
        if (!leg.isGone()) {
            reader.readComplete();
        }
    }

    /** Lets go of what nobody will read. */
    void drop() {
        if (isAhead()) {
            ahead.forEach(ByteBuf::release);
            ahead.clear();
        }
    }

    /** Reads nothing for a moment, as there is no memory for it. */
    private void starve() {
        starved = true;
        channel.config().setAutoRead(false);
        channel.eventLoop().schedule(() -> {
            starved = false;
            if (!leg.isGone() && !paused) {
                channel.config().setAutoRead(true);
                resume();
            }
        }, STARVED_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Stops or resumes reading from the socket. */
    void pause(boolean pause) {
        paused = pause;
        if (pause || !leg.hasEnded() && !starved) {
            channel.config().setAutoRead(!pause);
        }
        if (!pause && isAhead()) {
            channel.eventLoop().execute(this::resume);
        }
    }

    /** Whether the peer is being made to wait. */
    boolean isPaused() {
        return !channel.config().isAutoRead();
    }

    void guarded(Runnable reading) {
        try {
            reading.run();
        } catch (MalformedPacketException e) {
            leg.broken(e);
        }
    }

    void read(ByteBuf message) {
        if (message == reading) {
            reading = null;
            guarded(() -> reader.read(message));
            return;
        }
        if (ahead == null) {
            ahead = new ArrayDeque<>();
        }
        ahead.add(message);
        if (!tls) {
            takeAhead();
        }
    }

    void readComplete() {
        // The records of a turn together: each alone would be a write of its own.
        resume();
    }

    /** The peer ends its direction: once what came ahead is read. */
    void ended() {
        if (isAhead() && !leg.isGone()) {
            endsBehind = true;
        } else {
            leg.inputEnded();
        }
    }

    boolean endsBehind() {
        return endsBehind;
    }

    /** Octets of memory that are held for what came ahead. */
    long retained() {
        return isAhead() ? ahead.stream().mapToLong(ByteBuf::capacity).sum() : 0;
    }

    /** Not an error: tells the transport that this leg reads nothing now. */
    static final class ReadPaused extends RuntimeException {
        static final ReadPaused INSTANCE = new ReadPaused();

        private ReadPaused() {
            super("the leg is paused", null, false, false);
        }
    }
}
