package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.Node;

/** What is no packet costs its sender the connection on TCP and nothing on UDP, is counted by its code, and touches nobody else. */
@Tag("long")
class AMalformedPacketTest {
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void endsATcpStreamWithItsCodeAsFirstAndAsLaterPacket(String io) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> configuration.set("io", io));
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node)) {
                for (Malformed bad : Malformed.values()) {
                    long before = view.errors(bad.code);
                    try (AnepPeer peer = new AnepPeer(node.address())) {
                        assertThat(peer.send(bad.octets()).refusal()).as("%s first", bad).isEqualTo(bad.code);
                        assertThat(peer.receive()).isNull();
                    }
                    try (AnepPeer peer = new AnepPeer(node.address())) {
                        peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW)));
                        peer.send(AnepPeer.data(Grid.FORWARD, new byte[3000])).send(bad.octets());
                        assertThat(peer.refusalAfterData()).as("%s later", bad).isEqualTo(bad.code);
                        assertThat(peer.receive()).isNull();
                    }
                    view.awaitErrors(bad.code, before + 2);
                }
                view.awaitStreams(1);
                assertThat(view.errors()).isEqualTo(2 * Malformed.values().length);
                steady.undisturbed();
            }
        }
    }

    @Test
    void endsAStreamWithTheFirstOctetThatCannotBe() throws IOException {
        try (Grid grid = new Grid()) {
            Node node = grid.node();
            try (AnepPeer peer = new AnepPeer(node.address())) {
                assertThat(peer.send(new byte[] {'G'}).refusal()).isEqualTo(ErrorCode.BAD_VERSION);
            }
        }
    }

    @Test
    void isTruncatedWhereAStreamEndsInsideIt() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = grid.node();
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW));
            for (int kept : new int[] {1, 8, opening.length - 1}) {
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    assertThat(peer.send(Arrays.copyOf(opening, kept)).finish().refusal()).as("%d octets", kept).isEqualTo(ErrorCode.TRUNCATED);
                }
            }
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(opening).send(Arrays.copyOf(AnepPeer.data(Grid.FORWARD, new byte[100]), 90)).finish();
                assertThat(peer.refusal()).isEqualTo(ErrorCode.TRUNCATED);
                assertThat(Sockets.isCut(server.next())).as("the destination sees that the stream was cut").isTrue();
            }
            NodeView view = new NodeView(node);
            view.awaitErrors(ErrorCode.TRUNCATED, 4);
            view.awaitStreams(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void asADatagramIsCountedAndNotAnswered(String io) throws IOException {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node(configuration -> configuration.set("io", io));
            NodeView view = new NodeView(node);
            byte[] good = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(destination.port(), Delivery.ANEP));
            try (UdpPeer peer = new UdpPeer(node.address())) {
                peer.send(good);
                assertThat(destination.receivePacket().typeId()).isEqualTo(Grid.FORWARD);
                for (Malformed bad : Malformed.values()) {
                    long before = view.errors(bad.code);
                    peer.send(bad.octets());
                    view.awaitErrors(bad.code, before + 1);
                }
                peer.send(good, good.length - 1).send(good, 7).send(good, 0).send(Arrays.copyOf(good, good.length + 1));
                view.awaitErrors(ErrorCode.TRUNCATED, 4);
                assertThat(peer.isSilent(300)).as("nobody is answered").isTrue();
                peer.send(good);
                assertThat(destination.receivePacket().streamId()).isEqualTo(7);
                assertThat(destination.isSilent(50)).as("nothing malformed was passed on").isTrue();
            }
            view.awaitStreams(1);
            assertThat(view.errors()).isEqualTo(Malformed.values().length + 4);
        }
    }

    /** A destination that answers nonsense once has not ended the stream: the next answer arrives. */
    @Test
    void asAnAnswerDatagramIsDroppedAlone() throws IOException {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node();
            NodeView view = new NodeView(node);
            try (UdpPeer peer = new UdpPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(destination.port(), Delivery.ANEP)));
                destination.receivePacket();
                for (Malformed bad : Malformed.values()) {
                    destination.send(bad.octets());
                }
                destination.send(AnepPeer.data(Grid.FORWARD, new byte[] {42}));
                Packet answer = peer.receivePacket();
                assertThat(answer.typeId()).as("%s", answer.options().error()).isEqualTo(Grid.FORWARD);
                assertThat(answer.payload().getByte(0)).isEqualTo((byte) 42);
            }
            view.awaitStreams(1);
            assertThat(view.errors()).isEqualTo(Malformed.values().length);
        }
    }
}
