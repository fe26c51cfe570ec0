package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.fuzz.Fields;
import org.tamanoir.anep.fuzz.Found;
import org.tamanoir.anep.fuzz.Vectors;
import org.tamanoir.anep.fuzz.Vectors.Vector;

/** The golden vectors: octets that were written by hand, against the reader, the writer, and the codes of errors. */
class VectorsTest {
    static List<Vector> good() {
        return Vectors.good();
    }

    static List<Vector> malformed() {
        return Vectors.malformed();
    }

    @ParameterizedTest
    @MethodSource
    void good(Vector vector) {
        // At an odd place in a larger buffer: every offset must be one from where the packet begins.
        ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {9, 9, 9}, vector.octets(), new byte[] {9}).skipBytes(3);
        int length = Framing.packetLength(buffer, 3, buffer.readableBytes());
        Packet packet = new Packet().wrap(buffer, 3, length);
        packet.checkOptions();
        assertThat(Fields.of(packet)).isEqualTo(vector.lines());
        assertThat(length).isEqualTo(vector.octets().length);
        assertThatShortcutsAgree(packet, packet.options());

        ByteBuf again = new PacketBuilder(packet.typeId()).flags(packet.flags()).options(packet.options()).payload(packet.payload())
                .build(UnpooledByteBufAllocator.DEFAULT);
        assertThat(ByteBufUtil.hexDump(again)).isEqualTo(ByteBufUtil.hexDump(vector.again()));
        again.release();
    }

    /** What a service reads a packet, without the object. */
    private static void assertThatShortcutsAgree(Packet packet, PacketOptions options) {
        assertThat(packet.streamId()).isEqualTo(options.streamId());
        assertThat(packet.has(OptionType.STREAM) ? packet.sequence() : 0).isEqualTo(options.sequence());
        assertThat(packet.hops()).isEqualTo(options.hops());
        assertThat(packet.isHandedOver()).isEqualTo(options.handedOver());
        assertThat(packet.connectionUse()).isEqualTo(options.connectionUse());
        assertThat(packet.offersConnection()).isEqualTo(options.connectionUse() == ConnectionUse.OFFER
                && options.connectionNode() == (options.previousNode() == null ? 0 : options.previousNode().id()));
        assertThat(packet.hopCheck()).isEqualTo(options.hopCheck());
        assertThat(packet.hopCheck() == null ? 0 : packet.hopCheckNumber()).isEqualTo(options.hopCheckNumber());
        assertThat(packet.has(OptionType.REACH)).isEqualTo(options.reach());
        assertThat(packet.isConnected()).isEqualTo(packet.payloadLength() == 0 && options.connected());
        assertThat(packet.isMark()).isEqualTo(packet.payloadLength() == 0 && options.session() != null && !(options.session() instanceof SessionMessage.Resume));
        assertThat(packet.contentEncoding()).isEqualTo(options.contentEncoding());
        assertThat(packet.contentEncoding() != null ? packet.originalLength() : 0).isEqualTo(options.originalLength());
    }

    @ParameterizedTest
    @MethodSource
    void malformed(Vector vector) {
        String onStream = vector.value("stream");
        for (int piece : new int[] {1, 7, 1 << 16}) {
            ErrorCode end = Found.inPieces(vector.octets(), UnpooledByteBufAllocator.DEFAULT, left -> piece).end();
            assertThat(end == null || end == ErrorCode.TRUNCATED ? "waits" : end.toString()).isEqualTo(onStream);
        }

        MalformedPacketException dropped = catchThrowableOfType(MalformedPacketException.class,
                () -> Packet.of(Unpooled.wrappedBuffer(vector.octets())).checkOptions());
        String onDatagram = vector.value("datagram");
        assertThat(dropped.code()).hasToString(onDatagram == null ? onStream : onDatagram);
        assertThat(dropped).hasMessageStartingWith(dropped.code() + " ");
    }

    @Test
    void everyOptionAndEveryCodeOfAMalformedPacketHasAVector() {
        Set<OptionType> options = EnumSet.noneOf(OptionType.class);
        for (Vector vector : Vectors.good()) {
            Packet packet = Packet.of(Unpooled.wrappedBuffer(vector.octets()));
            for (OptionType type : OptionType.values()) {
                if (packet.has(type)) {
                    options.add(type);
                }
            }
        }
        assertThat(options).containsExactly(OptionType.values());
        assertThat(Vectors.malformed()).flatExtracting(Vector::lines).map(line -> line.substring(line.indexOf(' ') + 1))
                .contains("EE-101", "EE-102", "EE-103", "EE-104", "EE-105", "EE-106", "EE-107", "EE-108");
    }
}
