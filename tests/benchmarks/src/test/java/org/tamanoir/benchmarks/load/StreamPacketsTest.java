package org.tamanoir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;

class StreamPacketsTest {
    private static final InetSocketAddress DESTINATION = new InetSocketAddress("10.0.2.2", 7000);

    @ParameterizedTest
    @ValueSource(ints = {64, 256, 1400, 8192, 60000, 65535})
    void aBlockIsWholePacketsOfTheAskedLengthForTheMonitoringService(int length) {
        ByteBuf block = Unpooled.wrappedBuffer(StreamPackets.block(length));
        int at = 0;
        while (at < block.capacity()) {
            assertThat(Framing.packetLength(block, at, block.capacity() - at)).isEqualTo(length);
            Packet packet = new Packet().wrap(block, at, length);
            assertThat(packet.typeId()).isEqualTo(0x5402);
            assertThat(packet.hasOptions()).isFalse();
            at += length;
        }
        assertThat(at).isEqualTo(block.capacity());
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1400, 65535})
    void theFirstPacketSaysWhereTheStreamGoesAndHasTheSameLength(int length) {
        Packet first = Packet.of(Unpooled.wrappedBuffer(StreamPackets.first(StreamKind.MONITORING, length, DESTINATION, 42)));
        first.checkOptions();
        PacketOptions options = first.options();
        assertThat(first.length()).isEqualTo(length);
        assertThat(first.typeId()).isEqualTo(0x5402);
        assertThat(first.flags()).isEqualTo(Anep.FLAG_DISCARD_UNKNOWN);
        assertThat(options.destination().inetAddress()).isEqualTo(DESTINATION.getAddress());
        assertThat(options.port()).isEqualTo(7000);
        assertThat(options.delivery()).isEqualTo(Delivery.ANEP);
        assertThat(options.streamId()).isEqualTo(42);
    }

    @Test
    void aLengthThatNoPacketCanHaveIsRefused() {
        assertThatThrownBy(() -> StreamPackets.block(65_536)).hasMessageContaining("65535");
        assertThatThrownBy(() -> StreamPackets.first(StreamKind.MONITORING, 32, DESTINATION, 1)).hasMessageContaining("64");
    }
}
