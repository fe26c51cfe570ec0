package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Ticker;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/** What leaves a connection: every octet once and in order, in few pieces, with the code point of its packet. */
class TcpWriterTest {
    private final LegChannel channel = new LegChannel();
    private final LegLog log = new LegLog();
    private final TcpLeg leg = channel.leg(log, log);
    /** What packets come in; released by the test when it has handed them over, as a reader does. */
    private final ByteBuf read = channel.memory().take();

    @AfterEach
    void nothingLeaks() {
        if (read.refCnt() > 0) {
            channel.memory().give(read);
        }
        channel.assertNothingLeaks();
    }

    private static byte[] payload(int octets) {
        byte[] payload = new byte[octets];
        new Random(octets).nextBytes(payload);
        return payload;
    }

    private static void hand(ByteBuf packets, int from, int codePoint, Stage to) {
        Framing.each(packets, from, packets.writerIndex(), new Packet(), packet -> {
            packet.codePoint(codePoint);
            to.packet(packet);
            return true;
        });
    }

    /** Hands over packets of these payloads that lie behind one another. */
    private void hand(Stage to, int codePoint, int... octets) {
        int from = read.writerIndex();
        for (int length : octets) {
            new PacketBuilder(0x5401).payload(Unpooled.wrappedBuffer(payload(length))).writeTo(read);
        }
        hand(read, from, codePoint, to);
    }

    private boolean isOfRead(ByteBuf piece) {
        return root(piece) == root(read);
    }

    private static ByteBuf root(ByteBuf piece) {
        return piece.unwrap() == null ? piece : root(piece.unwrap());
    }

    private ByteBuf laid() {
        return Unpooled.copiedBuffer(read);
    }

    @Test
    void neighboursLeaveAsOneSliceOfTheBufferThatTheyCameIn() {
        TcpWriter.Packets writer = TcpWriter.packets(leg);
        hand(writer, 0, 10, 0, 3000);
        assertThat(channel.written()).as("before the flush").isEmpty();
        writer.flush();
        hand(writer, 0, 7);
        writer.flush();
        writer.flush();
        assertThat(channel.written()).hasSize(2).allMatch(this::isOfRead);
        assertThat(channel.got()).isEqualTo(laid());
    }

    @Test
    void packetsBetweenWhichSomethingLiesLeaveAsTheyAre() {
        TcpWriter.Packets writer = TcpWriter.packets(leg);
        hand(writer, 0, 10);
        read.writeZero(5);
        hand(writer, 0, 20);
        ByteBuf other = LegLog.packet(0x5402, 4);
        hand(other, 0, 0, writer);
        writer.flush();
        assertThat(channel.written()).hasSize(3);
        assertThat(channel.got()).isEqualTo(Unpooled.wrappedBuffer(read.slice(0, 18), read.slice(23, 28), other.duplicate()));
        other.release(other.refCnt());
    }

    @Test
    void aCodePointEndsARunAndHoldsForWhatIsBehindIt() {
        TcpWriter.Packets writer = TcpWriter.packets(leg);
        hand(writer, 0, 2);
        hand(writer, 46, 2, 2);
        writer.mark(10);
        hand(writer, 10, 2);
        writer.flush();
        assertThat(channel.codePoints()).isEqualTo(codePoints(10, 0, 20, 46, 10, 10));
        assertThat(channel.got()).isEqualTo(laid());
    }

    private static ByteBuf codePoints(int... timesAndValues) {
        ByteBuf expected = Unpooled.buffer();
        for (int i = 0; i < timesAndValues.length; i += 2) {
            for (int n = 0; n < timesAndValues[i]; n++) {
                expected.writeByte(timesAndValues[i + 1]);
            }
        }
        return expected;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsHeldGoesToTheConnectionThatComes(boolean endsMeanwhile) {
        TcpWriter.Packets writer = TcpWriter.packets(leg);
        hand(writer, 0, 1);
        writer.flush();
        channel.got();
        writer.hold();
        hand(writer, 0, 2);
        writer.flush();
        writer.mark(46);
        hand(writer, 0, 3);
        if (endsMeanwhile) {
            writer.end();
        } else {
            writer.flush();
        }
        LegLog events = new LegLog();
        LegChannel next = new LegChannel(channel.memory(), Ticker.newMockTicker());
        writer.to(next.leg(events, events));
        assertThat(next.got()).isEqualTo(read.slice(9, 21));
        assertThat(channel.got().isReadable()).isFalse();
        assertThat(next.ending()).isEqualTo(endsMeanwhile ? LegChannel.Ending.FIN : LegChannel.Ending.OPEN);
        if (!endsMeanwhile) {
            hand(writer, 0, 4);
            writer.end();
            assertThat(next.got()).isEqualTo(read.slice(30, 12));
        }
        assertThat(events.lines()).containsExactly("finished");
        next.close();
    }

    @Test
    void whatIsHeldMayBeLetGo() {
        TcpWriter.Packets writer = TcpWriter.packets(leg);
        writer.hold();
        hand(writer, 0, 100, 200);
        writer.flush();
        assertThat(read.refCnt()).isEqualTo(2);
        writer.release();
        assertThat(read.refCnt()).isEqualTo(1);
    }

    @Property(tries = 100)
    void thePayloadsLeaveInOrderAndAPeerThatDoesNotKnowAnepSeesNothingElse(@ForAll long seed) {
        Random random = new Random(seed);
        LegChannel out = new LegChannel();
        LegLog events = new LegLog();
        Stage writer = TcpWriter.payloads(out.leg(events, events));
        ByteBuf expected = Unpooled.buffer();
        ByteBuf marks = Unpooled.buffer();
        for (int i = 0; i < 60; i++) {
            int codePoint = random.nextInt(4) == 0 ? 46 : 0;
            int length = random.nextInt(3) == 0 ? 4096 + random.nextInt(20_000) : random.nextInt(4096);
            boolean error = random.nextInt(10) == 0;
            ByteBuf packet = new PacketBuilder(error ? Anep.TYPE_ERROR : 0x5401).payload(Unpooled.wrappedBuffer(payload(length))).build(out.alloc());
            if (!error) {
                expected.writeBytes(payload(length));
                for (int n = 0; n < length; n++) {
                    marks.writeByte(codePoint);
                }
            }
            hand(packet, 0, codePoint, writer);
            packet.release();
            if (random.nextInt(8) == 0) {
                writer.flush();
            }
        }
        writer.end();
        assertThat(out.codePoints()).isEqualTo(marks);
        assertThat(out.got()).isEqualTo(expected);
        assertThat(events.lines()).containsExactly("finished");
        assertThat(out.ending()).isEqualTo(LegChannel.Ending.FIN);
        out.assertNothingLeaks();
    }

    @Test
    void smallPayloadsLeaveTogetherAndLargeOnesAreNotCopied() {
        Stage writer = TcpWriter.payloads(leg);
        hand(writer, 0, 0, 10, 20, 0, 4000);
        writer.flush();
        assertThat(channel.written()).as("three in one piece").hasSize(1);
        hand(writer, 0, 4096);
        assertThat(channel.written()).hasSize(2);
        assertThat(isOfRead(channel.written().get(1))).isTrue();
        int[] many = new int[40];
        Arrays.fill(many, 4000);
        hand(writer, 0, many);
        writer.flush();
        assertThat(channel.written()).as("pieces of up to 64 KB").hasSize(2 + 3);
        assertThat(channel.got().readableBytes()).isEqualTo(10 + 20 + 4000 + 4096 + 40 * 4000);
    }
}
