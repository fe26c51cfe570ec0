package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.Node;

/** A stream that may not or cannot go on is told the code, on TCP and on UDP; the node counts it and keeps nothing of it. */
@Tag("long")
class ARefusedStreamTest {
    private static void refusedBothWays(Node node, byte[] opening, ErrorCode code) throws IOException {
        NodeView view = new NodeView(node);
        try (AnepPeer tcp = new AnepPeer(node.address()); UdpPeer udp = new UdpPeer(node.address())) {
            assertThat(tcp.send(opening).refusal()).as("TCP").isEqualTo(code);
            assertThat(tcp.receive()).isNull();
            assertThat(udp.send(opening).refusal()).as("UDP").isEqualTo(code);
        }
        view.awaitErrors(code, 2);
    }

    @Test
    void withoutADestination() throws IOException {
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node();
            refusedBothWays(node, AnepPeer.opening(Grid.FORWARD, new PacketOptions().stream(1, 0)), ErrorCode.NO_DESTINATION);
            new NodeView(node).awaitStreams(0);
        }
    }

    @Test
    void withoutARoute() throws IOException {
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node();
            PacketOptions elsewhere = new PacketOptions().destination(Identifier.of(InetAddress.getByName("192.0.2.1"))).delivery(9, Delivery.ANEP);
            refusedBothWays(node, AnepPeer.opening(Grid.FORWARD, elsewhere), ErrorCode.NO_ROUTE);
            new NodeView(node).awaitStreams(0);
        }
    }

    /** Two nodes that each take the other for the next: the packet stops when its hops are used up, and the source hears of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenItsRoutesFormALoop(boolean tcp) throws IOException {
        try (Grid grid = Grid.withRepository()) {
            Node first = grid.node(configuration -> configuration.set("limits.datagram-idle", "1s"));
            Node second = grid.node(configuration -> {
                configuration.set("limits.datagram-idle", "1s");
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + first.address().getPort()));
            });
            NodeView.putRoute(first, "127.0.0.0/8", "127.0.0.1:" + second.address().getPort());
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(9, Delivery.ANEP).hops(8));
            try (AnepPeer stream = new AnepPeer(first.address()); UdpPeer datagram = new UdpPeer(first.address())) {
                assertThat(tcp ? stream.send(opening).refusal() : datagram.send(opening).refusal()).isEqualTo(ErrorCode.HOPS_EXHAUSTED);
            }
            NodeView one = new NodeView(first);
            NodeView two = new NodeView(second);
            one.awaitStreams(0);
            two.awaitStreams(0);
            assertThat(one.errors(ErrorCode.HOPS_EXHAUSTED) + two.errors(ErrorCode.HOPS_EXHAUSTED)).isEqualTo(1);
            assertThat(one.status().path("streamsOpened").asInt() + two.status().path("streamsOpened").asInt()).isBetween(8, tcp ? 10 : 9);
        }
    }

    @Test
    void whenItsDestinationDoesNotListen() throws IOException {
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node(configuration -> configuration.set("limits.datagram-idle", "1s"));
            refusedBothWays(node, AnepPeer.opening(Grid.FORWARD, AnepPeer.to(1, Delivery.ANEP)), ErrorCode.DESTINATION_REFUSED);
            new NodeView(node).awaitStreams(0);
        }
    }

    @Test
    void beyondTheStreamsOfANodeOrOfASource() throws IOException {
        try (Grid grid = new Grid()) {
            Node node = grid.node(configuration -> {
                configuration.set("limits.streams", 3);
                configuration.set("limits.streams-per-source", 2);
            });
            NodeView view = new NodeView(node);
            List<Socket> held = new ArrayList<>();
            try (AnepPeer one = new AnepPeer(node.address()); AnepPeer two = new AnepPeer(node.address())) {
                view.awaitStreams(2);
                try (AnepPeer three = new AnepPeer(node.address())) {
                    assertThat(three.refusal()).isEqualTo(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE);
                }
                held.add(from("127.0.0.2", node));
                view.awaitStreams(3);
                try (AnepPeer four = new AnepPeer(node.address())) {
                    assertThat(four.refusal()).isEqualTo(ErrorCode.TOO_MANY_STREAMS);
                }
                held.get(0).close();
                assertThat(one.socket().isConnected() && two.socket().isConnected()).isTrue();
                view.awaitStreams(2);
            }
            view.awaitStreams(0);
            try (AnepPeer again = new AnepPeer(node.address()); AnepPeer andAgain = new AnepPeer(node.address())) {
                view.awaitStreams(2);
                assertThat(again.socket().isConnected() && andAgain.socket().isConnected()).isTrue();
            }
            assertThat(view.errors(ErrorCode.TOO_MANY_STREAMS)).isEqualTo(1);
            assertThat(view.errors(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE)).isEqualTo(1);
        }
    }

    private static Socket from(String source, Node node) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(source, 0));
        socket.connect(node.address());
        return socket;
    }

    /** One octet now and then opens no stream: its first packet must be whole in time. Later ones may take theirs, as a path may stall. */
    @Test
    void whoseHeaderComesOneOctetAtATime() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = grid.node(configuration -> configuration.set("limits.packet-timeout", "1s"));
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.ANEP));
            long start = System.nanoTime();
            try (AnepPeer first = new AnepPeer(node.address()); AnepPeer later = new AnepPeer(node.address()); SteadyStream steady = new SteadyStream(node)) {
                later.send(opening);
                for (int i = 0; i < 8; i++) {
                    first.send(new byte[] {opening[i]});
                    later.send(new byte[] {opening[i]});
                    Thread.sleep(100);
                }
                assertThat(first.refusal()).isEqualTo(ErrorCode.HEADER_TIMEOUT);
                assertThat(System.nanoTime() - start).isBetween(900_000_000L, 5_000_000_000L);
                Thread.sleep(1000);
                for (int i = 8; i < opening.length; i++) {
                    later.send(new byte[] {opening[i]});
                }
                await().untilAsserted(() -> assertThat(new NodeView(node).streams()).as("the stream whose second packet took its time")
                        .anyMatch(stream -> stream.path("bytesIn").asLong() == 2 * opening.length));
                steady.undisturbed();
            }
            NodeView view = new NodeView(node);
            view.awaitErrors(ErrorCode.HEADER_TIMEOUT, 1);
        }
    }

    /** Eight octets announce a large packet, a thousand times: what has not come takes no memory. */
    @Test
    void whoseHeaderPromisesMoreThanItSends() throws IOException {
        try (Grid grid = new Grid()) {
            Node node = grid.node();
            NodeView view = new NodeView(node);
            List<AnepPeer> peers = new ArrayList<>();
            try {
                for (int i = 0; i < 1000; i++) {
                    peers.add(new AnepPeer(node.address()).send(new byte[] {1, 0, 0x54, 1, 0, 2, (byte) 0xFF, (byte) 0xFF}));
                }
                await().until(() -> view.streams().stream().filter(stream -> stream.path("bytesIn").asLong() == 8).count() == 1000);
                assertThat(view.directMemory() - grid.directMemoryBefore()).isLessThan(32 << 20);
                peers.forEach(peer -> sendOneMore(peer));
                await().until(() -> view.streams().stream().filter(stream -> stream.path("bytesIn").asLong() == 9).count() == 1000);
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(32 << 20);
            } finally {
                for (AnepPeer peer : peers) {
                    peer.close();
                }
            }
            view.awaitStreams(0);
        }
    }

    private static void sendOneMore(AnepPeer peer) {
        try {
            peer.send(new byte[1]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whenNothingPassesForTheIdleTime() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node(configuration -> {
                configuration.set("limits.idle-timeout", "700ms");
                configuration.set("limits.datagram-idle", "700ms");
            });
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address()); UdpPeer udp = new UdpPeer(node.address())) {
                udp.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(destination.port(), Delivery.ANEP)));
                destination.receive();
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW)));
                assertThat(peer.refusal()).isEqualTo(ErrorCode.IDLE_TIMEOUT);
                assertThat(Sockets.isCut(server.next())).isTrue();
            }
            view.awaitErrors(ErrorCode.IDLE_TIMEOUT, 1);
            view.awaitStreams(0);
        }
    }

    /** A first packet that nobody serves is refused or passed on unserved, as its flag says; never served by guesswork. */
    @Test
    void whoseServiceNobodyHasUnlessItsFlagLetsItPass() throws IOException {
        int unknown = 0x57FF;
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node();
            NodeView view = new NodeView(node);
            refusedBothWays(node, AnepPeer.opening(unknown, AnepPeer.to(echo.port(), Delivery.RAW)), ErrorCode.UNKNOWN_SERVICE);
            view.awaitStreams(0);
            try (AnepPeer peer = new AnepPeer(node.address()); UdpPeer udp = new UdpPeer(node.address())) {
                peer.send(AnepPeer.packet(new PacketBuilder(unknown).options(AnepPeer.to(echo.port(), Delivery.RAW))));
                peer.send(AnepPeer.data(unknown, new byte[] {1, 2, 3})).finish();
                assertThat(peer.receive().payloadLength()).isEqualTo(3);
                assertThat(peer.receive()).isNull();
                udp.send(AnepPeer.packet(new PacketBuilder(unknown).options(AnepPeer.to(destination.port(), Delivery.ANEP))));
                assertThat(destination.receivePacket().typeId()).isEqualTo(unknown);
            }
            assertThat(view.metric("tamanoir_services_left_out_total")).isEqualTo(2);
            assertThat(view.errors()).isEqualTo(2);
        }
    }

    /** An unknown option that asks for nothing travels on unchanged. */
    @Test
    void notForAnUnknownOptionThatMayBeIgnored() throws IOException {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node();
            PacketOptions options = AnepPeer.to(destination.port(), Delivery.ANEP);
            byte[] known = AnepPeer.opening(Grid.FORWARD, options);
            byte[] more = java.util.Arrays.copyOf(known, known.length + 8);
            System.arraycopy(new byte[] {(byte) 0x81, 0x23, 0, 2, 9, 8, 7, 6}, 0, more, known.length, 8);
            more[5] += 2;
            more[7] += 8;
            try (UdpPeer peer = new UdpPeer(node.address())) {
                PacketOptions arrived = peer.send(more) == null ? null : destination.receivePacket().options();
                assertThat(arrived.unknown()).containsExactly(new PacketOptions.Unknown(0x8123, new byte[] {9, 8, 7, 6}));
                assertThat(arrived.hops()).isEqualTo(Anep.DEFAULT_HOPS - 1);
            }
        }
    }

    @Test
    void whenMoreWaitsForServicesThanMay() throws IOException {
        try (Grid grid = new Grid(); FakeRepository silent = FakeRepository.silent()) {
            Node node = grid.node(configuration -> {
                configuration.set("repositories", List.of(silent.url()));
                configuration.set("limits.memory", 16 << 20);
                configuration.set("limits.repository-timeout", "3s");
                configuration.set("threads", 1);
            });
            NodeView view = new NodeView(node);
            byte[] opening = AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN)
                    .options(AnepPeer.to(9, Delivery.ANEP)).payload(io.netty.buffer.Unpooled.wrappedBuffer(new byte[60_000])));
            List<AnepPeer> waiting = new ArrayList<>();
            try (AnepPeer first = new AnepPeer(node.address()); AnepPeer last = new AnepPeer(node.address()); UdpPeer udp = new UdpPeer(node.address())) {
                first.send(opening);
                // Each keeps its first packet: at most so many fit.
                for (int i = 0; i < (16 << 20) / 60_000; i++) {
                    waiting.add(new AnepPeer(node.address()));
                    waiting.get(i).send(opening);
                }
                last.send(opening);
                await().until(() -> view.status().path("memoryBytes").asLong() > 15_800_000);
                assertThat(udp.send(opening).refusal()).isEqualTo(ErrorCode.MEMORY_FULL);
                // One look may meet a buffer between those that are spare and those that are in use.
                assertThat(LongStream.generate(() -> view.status().path("memoryBytes").asLong()).limit(5).min().orElseThrow()).isLessThanOrEqualTo(16 << 20);
                for (AnepPeer peer : waiting) {
                    peer.close();
                }
                assertThat(first.refusal()).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
            }
            view.awaitStreams(0);
        }
    }
}
