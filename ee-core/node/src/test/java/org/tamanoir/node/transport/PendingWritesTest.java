package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What waits for a peer or a socket that takes little: every octet leaves once and in order, and what it costs is in the account. */
class PendingWritesTest {
    private static final long MB = 1 << 20;

    /** A connection whose peer takes as many octets as the test says, and no more. */
    private static final class Reluctant extends EmbeddedChannel {
        private final ByteBuf taken = Unpooled.buffer();
        private long takes;

        @Override
        protected void doWrite(ChannelOutboundBuffer out) {
            for (Object message = out.current(); message != null && takes > 0; message = out.current()) {
                ByteBuf next = (ByteBuf) message;
                int octets = (int) Math.min(takes, next.readableBytes());
                taken.writeBytes(next, next.readerIndex(), octets);
                takes -= octets;
                out.removeBytes(octets);
            }
        }

        void takes(long octets) {
            takes = octets;
            // As Netty does when the socket has room: what is not flushed stays.
            doWrite(unsafe().outboundBuffer());
        }
    }

    @Property(tries = 200)
    void everyOctetLeavesOnceAndInOrder(@ForAll long seed) {
        Random random = new Random(seed);
        LoopMemory memory = new LoopMemory(() -> 64 * MB);
        Reluctant channel = new Reluctant();
        PendingWrites writes = new PendingWrites(channel, channel, memory);
        boolean[] drained = new boolean[1];
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                drained[0] |= writes.roomChanged();
            }
        });
        ByteBuf expected = Unpooled.buffer();
        for (int step = 0; step < 100; step++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    byte[] octets = new byte[1 + random.nextInt(random.nextBoolean() ? 50 : 50_000)];
                    random.nextBytes(octets);
                    expected.writeBytes(octets);
                    ByteBuf whole = random.nextBoolean() ? memory.take() : PooledByteBufAllocator.DEFAULT.directBuffer();
                    writes.add(whole.writeBytes(octets).retainedSlice());
                    if (whole.alloc() == memory.allocator()) {
                        memory.give(whole);
                    } else {
                        whole.release();
                    }
                }
                case 2 -> writes.flush();
                case 3 -> channel.takes(random.nextInt(60_000));
                default -> writes.moveOut();
            }
        }
        writes.flush();
        assertThat(writes.waits()).isEqualTo(channel.taken.readableBytes() < expected.readableBytes());
        drained[0] = false;
        boolean waited = writes.waits();
        channel.takes(Long.MAX_VALUE);
        assertThat(drained[0]).as("told that the peer has taken everything").isEqualTo(waited);
        assertThat(channel.taken).isEqualTo(expected);
        memory.tidy();
        assertThat(memory.retained()).isZero();
        memory.close();
    }

    /** Datagrams of 64 octets, one in each receive buffer: what waits for a blocked socket keeps itself, and not what it came in. */
    @Test
    void datagramsThatWaitDoNotKeepTheBuffersThatTheyCameIn() {
        LoopMemory memory = new LoopMemory(() -> 128 * MB);
        List<UdpLeg> legs = new ArrayList<>();
        int refused = 0;
        for (int stream = 0; stream < 25; stream++) {
            UdpLeg leg = new UdpLeg(memory);
            Reluctant channel = new Reluctant();
            channel.config().setWriteBufferWaterMark(new io.netty.channel.WriteBufferWaterMark(UdpSockets.PENDING / 2, UdpSockets.PENDING));
            leg.opened(channel);
            legs.add(leg);
        }
        for (int i = 0; i < 3000; i++) {
            for (UdpLeg leg : legs) {
                ByteBuf read = memory.take();
                read.writeZero(64);
                refused += leg.write(read.retainedSlice(0, 64), null) ? 0 : 1;
                leg.flush();
                memory.give(read);
            }
        }
        memory.tidy();
        assertThat(refused).as("datagrams beyond what may wait").isPositive();
        assertThat(legs).allMatch(leg -> leg.pending() > 0);
        assertThat(memory.retained()).as("octets retained for 25 streams into a blocked link").isLessThan(25 * UdpSockets.PENDING);
        legs.forEach(UdpLeg::close);
        memory.tidy();
        assertThat(memory.retained()).isZero();
        memory.close();
    }
}
