package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnepDecoderTest {
    private static final String BARE = "0100540200020009aa";

    /** What reaches the next handler, in order: Type IDs of packets, codes of errors. */
    private final List<Object> seen = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(new AnepDecoder(), new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Packet packet = (Packet) message;
            seen.add(packet.typeId());
            packet.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            seen.add(cause instanceof MalformedPacketException malformed ? malformed.code() : cause);
        }
    });

    private ByteBuf write(String hex) {
        ByteBuf octets = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        channel.writeInbound(octets);
        return octets;
    }

    @Test
    void aMalformedPacketIsOneErrorAfterThePacketsBeforeIt() {
        write(BARE + BARE + "0100540200010009aa" + BARE);
        ByteBuf later = write(BARE);
        channel.finish();
        assertThat(seen).containsExactly(0x5402, 0x5402, ErrorCode.HEADER_TOO_SHORT);
        assertThat(later.refCnt()).isZero();
    }

    @Test
    void badOptionsEndTheStreamAsABadHeaderDoes() {
        write(BARE + "010054020003000c00010000" + BARE);
        channel.finish();
        assertThat(seen).containsExactly(0x5402, ErrorCode.BAD_OPTION_LENGTH);
    }

    @Test
    void aWrongVersionIsKnownByItsFirstOctet() {
        write("02");
        assertThat(seen).containsExactly(ErrorCode.BAD_VERSION);
        channel.finish();
    }

    /** A receiver must be able to tell a stream that was cut from one that is complete. */
    @Test
    void aStreamThatEndsInsideAPacketIsAnErrorAndOneThatEndsBetweenTwoIsNot() {
        write(BARE);
        write(BARE.substring(0, 16));
        channel.finish();
        assertThat(seen).containsExactly(0x5402, ErrorCode.TRUNCATED);

        seen.clear();
        EmbeddedChannel whole = new EmbeddedChannel(new AnepDecoder());
        whole.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(BARE)));
        whole.<Packet>readInbound().release();
        assertThat(whole.finish()).isFalse();
        whole.checkException();
    }

    @Test
    void theEncoderSendsThePacketItselfAndGivesItsReferenceAway() {
        ByteBuf three = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(BARE + "0100540300020008" + BARE));
        Packet middle = new Packet().wrap(three, 9, 8).retain();
        EmbeddedChannel out = new EmbeddedChannel(AnepEncoder.INSTANCE);
        out.writeOutbound(middle, Unpooled.EMPTY_BUFFER);
        ByteBuf sent = out.readOutbound();
        assertThat(ByteBufUtil.hexDump(sent)).isEqualTo("0100540300020008");
        three.setByte(9 + 3, 0x07);
        assertThat(sent.getByte(3)).as("no copy").isEqualTo((byte) 0x07);
        assertThat(three.refCnt()).isEqualTo(2);
        sent.release();
        assertThat(three.refCnt()).isEqualTo(1);
        three.release();
        out.finishAndReleaseAll();
    }
}
