package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.Node;

/** A stream that was cut never looks like one that ended: a reset travels as a reset, or as an error packet toward an ANEP source. */
@Tag("long")
class ACutStreamTest {
    private static Node chain(Grid grid, int nodes, String io) {
        Node node = grid.node(configuration -> configuration.set("io", io));
        for (int i = 1; i < nodes; i++) {
            node = grid.nodeTo(node);
        }
        return node;
    }

    @ParameterizedTest
    @CsvSource({"1, epoll, 21505", "2, epoll, 21507", "1, nio, 21506"})
    void bySourceIsCutForTheDestination(int nodes, String io, int service) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = chain(grid, nodes, io);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(service, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(service, new byte[5000]));
                Socket destination = server.next();
                assertThat(destination.getInputStream().readNBytes(5000)).hasSize(5000);
                Sockets.cut(peer.socket());
                assertThat(Sockets.isCut(destination)).isTrue();
            }
            new NodeView(node).awaitStreams(0);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, epoll, 21505", "2, epoll, 21507", "1, nio, 21506"})
    void byDestinationIsAnErrorForTheSource(int nodes, String io, int service) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = chain(grid, nodes, io);
            // Many times: whether a read, a write or the selector notices first is up to chance.
            for (int i = 0; i < 25; i++) {
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    peer.send(AnepPeer.opening(service, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(service, new byte[5000]));
                    Socket destination = server.next();
                    destination.getOutputStream().write(new byte[300]);
                    assertThat(peer.receive().payloadLength()).isPositive();
                    Sockets.cut(destination);
                    if (i % 2 == 0) {
                        peer.send(AnepPeer.data(service, new byte[9]));
                    }
                    assertThat(peer.refusalAfterData()).isEqualTo(ErrorCode.CONNECTION_LOST);
                }
            }
            new NodeView(node).awaitStreams(0);
        }
    }

    /** The source goes while nothing is read from it because the destination does not read. */
    @Test
    void behindWhatTheDestinationHasNotReadIsStillCut() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = chain(grid, 2, "epoll");
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW)));
                Socket destination = server.next();
                Thread filling = new Thread(() -> fill(peer), "test-filling");
                filling.start();
                NodeView view = new NodeView(node);
                await().until(() -> view.streams().get(0).path("paused").asBoolean());
                Sockets.cut(peer.socket());
                assertThat(Sockets.isCut(destination)).isTrue();
            }
            new NodeView(node).awaitStreams(0);
        }
    }

    private static void fill(AnepPeer peer) {
        try {
            while (true) {
                peer.send(AnepPeer.data(Grid.FORWARD, new byte[50_000]));
            }
        } catch (IOException e) {
            // Cut, as planned.
        }
    }

    /** The source goes before its stream has a service or a connection: the destination sees no stream, or one that was cut. */
    @Test
    void whileItWaitsForItsServiceLeavesNothing() throws IOException {
        try (Grid grid = new Grid(); FakeRepository silent = FakeRepository.silent()) {
            Node node = grid.node(configuration -> {
                configuration.set("repositories", List.of(silent.url()));
                configuration.set("limits.repository-timeout", "1s");
            });
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address()); AnepPeer nothing = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(9, Delivery.RAW)));
                await().until(() -> view.streams().stream().anyMatch(stream -> stream.path("state").asText().equals("waiting")));
                Sockets.cut(peer.socket());
                Sockets.cut(nothing.socket());
            }
            view.awaitStreams(0);
        }
    }

    /** Either end may finish first, also before the other has said anything; the rest of the other direction still arrives. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isNotWhatAHalfClosedOneIs(boolean sourceFirst) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = chain(grid, 2, "epoll");
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(server.port(), Delivery.RAW)));
                if (sourceFirst) {
                    peer.finish();
                }
                Socket destination = server.next();
                if (sourceFirst) {
                    assertThat(destination.getInputStream().read()).isEqualTo(-1);
                    destination.getOutputStream().write(new byte[3000]);
                    destination.shutdownOutput();
                    assertThat(payload(peer)).isEqualTo(3000);
                } else {
                    destination.shutdownOutput();
                    assertThat(peer.receive()).isNull();
                    peer.send(AnepPeer.data(Grid.COMPRESSION, new byte[3000])).finish();
                    assertThat(destination.getInputStream().readAllBytes()).hasSize(3000);
                }
            }
            view.awaitStreams(0);
            assertThat(view.metric("tamanoir_streams_completed_total")).isEqualTo(1);
            assertThat(view.errors()).isZero();
        }
    }

    private static int payload(AnepPeer peer) throws IOException {
        int octets = 0;
        for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
            octets += packet.payloadLength();
        }
        return octets;
    }
}
