package org.tamanoir.client.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.client.gateway.Gateway.Headroom;

class HeadroomTest {
    @SuppressWarnings("deprecation")
    private final RecvByteBufAllocator.Handle handle = new Headroom().newHandle();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    /** One read as a channel makes it; returns the capacity of the buffer that was offered. */
    private int read(int octets) {
        handle.reset(channel.config());
        ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
        assertThat(buffer.readerIndex()).as("room for a header").isEqualTo(Anep.HEADER_SIZE);
        int capacity = buffer.capacity();
        assertThat(buffer.writableBytes()).as("one packet holds it").isLessThanOrEqualTo(Anep.MAX_PAYLOAD);
        handle.attemptedBytesRead(buffer.writableBytes());
        handle.lastBytesRead(Math.min(octets, buffer.writableBytes()));
        handle.incMessagesRead(1);
        handle.readComplete();
        buffer.release();
        return capacity;
    }

    /** A thousand programs that speak in small messages hold a thousand small buffers, however long they speak. */
    @Test
    void smallMessagesAreReadIntoSmallBuffers() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(read(256)).isEqualTo(Headroom.SMALLEST);
        }
    }

    @Test
    void aTransferGetsTheLargestBufferSoonAndGivesItBackWhenItIsOver() {
        for (int i = 0; i < 3; i++) {
            read(1 << 20);
        }
        assertThat(read(1 << 20)).isEqualTo(Anep.MAX_PACKET);
        for (int i = 0; i < 30; i++) {
            read(100);
        }
        assertThat(read(100)).isEqualTo(Headroom.SMALLEST);
    }
}
