package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.tamanoir.anep.Anep;

/**
 * Receive buffers that leave room for a packet's header in front of what is read, and never hold more than one packet's payload. Their
 * size follows the traffic of the connection: a read that fills one makes the next four times as large, many small ones make it smaller.
 */
final class Headroom extends DefaultMaxMessagesRecvByteBufAllocator {
    static final int SMALLEST = 2 << 10;
    private static final int FACTOR = 4;
    /** Small reads in a row before the size falls. */
    private static final int PATIENCE = 8;

    @Override
    @SuppressWarnings("deprecation")
    public RecvByteBufAllocator.Handle newHandle() {
        return new MaxMessageHandle() {
            private int size = SMALLEST;
            private int smallReads;

            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return allocator.directBuffer(size, size).setIndex(Anep.HEADER_SIZE, Anep.HEADER_SIZE);
            }

            @Override
            public int guess() {
                return size;
            }

            @Override
            public void lastBytesRead(int octets) {
                super.lastBytesRead(octets);
                if (octets > 0 && octets == attemptedBytesRead()) {
                    size = Math.min(Anep.MAX_PACKET, size * FACTOR);
                    smallReads = 0;
                } else if (octets > size / (2 * FACTOR)) {
                    smallReads = 0;
                } else if (octets > 0 && ++smallReads > PATIENCE) {
                    size = Math.max(SMALLEST, size / FACTOR);
                    smallReads = 0;
                }
            }
        };
    }
}
