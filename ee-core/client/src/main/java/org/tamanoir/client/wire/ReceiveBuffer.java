package org.tamanoir.client.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.function.IntSupplier;

/**
 * The receive buffer of one TCP channel. It stays from read to read, so that a packet that came in part lies whole in it after the next
 * read and nothing is copied; only when it is full, what is not yet parsed (less than a packet) moves to the next one.
 *
 * <p>The reader index of the buffer is where parsing stands. Its size follows the traffic, {@value #SMALLEST} to {@value #LARGEST}
 * octets; a channel that is idle between packets holds none.
 */
final class ReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
    static final int SMALLEST = 4 << 10;
    static final int LARGEST = 512 << 10;

    private final IntSupplier most;
    private ByteBuf current;
    private int size = SMALLEST;
    private int smallReads;

    ReceiveBuffer() {
        this(() -> LARGEST);
    }

    /** @param most octets that a buffer may have just now, but for what a packet needs */
    ReceiveBuffer(IntSupplier most) {
        this.most = most;
    }

    /** Called by the channel once. */
    @Override
    @SuppressWarnings("deprecation")
    public RecvByteBufAllocator.Handle newHandle() {
        return new ReadHandle();
    }

    /** What the last reads brought and nobody has parsed, between the buffer's indices; null if there is nothing. */
    ByteBuf current() {
        return current;
    }

    /** What came by another way than a read of the channel, behind what is not parsed; its reference is the caller's. */
    ByteBuf append(ByteBuf octets, ByteBufAllocator allocator) {
        size = Math.min(LARGEST, Math.max(size, octets.readableBytes()));
        while (octets.isReadable()) {
            ByteBuf room = roomy(allocator);
            room.writeBytes(octets, Math.min(room.writableBytes(), octets.readableBytes()));
        }
        return current;
    }

    /** Gives the buffer back unless a packet in part is in it. Slices that others hold keep it alive. */
    void releaseIfParsed() {
        if (current != null && !current.isReadable()) {
            release();
        }
    }

    /** Gives the buffer back. */
    void release() {
        if (current != null) {
            current.release();
            current = null;
        }
    }

    /** Makes sure that there is room to read. */
    private ByteBuf roomy(ByteBufAllocator allocator) {
        if (current == null) {
            size = Math.max(SMALLEST, Math.min(size, most.getAsInt()));
            current = allocator.directBuffer(size, size);
        } else if (current.writableBytes() < Math.min(size / 4, LARGEST / 16)) {
            int unparsed = current.readableBytes();
            int capacity = Math.max(size, 2 * unparsed);
            ByteBuf next = allocator.directBuffer(capacity, capacity).writeBytes(current, current.readerIndex(), unparsed);
            current.release();
            current = next;
        }
        return current;
    }

    private final class ReadHandle extends MaxMessageHandle {
        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return roomy(allocator).retain();
        }

        @Override
        public void lastBytesRead(int octets) {
            super.lastBytesRead(octets);
            if (octets > 0 && octets == attemptedBytesRead()) {
                size = Math.min(LARGEST, size * 4);
                smallReads = 0;
            } else if (octets > 0 && octets < size / 8 && ++smallReads > 8) {
                size = Math.max(SMALLEST, size / 4);
                smallReads = 0;
            }
        }

        @Override
        public int guess() {
            return size;
        }
    }
}
