package org.tamanoir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

class StreamCheckTest {
    private static final int PACKET = 1400;
    private static final ByteBuffer BLOCK = StreamPackets.block(PACKET);

    /** A first packet and two and a bit blocks. */
    private static byte[] stream(ByteBuffer first) {
        ByteBuffer stream = ByteBuffer.allocate(first.remaining() + 2 * BLOCK.capacity() + PACKET);
        stream.put(first).put(BLOCK.duplicate().clear()).put(BLOCK.duplicate().clear()).put(BLOCK.duplicate().clear().limit(PACKET));
        return stream.array();
    }

    private static ByteBuffer first() {
        return StreamPackets.first(StreamKind.MONITORING, PACKET, new InetSocketAddress("10.0.2.2", 7000), 1);
    }

    private static int headerOf(ByteBuffer first) {
        return StreamPackets.headerLength(first, 0);
    }

    @Property(tries = 200)
    void howeverAStreamIsSplitItsOctetsAreCountedAndFoundRight(@ForAll @IntRange(min = 1, max = 70_000) int most, @ForAll long seed) {
        byte[] stream = stream(first());
        Random random = new Random(seed);
        StreamCheck check = new StreamCheck(BLOCK);
        long counted = 0;
        for (int at = 0; at < stream.length;) {
            int length = Math.min(stream.length - at, 1 + random.nextInt(most));
            counted += check.take(ByteBuffer.wrap(stream, at, length));
            at += length;
        }
        assertThat(check.opened()).isTrue();
        assertThat(check.differs()).isFalse();
        assertThat(counted).isEqualTo(stream.length - headerOf(first()));
    }

    @Property(tries = 200)
    void oneChangedOctetBehindTheFirstHeaderIsFound(@ForAll @IntRange(max = 500_000) int where, @ForAll @IntRange(min = 1, max = 255) int change) {
        byte[] stream = stream(first());
        int at = headerOf(first()) + where % (stream.length - headerOf(first()));
        stream[at] ^= (byte) change;
        StreamCheck check = new StreamCheck(BLOCK);
        check.take(ByteBuffer.wrap(stream));
        assertThat(check.differs()).isTrue();
    }

    @Test
    void twoPacketsInTheWrongOrderAreFound() {
        byte[] stream = stream(first());
        byte[] kept = new byte[PACKET];
        System.arraycopy(stream, PACKET, kept, 0, PACKET);
        System.arraycopy(stream, 2 * PACKET, stream, PACKET, PACKET);
        System.arraycopy(kept, 0, stream, 2 * PACKET, PACKET);
        StreamCheck check = new StreamCheck(BLOCK);
        check.take(ByteBuffer.wrap(stream));
        assertThat(check.differs()).isTrue();
    }

    @Test
    void aRelayMayChangeTheOptionsOfTheFirstPacket() {
        PacketOptions fewer = Packet.of(Unpooled.wrappedBuffer(first())).options();
        ByteBuf rewritten = Unpooled.buffer();
        int payload = PACKET - headerOf(first());
        new PacketBuilder(StreamKind.MONITORING.typeId()).options(fewer.hops(3).source(new Identifier(Identifier.IPV4, new byte[4])))
                .payload(Unpooled.wrappedBuffer(new byte[payload])).writeTo(rewritten);
        byte[] stream = stream(rewritten.nioBuffer());
        StreamCheck check = new StreamCheck(BLOCK);
        long counted = check.take(ByteBuffer.wrap(stream));
        assertThat(check.differs()).isFalse();
        assertThat(counted).as("as many as were sent without the header").isEqualTo(payload + 2L * BLOCK.capacity() + PACKET);
    }

    @Test
    void aConnectionThatBringsLessThanAHeaderIsNoStream() {
        StreamCheck check = new StreamCheck(null);
        assertThat(check.take(ByteBuffer.wrap(stream(first()), 0, 20))).isZero();
        assertThat(check.opened()).isFalse();
    }
}
