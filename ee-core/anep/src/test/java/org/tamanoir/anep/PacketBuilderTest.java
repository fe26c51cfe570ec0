package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.PacketOptions.PreviousNode;

class PacketBuilderTest {
    private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(false);

    @Test
    void aBarePacketIsEightOctetsAndThePayload() {
        ByteBuf packet = new PacketBuilder(0x5402).payload(Unpooled.copiedBuffer("hello", StandardCharsets.US_ASCII)).build(ALLOCATOR);
        assertThat(ByteBufUtil.hexDump(packet)).isEqualTo("010054020002000d68656c6c6f");
        packet.release();
    }

    /** Cut to the width of its field, each of these would be another packet than the one that was asked for. */
    @Test
    void aValueThatDoesNotFitItsFieldIsRefused() {
        List<ThrowingCallable> tooBig = List.of(
                () -> new PacketBuilder(0x1_0000),
                () -> new PacketBuilder(1).flags(0x100),
                () -> new PacketOptions().hops(256),
                () -> new PacketOptions().delivery(0, Delivery.RAW),
                () -> new PacketOptions().delivery(65536, Delivery.RAW),
                () -> new PacketOptions().chain(0x5401, 0),
                () -> new PacketOptions().chain(new int[16]),
                () -> new PacketOptions().contentEncoding(ContentEncoding.GZIP, 65536),
                () -> new PacketOptions().destination(new Identifier(Identifier.IPV4, new byte[3])),
                () -> new PreviousNode(1, 65536),
                () -> PacketBuilder.setBareHeader(Unpooled.buffer(8), 0, 0, 1, 65528));
        for (int i = 0; i < tooBig.size(); i++) {
            assertThatIllegalArgumentException().as("case %d", i).isThrownBy(tooBig.get(i));
        }
    }

    @Test
    void theLargestPacketFitsAndOneOctetMoreLeavesTheBufferAsItWas() {
        ByteBuf out = ALLOCATOR.buffer();
        PacketOptions options = new PacketOptions().hops(1);
        PacketBuilder builder = new PacketBuilder(1).options(options);
        builder.payload(Unpooled.wrappedBuffer(new byte[65535 - 16])).writeTo(out);
        assertThat(Packet.of(out).length()).isEqualTo(65535);
        builder.payload(Unpooled.wrappedBuffer(new byte[65535 - 15]));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.writeTo(out));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.build(ALLOCATOR));
        assertThat(out.writerIndex()).isEqualTo(65535);
        out.release();
        assertThat(ALLOCATOR.metric().usedHeapMemory() + ALLOCATOR.metric().usedDirectMemory()).isZero();
    }

    @Test
    void theTextOfAnErrorIsCutBetweenCharacters() {
        ByteBuf octets = PacketBuilder.error(ALLOCATOR, ErrorCode.NO_ROUTE, "x" + "é".repeat(600), 0);
        Packet packet = Packet.of(octets);
        packet.checkOptions();
        assertThat(packet.options().error().text()).isEqualTo("x" + "é".repeat(511));
        octets.release();
        PacketBuilder.error(ALLOCATOR, ErrorCode.INTERNAL, null, 0).release();
    }
}
