package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Replacer;

/** A service may drop, keep or replace the packet that opens a stream; the nodes behind still know where the stream goes. */
class AReplacedFirstPacketTest {
    private static final int TYPE = 0x5511;

    @ParameterizedTest
    @CsvSource({"drops-the-first, middle", "emits-bare, middle", "emits-bare, heavy", "keeps-all, middle", "keeps-all, heavy"})
    void overTcp(String name, String level) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle(name, TYPE, level, Replacer.class).in(grid.directory()));
            Node first = grid.nodeTo(grid.nodeTo(grid.node()));
            try (AnepPeer peer = new AnepPeer(first.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
                for (int i = 0; i < 4; i++) {
                    peer.send(AnepPeer.data(TYPE, new byte[] {(byte) ('a' + i)}));
                }
                peer.finish();
                ByteArrayOutputStream got = new ByteArrayOutputStream();
                for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
                    assertThat(packet.typeId()).as("an error: %s", packet.options().error()).isEqualTo(TYPE);
                    packet.payload().readBytes(got, packet.payloadLength());
                }
                // The service runs on three nodes: one that drops the first packet drops three.
                assertThat(got.toString(StandardCharsets.US_ASCII)).isEqualTo(name.equals("drops-the-first") ? "cd" : "abcd");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"emits-bare, middle", "emits-bare, heavy"})
    void overUdp(String name, String level) throws IOException {
        try (Grid grid = Grid.withRepository(); UdpPeer receiver = new UdpPeer()) {
            grid.push(new ServiceBundle(name, TYPE, level, Replacer.class).in(grid.directory()));
            Node first = grid.nodeTo(grid.node());
            try (UdpPeer peer = new UdpPeer(first.address())) {
                for (int i = 0; i < 3; i++) {
                    peer.send(AnepPeer.packet(new PacketBuilder(TYPE).flags(Anep.FLAG_DISCARD_UNKNOWN)
                            .options(AnepPeer.to(receiver.port(), Delivery.RAW))
                            .payload(Unpooled.wrappedBuffer(new byte[] {(byte) ('a' + i)}))));
                }
                for (int i = 0; i < 3; i++) {
                    assertThat(receiver.receive()).containsExactly('a' + i);
                }
            }
        }
    }
}
