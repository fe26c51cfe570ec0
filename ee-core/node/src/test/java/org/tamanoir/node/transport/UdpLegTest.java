package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/** Datagrams of one socket, which is an embedded channel: what is read is lent, what is written leaves once or is counted. */
class UdpLegTest {
    private static final InetSocketAddress FROM = new InetSocketAddress("192.0.2.1", 3322);
    private static final InetSocketAddress TO = new InetSocketAddress("192.0.2.2", 3322);

    /** A socket that takes as many datagrams as the test says. */
    private static final class Socket extends EmbeddedChannel {
        private final List<String> taken = new ArrayList<>();
        private int takes = Integer.MAX_VALUE;
        private int codePoint;
        private final ChannelConfig config = new DefaultChannelConfig(this) {
            @Override
            public <T> boolean setOption(ChannelOption<T> option, T value) {
                if (option == ChannelOption.IP_TOS) {
                    codePoint = (int) value >> UdpLeg.DSCP_SHIFT;
                    return true;
                }
                return super.setOption(option, value);
            }
        };

        @Override
        public ChannelConfig config() {
            return config == null ? super.config() : config;
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer out) {
            for (Object next = out.current(); next != null && takes > 0; next = out.current()) {
                ByteBuf octets = next instanceof DatagramPacket datagram ? datagram.content() : (ByteBuf) next;
                String to = next instanceof DatagramPacket datagram ? " to " + datagram.recipient().getAddress().getHostAddress() : "";
                taken.add(octets.readableBytes() + (codePoint == 0 ? "" : " as " + codePoint) + to);
                takes--;
                out.remove();
            }
        }

        void takes(int datagrams) {
            takes = datagrams;
            doWrite(unsafe().outboundBuffer());
        }
    }

    private final AtomicLong limit = new AtomicLong(64 << 20);
    private final LoopMemory memory = new LoopMemory(limit::get);
    private final UdpLeg leg = new UdpLeg(memory);
    private final Socket socket = new Socket();
    private final List<String> heard = new ArrayList<>();
    private final List<ByteBuf> kept = new ArrayList<>();
    private boolean keeps;

    UdpLegTest() {
        socket.config().setWriteBufferWaterMark(new WriteBufferWaterMark(UdpSockets.PENDING / 2, UdpSockets.PENDING));
        socket.pipeline().addLast(leg);
        leg.opened(socket);
        leg.receiver(new UdpLeg.Receiver() {
            @Override
            public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
                heard.add(length + " from " + sender.getAddress().getHostAddress() + ", first " + buffer.getByte(offset));
                if (keeps) {
                    kept.add(buffer.retainedSlice(offset, length));
                }
                if (length == 13) {
                    throw new IllegalArgumentException("13");
                }
            }

            @Override
            public void readComplete() {
                heard.add("complete");
            }

            @Override
            public void unreachable() {
                heard.add("unreachable");
            }
        });
    }

    @AfterEach
    void nothingLeaks() {
        kept.forEach(ByteBuf::release);
        socket.close();
        memory.tidy();
        assertThat(memory.retained()).isZero();
        memory.close();
    }

    /** Reads as Netty's datagram channels do: the buffer that the leg names, then the datagram in it. */
    private ByteBuf arrives(int octets, int first) {
        ByteBuf room = leg.budget().newHandle().allocate(socket.alloc());
        assertThat(room.writableBytes()).isGreaterThanOrEqualTo(0xFFFF);
        room.writeZero(octets).setByte(room.readerIndex(), first);
        socket.pipeline().fireChannelRead(new DatagramPacket(room, TO, FROM));
        return room;
    }

    private static ByteBuf datagram(int octets) {
        return Unpooled.buffer().writeZero(octets);
    }

    @Test
    void aDatagramIsLentAndTheNextComesIntoTheSameBuffer() {
        ByteBuf first = arrives(10, 1);
        assertThat(arrives(20, 2)).isSameAs(first);
        socket.pipeline().fireChannelReadComplete();
        assertThat(heard).containsExactly("10 from 192.0.2.1, first 1", "20 from 192.0.2.1, first 2", "complete");
        assertThat(memory.retained()).as("between two turns").isZero();
    }

    @Test
    void whoKeepsADatagramKeepsItsOctets() {
        keeps = true;
        ByteBuf first = arrives(10, 1);
        assertThat(arrives(20, 2)).isNotSameAs(first);
        socket.pipeline().fireChannelReadComplete();
        assertThat(kept).extracting(octets -> octets.getByte(0)).containsExactly((byte) 1, (byte) 2);
        assertThat(memory.retained()).as("the first buffer: the second serves the turn").isEqualTo(LoopMemory.DATAGRAMS);
    }

    @Test
    void aReceiverThatFailsLetsGoOfItsDatagram() {
        arrives(13, 1);
        arrives(10, 2);
        socket.close();
        assertThat(heard).containsExactly("13 from 192.0.2.1, first 1", "10 from 192.0.2.1, first 2", "complete");
        assertThat(memory.retained()).isZero();
    }

    @Test
    void onlyAPeerThatDoesNotListenIsAnEventAndNoErrorClosesTheSocket() {
        socket.pipeline().fireExceptionCaught(new IOException("no route"));
        socket.pipeline().fireExceptionCaught(new PortUnreachableException());
        assertThat(heard).containsExactly("unreachable");
        assertThat(socket.isOpen()).isTrue();
    }

    @Test
    void everyDatagramLeavesWithItsCodePointAndToItsRecipient() {
        leg.write(datagram(1), null);
        leg.write(datagram(2), TO);
        assertThat(socket.taken).as("before the flush").isEmpty();
        leg.write(datagram(3), TO, 46);
        assertThat(socket.taken).as("those before leave with theirs").containsExactly("1", "2 to 192.0.2.2");
        leg.write(datagram(4), null, 46);
        leg.write(datagram(5), null);
        leg.flush();
        assertThat(socket.taken).containsExactly("1", "2 to 192.0.2.2", "3 as 46 to 192.0.2.2", "4 as 46", "5");
        assertThat(leg.sent()).isEqualTo(15);
    }

    @Test
    void whatWaitsForTheSocketIsCopiedOnceAndLeavesInOrder() {
        socket.takes(0);
        ByteBuf read = memory.take().writeZero(1000);
        for (int i = 1; i <= 5; i++) {
            assertThat(leg.write(read.retainedSlice(0, i), i % 2 == 0 ? TO : null)).isTrue();
            leg.flush();
        }
        assertThat(read.refCnt()).as("holders of what was read").isEqualTo(1);
        memory.give(read);
        assertThat(memory.retained()).as("copies").isEqualTo(1 + 2 + 3 + 4 + 5);
        socket.takes(Integer.MAX_VALUE);
        assertThat(socket.taken).containsExactly("1", "2 to 192.0.2.2", "3", "4 to 192.0.2.2", "5");
        assertThat(leg.pending()).isZero();
    }

    @Test
    void aDatagramThatCannotWaitIsRefusedAndNeverPartOfWhatWasSent() {
        socket.takes(0);
        int taken = 0;
        ByteBuf datagram = datagram(60_000);
        while (leg.write(datagram.retainedDuplicate(), null)) {
            leg.flush();
            taken++;
            assertThat(leg.pending()).isLessThan(UdpSockets.PENDING + 61_000);
        }
        assertThat(datagram.refCnt()).as("a refused one is let go").isEqualTo(1);
        assertThat(leg.sent()).isEqualTo(taken * 60_000L).isPositive();
        socket.takes(Integer.MAX_VALUE);
        assertThat(socket.taken).hasSize(taken);
        assertThat(leg.write(datagram, null)).as("when there is room again").isTrue();
    }

    @Test
    void withoutMemoryADatagramGoesAtOnceOrNotAtAll() {
        limit.set(0);
        assertThat(leg.write(datagram(1), null)).as("it need not wait").isTrue();
        leg.flush();
        socket.takes(0);
        leg.write(datagram(2), null);
        leg.flush();
        assertThat(leg.write(datagram(3), null)).as("behind one that waits").isFalse();
        socket.takes(Integer.MAX_VALUE);
        assertThat(socket.taken).containsExactly("1", "2");
    }

    @Test
    void aWriterSendsPacketsWholeOrTheirPayloadsAndCountsWhatIsNotTaken() {
        LongAdder dropped = new LongAdder();
        UdpWriter whole = new UdpWriter(leg, TO, false, dropped);
        UdpWriter raw = new UdpWriter(leg, null, true, dropped);
        ByteBuf packet = new PacketBuilder(0x5401).payload(Unpooled.wrappedBuffer(new byte[10])).build(memory.allocator());
        ByteBuf error = PacketBuilder.error(memory.allocator(), ErrorCode.IDLE_TIMEOUT, "too long", 0);
        whole.packet(Packet.of(packet).codePoint(46));
        whole.packet(Packet.of(error));
        raw.packet(Packet.of(error));
        raw.packet(Packet.of(packet));
        raw.flush();
        assertThat(socket.taken).containsExactly("18 as 46 to 192.0.2.2", error.readableBytes() + " to 192.0.2.2", "10");
        socket.takes(0);
        raw.packet(Packet.of(packet));
        raw.end();
        limit.set(0);
        raw.packet(Packet.of(packet));
        assertThat(dropped.sum()).isEqualTo(1);
        socket.takes(Integer.MAX_VALUE);
        assertThat(socket.taken).hasSize(4);
        packet.release();
        error.release();
    }
}
