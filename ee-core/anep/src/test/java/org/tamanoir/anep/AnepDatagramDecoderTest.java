package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AnepDatagramDecoderTest {
    private static final InetSocketAddress SENDER = new InetSocketAddress("127.0.0.1", 40000);
    private static final InetSocketAddress NODE = new InetSocketAddress("127.0.0.1", 3322);

    private static DatagramPacket datagram(String hex) {
        return new DatagramPacket(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)), NODE, SENDER);
    }

    @Test
    void aDatagramThatIsNoPacketIsCountedAndReleasedAndTheNextOneArrives() {
        AnepDatagramDecoder decoder = new AnepDatagramDecoder();
        EmbeddedChannel channel = new EmbeddedChannel(decoder);
        DatagramPacket[] bad = {datagram(""), datagram("01"), datagram("0200540200020008"),
            datagram("010054020002000900"  + "00"), datagram("0100540200020009"), datagram("010054020003000c" + "40070001")};
        channel.writeInbound((Object[]) bad);
        assertThat(decoder.malformed()).isEqualTo(bad.length);
        for (DatagramPacket datagram : bad) {
            // Netty's empty buffer is shared and cannot be released.
            assertThat(datagram.content() == Unpooled.EMPTY_BUFFER || datagram.refCnt() == 0).isTrue();
        }
        assertThat(channel.<Object>readInbound()).isNull();

        channel.writeInbound(datagram("0100540200020009aa"));
        AnepDatagram good = channel.readInbound();
        assertThat(good.packet().payload().getByte(0)).isEqualTo((byte) 0xaa);
        assertThat(good.sender()).isEqualTo(SENDER);
        ByteBuf content = good.content();
        assertThat(good.retain().release()).isFalse();
        assertThat(good.release()).isTrue();
        assertThat(content.refCnt()).isZero();
        channel.finish();
    }
}
