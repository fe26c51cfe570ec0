package org.tamanoir.client.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;

class PacketizerTest {
    @Property(tries = 300)
    void whateverTheOptionsPacketsHoldThePayloadInOrderWithGoodChecksumsAndWithoutAGapInTheirNumbers(@ForAll @IntRange(max = 5000) int size,
            @ForAll @IntRange(min = 100, max = 2000) int packetSize, @ForAll boolean sequence, @ForAll boolean checksum,
            @ForAll boolean timestamps) {
        PacketOptions every = new PacketOptions().checksum(checksum);
        if (sequence) {
            every.stream(9, 0);
        }
        Packetizer packets = new Packetizer(0x5402, 0x80, 9, new PacketOptions().stream(9, 0), sequence || checksum || timestamps ? every : null,
                timestamps, packetSize);
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        ByteBuf data = Unpooled.wrappedBuffer(content);
        ByteBuf opening = packets.opening(UnpooledByteBufAllocator.DEFAULT);
        ByteBuf out = Unpooled.buffer().writeBytes(opening);
        opening.release();
        while (data.isReadable()) {
            packets.write(out, data, Math.min(data.readableBytes(), packets.maxPayload()));
        }
        ByteBuf arrived = Unpooled.buffer();
        long expected = 0;
        while (out.isReadable()) {
            int length = Framing.packetLength(out, out.readerIndex(), out.readableBytes());
            Packet packet = new Packet().wrap(out, out.readerIndex(), length);
            packet.checkOptions();
            assertThat(length).isLessThanOrEqualTo(packetSize);
            if (sequence) {
                assertThat(packet.sequence()).isEqualTo(expected);
            }
            assertThat(packet.has(OptionType.CHECKSUM)).isEqualTo(checksum && expected > 0);
            assertThat(packet.has(OptionType.TIMESTAMP)).isEqualTo(timestamps);
            arrived.writeBytes(packet.payload());
            out.skipBytes(length);
            expected++;
        }
        assertThat(arrived).isEqualTo(Unpooled.wrappedBuffer(content));
    }

    @Test
    void aPacketThatItsOwnHeaderWouldFillIsRefused() {
        assertThatThrownBy(() -> new Packetizer(1, 0, 9, null, new PacketOptions().stream(9, 0), false, 28)).hasMessageContaining("from 29");
        new Packetizer(1, 0, 9, null, new PacketOptions().stream(9, 0), false, 29);
    }
}
