package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/** x */
class TcpLegTest {
    private final LegChannel channel = new LegChannel();

    @Test
    void smoke() {
        List<String> log = new ArrayList<>();
        Stage sink = new Stage(null) {
            @Override
            public void packet(Packet packet) {
                log.add("packet " + packet.payloadLength());
            }

            @Override
            public void flush() {
            }
        };
        TcpLeg leg = channel.leg(sink, new TcpLeg.Events() {
            @Override
            public void ended(boolean clean) {
                log.add("ended " + clean);
            }

            @Override
            public void broken(AnepException cause) {
                log.add("broken " + cause.getMessage());
            }

            @Override
            public void finished() {
                log.add("finished");
            }

            @Override
            public void room(boolean room) {
                log.add("room " + room);
            }
        });
        ByteBuf p = new PacketBuilder(0x5401).payload(Unpooled.wrappedBuffer(new byte[10])).build(Unpooled.buffer().alloc());
        channel.peerSends(p);
        leg.pauseReading(true);
        channel.peerSends(p);
        channel.peerEnds();
        leg.pauseReading(false);
        channel.settle();
        channel.peerTakes(5);
        leg.write(p);
        leg.flush();
        leg.finish();
        assertThat(channel.ending()).isEqualTo(LegChannel.Ending.OPEN);
        channel.peerTakes(Long.MAX_VALUE);
        assertThat(log).containsExactly("packet 10", "packet 10", "ended true", "room false", "room true", "finished");
        assertThat(channel.ending()).isEqualTo(LegChannel.Ending.FIN);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.memory().retained()).isZero();
    }
}
