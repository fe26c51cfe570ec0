package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams that leave together: the same datagrams, in their order, whatever the system takes. */
@Tag("seeded")
class DatagramRunTest {
    private static final InetSocketAddress ONE = new InetSocketAddress("192.0.2.1", 3322);
    private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.2", 3322);

    /** A system that takes so many messages, and cuts datagrams apart up to a length. */
    private static final class Kernel extends EmbeddedChannel {
        private final List<String> calls = new ArrayList<>();
        private final List<String> datagrams = new ArrayList<>();
        private int takes = Integer.MAX_VALUE;
        private int cuts = Integer.MAX_VALUE;

        @Override
        protected void doWrite(ChannelOutboundBuffer out) {
            for (Object next = out.current(); next != null && takes > 0; next = out.current()) {
                takes--;
                if (next instanceof SegmentedDatagramPacket run) {
                    int length = run.segmentSize();
                    if (length > cuts) {
                        calls.add("refused " + length);
                        out.remove(new IOException("Message too long"));
                        continue;
                    }
                    calls.add(run.content().readableBytes() + " in " + length);
                    for (ByteBuf rest = run.content().duplicate(); rest.isReadable();) {
                        took(rest.readSlice(Math.min(length, rest.readableBytes())), run.recipient());
                    }
                } else {
                    DatagramPacket datagram = next instanceof DatagramPacket addressed ? addressed : null;
                    ByteBuf octets = datagram == null ? (ByteBuf) next : datagram.content();
                    calls.add(Integer.toString(octets.readableBytes()));
                    took(octets, datagram == null ? null : datagram.recipient());
                }
                out.remove();
            }
        }

        private void took(ByteBuf octets, InetSocketAddress to) {
            datagrams.add(text(octets.getInt(octets.readerIndex()), octets.readableBytes(), to));
        }

        @Override
        protected SocketAddress localAddress0() {
            return ONE;
        }

        void takes(int messages) {
            takes = messages;
            doWrite(unsafe().outboundBuffer());
        }
    }

    private final LoopMemory memory = new LoopMemory(() -> 64 << 20);
    private final UdpLeg leg = new UdpLeg(memory);
    private final Kernel kernel = new Kernel();
    private final List<String> written = new ArrayList<>();
    private final List<ByteBuf> given = new ArrayList<>();

    DatagramRunTest() {
        kernel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(UdpSockets.PENDING / 2, UdpSockets.PENDING));
        leg.opened(kernel, true);
        leg.receiver(new UdpLeg.Receiver() {
            @Override
            public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
                throw new AssertionError("nothing comes");
            }

            @Override
            public void readComplete() {
                // Nothing comes.
            }
        });
        kernel.pipeline().addLast(leg);
    }

    @AfterEach
    void nothingLeaks() {
        kernel.takes(Integer.MAX_VALUE);
        kernel.close();
        memory.tidy();
        assertThat(memory.retained()).isZero();
        memory.close();
        assertThat(given).allMatch(datagram -> datagram.refCnt() == 0);
    }

    private static String text(int number, int octets, InetSocketAddress to) {
        return number + ": " + octets + (to == null ? "" : " to " + to.getAddress().getHostAddress());
    }

    private boolean write(int octets, InetSocketAddress to) {
        ByteBuf datagram = Unpooled.directBuffer().writeInt(written.size()).writeZero(octets - Integer.BYTES);
        boolean taken = leg.write(datagram, to);
        if (taken) {
            written.add(text(written.size(), octets, to));
        }
        given.add(datagram);
        return taken;
    }

    private List<String> calls() {
        leg.flush();
        assertThat(kernel.datagrams).containsExactlyElementsOf(written);
        return kernel.calls;
    }

    @Test
    void neighboursOfOneLengthLeaveInOneCallAndAShorterOneIsTheLast() {
        for (int octets : new int[] {100, 100, 100, 40, 40}) {
            write(octets, ONE);
        }
        assertThat(kernel.calls).as("before the flush").isEmpty();
        assertThat(calls()).containsExactly("340 in 100", "40");
    }

    @Test
    void aLongerOneAndAnotherRecipientBeginAnotherRun() {
        write(100, ONE);
        write(100, ONE);
        write(101, ONE);
        write(101, OTHER);
        write(101, new InetSocketAddress("192.0.2.2", 3322));
        write(101, null);
        write(101, null);
        assertThat(calls()).containsExactly("200 in 100", "101", "202 in 101", "202 in 101");
    }

    @Test
    void aRunHasSixtyFourDatagramsAndLessThan65536Octets() {
        for (int i = 0; i < 70; i++) {
            write(8, ONE);
        }
        assertThat(calls()).containsExactly("512 in 8", "48 in 8");
        kernel.calls.clear();
        for (int i = 0; i < 8; i++) {
            write(9_000, ONE);
        }
        assertThat(calls()).containsExactly("63000 in 9000", "9000");
    }

    @Test
    void whatTheSystemRefusesToCutGoesOneByOneAndOnlyItsRecipientIsConcerned() {
        kernel.cuts = 1472;
        for (int round = 0; round < 2; round++) {
            write(2_000, ONE);
            write(2_000, ONE);
            write(1_000, ONE);
            write(1_472, OTHER);
            write(1_472, OTHER);
            leg.flush();
        }
        assertThat(kernel.calls).containsExactly("refused 2000", "2944 in 1472", "2000", "2000", "1000", "2000", "2000", "1000", "2944 in 1472");
        assertThat(kernel.datagrams).containsExactlyInAnyOrderElementsOf(written);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whateverIsWrittenLeavesOnceAndInItsOrder(long seed) {
        Random random = new Random(seed);
        InetSocketAddress[] recipients = {ONE, OTHER, null};
        int octets = 100;
        InetSocketAddress to = ONE;
        for (int i = 0; i < 5_000; i++) {
            octets = random.nextInt(4) > 0 ? octets : 4 + random.nextInt(random.nextInt(10) == 0 ? 20_000 : 1_500);
            to = random.nextInt(8) > 0 ? to : recipients[random.nextInt(recipients.length)];
            write(octets, to);
            if (random.nextInt(20) == 0) {
                leg.flush();
            }
            if (random.nextInt(60) == 0) {
                kernel.takes(random.nextBoolean() ? random.nextInt(5) : Integer.MAX_VALUE);
            }
        }
        leg.flush();
        kernel.takes(Integer.MAX_VALUE);
        assertThat(kernel.datagrams).containsExactlyElementsOf(written);
        assertThat(kernel.calls).anyMatch(call -> call.contains(" in ")).hasSizeLessThan(written.size());
        assertThat(leg.pending()).isZero();
    }
}
