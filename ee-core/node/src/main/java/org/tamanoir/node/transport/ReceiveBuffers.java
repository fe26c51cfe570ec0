package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;

/**
 * The big receive buffers of one event loop. A connection takes one when data is there and gives it back when all of it has been passed
 * on, so idle connections hold none and busy ones meet a buffer that is still in the cache.
 *
 * <p>A buffer that is given back while a slow peer still holds a slice of it waits in a queue until the slice is gone. Used by its own
 * loop only.
 */
final class ReceiveBuffers {
    /** Octets in a buffer. Large enough for few system calls, small enough to stay in the cache; docs/performance.md. */
    static final int SIZE = 512 * 1024;
    /** Free buffers that a loop keeps; more are released. */
    private static final int KEPT = 8;
    /** Buffers waiting for slow peers that a loop allows; beyond it a connection reads into small buffers that nothing else shares. */
    private static final int LENT = 128;
    /** Octets in a small buffer: one packet of any size fits after the tail of another. */
    private static final int SMALL = 64 * 1024;

    private static final FastThreadLocal<ReceiveBuffers> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected ReceiveBuffers initialValue() {
            return new ReceiveBuffers();
        }

        @Override
        protected void onRemoval(ReceiveBuffers buffers) {
            buffers.releaseAll();
        }
    };

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final ArrayDeque<ByteBuf> free = new ArrayDeque<>();
    private final ArrayDeque<ByteBuf> lent = new ArrayDeque<>();

    private ReceiveBuffers() {
    }

    /** The buffers of the loop that calls. */
    static ReceiveBuffers ofThisLoop() {
        return OF_LOOP.get();
    }

    /** An empty buffer with one reference, which {@link #give} takes back. */
    ByteBuf take() {
        ByteBuf buffer = free.pollLast();
        if (buffer != null) {
            return buffer;
        }
        reclaim();
        buffer = free.pollLast();
        if (buffer != null) {
            return buffer;
        }
        return allocator.directBuffer(lent.size() < LENT ? SIZE : SMALL);
    }

    /** Takes a buffer back; others may still hold slices of it. */
    void give(ByteBuf buffer) {
        if (buffer.refCnt() == 1) {
            keep(buffer);
        } else if (buffer.capacity() == SIZE && lent.size() < LENT) {
            lent.addLast(buffer);
        } else {
            buffer.release();
        }
    }

    /** Moves what has come back to the free buffers. */
    private void reclaim() {
        for (int i = lent.size(); i > 0; i--) {
            ByteBuf buffer = lent.pollFirst();
            if (buffer.refCnt() == 1) {
                keep(buffer);
            } else {
                lent.addLast(buffer);
            }
        }
    }

    private void keep(ByteBuf buffer) {
        if (buffer.capacity() == SIZE && free.size() < KEPT) {
            free.addLast(buffer.clear());
        } else {
            buffer.release();
        }
    }

    private void releaseAll() {
        free.forEach(ByteBuf::release);
        lent.forEach(ByteBuf::release);
        free.clear();
        lent.clear();
    }
}
