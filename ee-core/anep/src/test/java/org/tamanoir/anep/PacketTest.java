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
import java.net.InetAddress;
import java.net.UnknownHostException;
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

    /** Nodes read these in place, without making an object of the options. */
    @Test
    void whatAPacketCarriesIsReadInPlace() throws UnknownHostException {
        Packet full = packet(new PacketOptions().cookie(0x1122334455667788L).qosSession(0x99AABBCCDDEEFF00L)
                .destination(Identifier.of(InetAddress.getByName("2001:db8::1:2:3"))));
        assertThat(full.cookie()).isEqualTo(0x1122334455667788L);
        assertThat(full.qosSession()).isEqualTo(0x99AABBCCDDEEFF00L);
        assertThat(full.hasDestination()).isTrue();
        assertThat(full.destinationHigh()).isEqualTo(0x20010db800000000L);
        assertThat(full.destinationLow()).isEqualTo(0x0000000100020003L);

        Packet mapped = packet(new PacketOptions().destination(Identifier.of(InetAddress.getByName("192.0.2.200"))));
        assertThat(mapped.hasDestination()).isTrue();
        assertThat(mapped.destinationHigh()).isZero();
        assertThat(mapped.destinationLow()).isEqualTo(0x0000ffffc00002c8L);

        Packet bare = packet(new PacketOptions());
        assertThat(bare.cookie()).isZero();
        assertThat(bare.qosSession()).isZero();
        assertThat(bare.hasDestination()).isFalse();
    }

    /** The message is what somebody sees whose packet was refused. */
    @Test
    void anUnknownOptionThatAsksForADiscardIsNamed() {
        assertThatThrownBy(packet("01005402 0003 000C C123 0001")::checkOptions).hasMessageContaining("private option 291 is not known");
        assertThatThrownBy(packet("01005402 0003 000C 4123 0001")::checkOptions).hasMessageContaining("public option 291 is not known");
        packet("01005402 0003 000C 8123 0001").checkOptions();
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
        assertThatThrownBy(Packet.of(packet.buffer())::checkOptions).isInstanceOfSatisfying(MalformedPacketException.class,
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

    /** A datagram passes the transport and each service; each of them checks, and the sum is taken over every octet. */
    @Test
    void whatIsFoundGoodOnceIsNotReadAgainUntilTheViewMovesNorByAPacketThatIsKept() {
        Packet packet = packet(new PacketOptions().checksum(true).hops(9).stream(7, 1));
        packet.checkOptions();
        Packet kept = packet.codePoint(46).retain();
        packet.buffer().setByte(packet.find(OptionType.STREAM) + 19, 2);
        packet.checkOptions();
        kept.checkOptions();
        assertThat(kept.codePoint()).isEqualTo(46);
        assertThat(kept.hops()).isEqualTo(9);
        packet.wrap(packet.buffer(), 0, packet.length());
        assertThatThrownBy(packet::checkOptions).isInstanceOf(MalformedPacketException.class);
        assertThatThrownBy(packet::checkOptions).as("what is bad stays bad").isInstanceOf(MalformedPacketException.class);
        assertThat(packet.hops()).isEqualTo(9);
    }

    @Test
    void aViewForgetsTheOptionsOfThePacketThatItLeaves() {
        ByteBuf run = UnpooledByteBufAllocator.DEFAULT.buffer();
        new PacketBuilder(0x5402).options(new PacketOptions().stream(7, 1).hops(9)).writeTo(run);
        int second = run.writerIndex();
        new PacketBuilder(0x5402).options(new PacketOptions().hops(3)).writeTo(run);
        int third = run.writerIndex();
        new PacketBuilder(0x5402).writeTo(run);
        Packet view = new Packet().wrap(run, 0, second);
        assertThat(view.streamId()).isEqualTo(7);
        view.wrap(run, second, third - second);
        assertThat(view.has(OptionType.STREAM)).isFalse();
        assertThat(view.hops()).isEqualTo(3);
        view.wrap(run, third, 8);
        assertThat(view.has(OptionType.HOPS)).isFalse();
    }

    /** A node that does not know the option passes it on and writes its own previous node. */
    @Test
    void anOfferCountsOnlyFromWhoSentThePacket() {
        PacketOptions ofProgram = new PacketOptions().connection(ConnectionUse.OFFER, 0);
        assertThat(packet(ofProgram).offersConnection()).isTrue();
        assertThat(packet(ofProgram.previousNode(new PacketOptions.PreviousNode(5, 0))).offersConnection()).isFalse();
        PacketOptions ofNode = new PacketOptions().connection(ConnectionUse.OFFER, 5).previousNode(new PacketOptions.PreviousNode(5, 0));
        assertThat(packet(ofNode).offersConnection()).isTrue();
        assertThat(packet(ofNode.previousNode(new PacketOptions.PreviousNode(6, 0))).offersConnection()).isFalse();
        assertThat(packet(ofNode.previousNode(null)).offersConnection()).isFalse();
        assertThat(packet(new PacketOptions().connection(ConnectionUse.ACCEPT, 0)).offersConnection()).isFalse();
    }

    /** As long as each other: nobody is answered by more than it has sent. */
    @Test
    void aQuestionToANextHopAndItsAnswerAreTwentyFourOctets() {
        for (HopCheck says : HopCheck.values()) {
            ByteBuf built = PacketBuilder.hopCheck(UnpooledByteBufAllocator.DEFAULT, says, 0x1122334455667788L);
            assertThat(ByteBufUtil.hexDump(built)).isEqualTo("0180540000060018" + "800c0004" + "0" + says.number() + "000000" + "1122334455667788");
            built.release();
            Packet packet = packet(new PacketOptions().hopCheck(says, -5).hops(7));
            assertThat(packet.hopCheck()).isEqualTo(says);
            assertThat(packet.hopCheckNumber()).isEqualTo(-5);
            assertThat(packet.options().hopCheck()).isEqualTo(says);
        }
        assertThat(packet(new PacketOptions()).hopCheck()).isNull();
        assertThat(HopCheck.of(HopCheck.values().length)).isNull();
    }

    @Test
    void aControlPacketIsSixteenOctets() {
        ByteBuf end = PacketBuilder.control(UnpooledByteBufAllocator.DEFAULT, ConnectionUse.END);
        assertThat(ByteBufUtil.hexDump(end)).isEqualTo("0180540000040010" + "800a000202000000");
        Packet packet = Packet.of(end);
        packet.checkOptions();
        assertThat(packet.isControl()).isTrue();
        assertThat(packet.connectionUse()).isEqualTo(ConnectionUse.END);
        end.release();
    }
}
