package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.tamanoir.anep.Anep;

/** Receive buffers that leave room for a packet's header in front of what is read, and never hold more than one packet's payload. */
final class Headroom extends DefaultMaxMessagesRecvByteBufAllocator {
    private static final int SMALLEST = 1 << 10;
    private static final int FIRST = 16 << 10;

    private final AdaptiveRecvByteBufAllocator sizes = new AdaptiveRecvByteBufAllocator(SMALLEST, FIRST, Anep.MAX_PACKET);

    @Override
    @SuppressWarnings("deprecation")
    public RecvByteBufAllocator.Handle newHandle() {
        RecvByteBufAllocator.Handle size = sizes.newHandle();
        return new MaxMessageHandle() {
            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                int capacity = Math.min(Anep.MAX_PACKET, Anep.HEADER_SIZE + size.guess());
                return allocator.directBuffer(capacity, capacity).setIndex(Anep.HEADER_SIZE, Anep.HEADER_SIZE);
            }

            @Override
            public int guess() {
                return size.guess();
            }

            @Override
            public void attemptedBytesRead(int octets) {
                super.attemptedBytesRead(octets);
                size.attemptedBytesRead(octets);
            }

            @Override
            public void lastBytesRead(int octets) {
                super.lastBytesRead(octets);
                size.lastBytesRead(octets);
            }

            @Override
            public void readComplete() {
                super.readComplete();
                size.readComplete();
            }
        };
    }
}
