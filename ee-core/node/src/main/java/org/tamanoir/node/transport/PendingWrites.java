package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.WriteBufferWaterMark;

/**
 * What is written to one connection and waits for its peer. It stays in the receive buffers that it came in as long as few connections
 * are in that position, and is moved into a buffer of its own size otherwise, so that the account of the loop has all of it. On the loop.
 */
final class PendingWrites implements LoopMemory.InPlace {
    /** Makes Netty say when the last octet that waits has left. */
    private static final WriteBufferWaterMark ANYTHING = new WriteBufferWaterMark(1, 1);

    private final Channel channel;
    private final ChannelOutboundInvoker below;
    private final LoopMemory memory;
    private boolean unflushed;
    /** A call from here writes or flushes: what Netty says of room meanwhile is no news. */
    private boolean writing;
    private boolean waits;
    private boolean sealed;

    /** @param below where what waits goes that is moved: with TLS it is encrypted already */
    PendingWrites(Channel channel, ChannelOutboundInvoker below, LoopMemory memory) {
        this.channel = channel;
        this.below = below;
        this.memory = memory;
        channel.config().setWriteBufferWaterMark(ANYTHING);
    }

    /** Puts a buffer behind what waits; the reference is given away. Nothing leaves before {@link #flush}. */
    void add(ByteBuf buffer) {
        unflushed = true;
        writing = true;
        channel.write(buffer, channel.voidPromise());
        writing = false;
    }

    /** Gives the system what it takes; returns whether {@link #waits} has changed by that. */
    boolean flush() {
        if (!unflushed) {
            return false;
        }
        unflushed = false;
        writing = true;
        channel.flush();
        writing = false;
        boolean before = waits;
        waits(octets() > 0);
        if (waits) {
            keep();
        }
        return waits != before;
    }

    /** Whether the peer has not taken everything that was flushed. */
    boolean waits() {
        return waits;
    }

    /** Netty says that there is room, or none; returns whether the peer has taken everything after it had not. */
    boolean roomChanged() {
        boolean drained = !writing && waits && channel.isWritable();
        if (drained) {
            waits(false);
        }
        return drained;
    }

    /** Octets that wait, with what Netty counts for each buffer. */
    long octets() {
        ChannelOutboundBuffer waiting = waiting();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    /** Octets that the peer has taken of the first buffer that waits; they are among {@link #octets} until it has taken all of it. */
    long progress() {
        ChannelOutboundBuffer waiting = waiting();
        return waiting == null ? 0 : waiting.currentProgress();
    }

    /** A promise is about to stand behind what waits: from now on nothing is moved, or the promise would come true by being moved. */
    void seal() {
        moveOut();
        sealed = true;
    }

    /** There is no such promise any more. */
    void unseal() {
        sealed = false;
    }

    /** The connection is gone, and with it what waited. */
    void drop() {
        waits(false);
    }

    private void waits(boolean now) {
        if (waits != now) {
            waits = now;
            memory.keeps(now);
            if (!now) {
                memory.leaves(this, false);
            }
        }
    }

    private void keep() {
        boolean[] foreign = new boolean[1];
        try {
            waiting().forEachFlushedMessage(message -> {
                foreign[0] |= !memory.counts((ByteBuf) message);
                return !foreign[0];
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        if (foreign[0]) {
            moveOut();
        } else {
            memory.leaves(this, true);
        }
    }

    private ChannelOutboundBuffer waiting() {
        return channel.unsafe().outboundBuffer();
    }

    @Override
    public void moveOut() {
        memory.leaves(this, false);
        ChannelOutboundBuffer out = waiting();
        // What is not flushed comes after what is.
        if (!waits || sealed || unflushed || out == null || out.size() == 1 && isOwn(out.current())) {
            return;
        }
        ByteBuf own = memory.allocator().directBuffer((int) octets());
        writing = true;
        for (ByteBuf next = (ByteBuf) out.current(); next != null; next = (ByteBuf) out.current()) {
            own.writeBytes(next, next.readerIndex(), next.readableBytes());
            out.remove();
        }
        below.writeAndFlush(own, channel.voidPromise());
        writing = false;
    }

    private boolean isOwn(Object message) {
        return message instanceof ByteBuf buffer && memory.counts(buffer) && buffer.unwrap() == null;
    }
}
