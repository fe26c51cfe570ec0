package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PacketTest {
    private static Packet packet(String hex) {
        return Packet.of(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))));
    }

    private static Packet packet(PacketOptions options) {
        return Packet.of(new PacketBuilder(0x5402).options(options).build(UnpooledByteBufAllocator.DEFAULT));
    }

    @Test
    void anUncheckedOptionOfLengthZeroDoesNotHoldTheReader() {
        Packet packet = packet("01005402 0004 0010 0001 0000 8005 0002");
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertThat(packet.has(OptionType.HOPS)).isFalse());
    }

    /** One reader decrements the first, another believes the last: a loop that never ends. */
    @Test
    void aKnownOptionStandsOnce() {
        Packet twice = packet("01005402 0006 0018 8005 0002 03000000 8005 0002 FF000000");
        assertThatThrownBy(twice::checkOptions).isInstanceOfSatisfying(MalformedPacketException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE));
    }

    @Test
    void hopsBelowZeroAreAnErrorAndNot255() {
        Packet packet = packet(new PacketOptions().hops(0));
        assertThatIllegalArgumentException().isThrownBy(() -> packet.setHops(packet.hops() - 1));
        assertThat(packet.hops()).isZero();
    }

    @Test
    void whatIsNotThereIsNeitherReadNorWritten() {
        Packet packet = packet(new PacketOptions().timestamp(1));
        String before = ByteBufUtil.hexDump(packet.buffer());
        assertThatIllegalStateException().isThrownBy(() -> packet.setHops(3));
        assertThatIllegalStateException().isThrownBy(packet::sequence);
        assertThatIllegalStateException().isThrownBy(packet::originalLength);
        assertThat(ByteBufUtil.hexDump(packet.buffer())).isEqualTo(before);
        assertThat(packet.hops()).isEqualTo(-1);
        assertThat(packet.streamId()).isZero();
    }

    /** A node that computed the checksum anew would vouch for octets that it has not seen whole. */
    @Test
    void aChangeOfHopsDoesNotHideEarlierDamage() {
        Packet packet = packet(new PacketOptions().checksum(true).hops(9).stream(7, 1));
        packet.setHops(8);
        packet.checkOptions();
        int sequence = packet.find(OptionType.STREAM) + 19;
        packet.buffer().setByte(sequence, 2);
        packet.setHops(7);
        assertThatThrownBy(packet::checkOptions).isInstanceOfSatisfying(MalformedPacketException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CHECKSUM));
    }

    @Test
    void aRetainedPacketOutlivesTheViewItCameFrom() {
        ByteBuf two = UnpooledByteBufAllocator.DEFAULT.buffer();
        new PacketBuilder(0x5401).payload(Unpooled.wrappedBuffer(new byte[] {1})).writeTo(two);
        int second = two.writerIndex();
        new PacketBuilder(0x5402).writeTo(two);
        Packet view = new Packet().wrap(two, 0, second).receivedNanos(99);
        Packet kept = view.retain();
        view.wrap(two, second, 8);
        two.release();
        assertThat(kept.typeId()).isEqualTo(0x5401);
        assertThat(kept.payload().getByte(0)).isEqualTo((byte) 1);
        assertThat(kept.receivedNanos()).isEqualTo(99);
        kept.release();
        assertThat(two.refCnt()).isZero();
    }
}
