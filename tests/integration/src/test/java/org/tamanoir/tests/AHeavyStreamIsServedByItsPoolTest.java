package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.membership.Welcome.Virtual;
import org.tamanoir.node.Node;

/** An edge node and the back ends that serve heavy streams in its place are one active node to everybody else. */
@Tag("long")
class AHeavyStreamIsServedByItsPoolTest {
    private static final int OCTETS = 1200;
    private static final int PACKETS = 50;

    private static Map<String, String> heavy(InetSocketAddress to) {
        return Map.of("to", "127.0.0.1:" + to.getPort(), "level", "heavy");
    }

    private static Map<String, String> routesTo(Node next) {
        return Map.of("127.0.0.0/8", "127.0.0.1:" + next.address().getPort());
    }

    /** Shrinks to next to nothing. */
    private static byte[] payload(int number) {
        byte[] payload = new byte[OCTETS];
        Arrays.fill(payload, (byte) number);
        return payload;
    }

    /** The edge has the far node as its next hop, as the back end has; it hands what is heavy to the back end. */
    private record Site(Node edge, Node backEnd, Node far) {
        static Site of(Grid grid) {
            Node far = grid.node();
            Node backEnd = grid.nodeTo(far);
            return new Site(grid.node(configuration -> {
                configuration.set("routes", routesTo(far));
                configuration.set("pools", List.of(heavy(backEnd.address())));
            }), backEnd, far);
        }
    }

    @Test
    void overTcpItIsAsIfTheEdgeNodeServedIt() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Site site = Site.of(grid);
            NodeView edge = new NodeView(site.edge());
            NodeView backEnd = new NodeView(site.backEnd());
            try (AnepPeer peer = new AnepPeer(site.edge().address())) {
                // Two hops are enough for two nodes.
                peer.send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(echo.port(), Delivery.RAW, Grid.MONITORING).hops(2)));
                for (int i = 0; i < PACKETS; i++) {
                    peer.send(AnepPeer.data(Grid.COMPRESSION, payload(i)));
                }
                byte[] back = received(peer, PACKETS * OCTETS);
                for (int i = 0; i < PACKETS; i++) {
                    assertThat(Arrays.copyOfRange(back, i * OCTETS, (i + 1) * OCTETS)).as("packet %d", i).isEqualTo(payload(i));
                }
                JsonNode handed = edge.streams().get(0);
                String pool = "127.0.0.1:" + site.backEnd().address().getPort();
                assertThat(handed.path("handedTo").asText()).isEqualTo(pool);
                assertThat(handed.path("services").toString()).isEqualTo("[\"0x5403\",\"0x5402\"]");
                JsonNode explained = Grid.admin(site.edge()).json("/explain/stream/" + handed.path("number").asLong());
                assertThat(explained.path("runs").asText()).isEqualTo("pool");
                assertThat(explained.path("because").asText()).isEqualTo("handed to pool " + pool + ": compression (0x5403) is declared heavy");
                assertThat(Grid.admin(site.edge()).json("/explain/0x5403").path("runs").asText()).isEqualTo("pool");
                assertThat(edge.metric("tamanoir_streams_handed_total{pool=\"" + pool + "\"}")).isEqualTo(1);
                assertThat(Grid.admin(site.edge()).json("/routes").path("pools").path(0).path("streams").asInt()).isEqualTo(1);
                JsonNode served = backEnd.streams().get(0);
                assertThat(served.path("position").asText()).isEqualTo("ingress");
                assertThat(served.path("services").toString()).isEqualTo("[\"compression\",\"monitoring\"]");
                assertThat(served.path("bytesOut").asLong()).as("octets toward the far node").isLessThan(PACKETS * OCTETS / 4);
                assertThat(new NodeView(site.far()).streams().get(0).path("position").asText()).isEqualTo("egress");
                peer.finish();
                assertThat(peer.receive()).as("the end comes back").isNull();
            }
            assertThat(edge.versions(Grid.COMPRESSION)).as("the edge node has not got it").isEmpty();
            assertThat(edge.versions(Grid.MONITORING)).as("the stream goes as a whole").isEmpty();
            try (Stream<Path> bundles = Files.list(grid.directory().resolve("node2/bundles"))) {
                assertThat(bundles).isEmpty();
            }
            try (AnepPeer peer = new AnepPeer(site.edge().address())) {
                peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.MONITORING, payload(1)));
                assertThat(received(peer, OCTETS)).isEqualTo(payload(1));
                assertThat(edge.streams().get(0).path("handedTo").isNull()).as("what is not heavy stays").isTrue();
                assertThat(edge.service(Grid.MONITORING).path("state").asText()).isEqualTo("active");
            }
            try (AnepPeer peer = new AnepPeer(site.edge().address()); TcpServer destination = TcpServer.idle()) {
                peer.send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(destination.port(), Delivery.ANEP)));
                Packet first = firstPacket(destination.next());
                assertThat(first.hops()).as("two nodes").isEqualTo(Anep.DEFAULT_HOPS - 2);
                assertThat(first.isHandedOver()).as("nobody else sees it").isFalse();
            }
            assertThat(edge.errors() + backEnd.errors()).isZero();
        }
    }

    private static Packet firstPacket(Socket socket) throws IOException {
        byte[] header = socket.getInputStream().readNBytes(Anep.HEADER_SIZE);
        byte[] rest = socket.getInputStream().readNBytes(((header[6] & 0xFF) << 8 | header[7] & 0xFF) - header.length);
        Packet packet = Packet.of(Unpooled.wrappedBuffer(header, rest));
        packet.checkOptions();
        return packet;
    }

    private static byte[] received(AnepPeer peer, int octets) throws IOException {
        byte[] all = new byte[octets];
        for (int had = 0; had < octets;) {
            Packet packet = peer.receive();
            assertThat(packet.typeId()).as("an error: %s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
            packet.payload().readBytes(all, had, packet.payloadLength());
            had += packet.payloadLength();
        }
        return all;
    }

    private static byte[] datagram(int port, int number, int hops) {
        return AnepPeer.packet(new PacketBuilder(Grid.COMPRESSION).flags(Anep.FLAG_DISCARD_UNKNOWN)
                .options(AnepPeer.to(port, Delivery.ANEP).stream(7, number).hops(hops).checksum(number % 3 == 0)).payload(Unpooled.wrappedBuffer(payload(number))));
    }

    @Test
    void overUdpToo() throws Exception {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Site site = Site.of(grid);
            try (UdpPeer peer = new UdpPeer(site.edge().address())) {
                for (int i = 0; i < PACKETS; i++) {
                    int hops = i % 2 == 0 ? -1 : 2;
                    peer.send(datagram(destination.port(), i, hops));
                    Packet packet = Packet.of(Unpooled.wrappedBuffer(destination.receive()));
                    packet.checkOptions();
                    assertThat(packet.hops()).as("two nodes").isEqualTo((hops < 0 ? Anep.DEFAULT_HOPS : hops) - 2);
                    assertThat(packet.isHandedOver()).as("nobody else sees it").isFalse();
                    assertThat(ByteBufUtil.getBytes(packet.payload())).as("datagram %d", i).isEqualTo(payload(i));
                    destination.send(datagram(9, i, -1));
                    assertThat(ByteBufUtil.getBytes(peer.receivePacket().payload())).as("answer %d", i).isEqualTo(payload(i));
                }
            }
            NodeView edge = new NodeView(site.edge());
            assertThat(edge.versions(Grid.COMPRESSION)).isEmpty();
            JsonNode served = new NodeView(site.backEnd()).streams().get(0);
            assertThat(served.path("position").asText()).isEqualTo("ingress");
            assertThat(served.path("bytesOut").asLong()).isLessThan(PACKETS * OCTETS / 4);
            assertThat(edge.streams().get(0).path("handedTo").asText()).isEqualTo("127.0.0.1:" + site.backEnd().address().getPort());
            assertThat(edge.errors() + new NodeView(site.backEnd()).errors()).isZero();
        }
    }

    /** The edge node of the far site: there a node comes before it, and its back end delivers. */
    @Test
    void atTheOtherEndOfThePathItIsTheLastNode() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo(); UdpPeer destination = new UdpPeer()) {
            Node backEnd = grid.node();
            Node edge = grid.node(configuration -> configuration.set("pools", List.of(heavy(backEnd.address()))));
            Node near = grid.nodeTo(edge);
            try (AnepPeer peer = new AnepPeer(near.address()); UdpPeer datagrams = new UdpPeer(near.address())) {
                peer.send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(echo.port(), Delivery.RAW).hops(2)));
                peer.send(AnepPeer.data(Grid.COMPRESSION, payload(1)));
                assertThat(received(peer, OCTETS)).isEqualTo(payload(1));
                for (int i = 0; i < 10; i++) {
                    datagrams.send(datagram(destination.port(), i, i % 2 == 0 ? 2 : -1));
                    Packet packet = Packet.of(Unpooled.wrappedBuffer(destination.receive()));
                    packet.checkOptions();
                    assertThat(ByteBufUtil.getBytes(packet.payload())).as("datagram %d", i).isEqualTo(payload(i));
                    assertThat(packet.isHandedOver()).isFalse();
                }
            }
            NodeView view = new NodeView(backEnd);
            assertThat(Stream.concat(view.streams().stream(), ended(backEnd)).map(stream -> stream.path("position").asText())).isNotEmpty().containsOnly("egress");
            assertThat(view.service(Grid.COMPRESSION).path("source").asText()).as("the edge node, which comes before it, has not got it")
                    .isEqualTo(grid.repository().url());
            assertThat(new NodeView(edge).versions(Grid.COMPRESSION)).isEmpty();
        }
    }

    private static Stream<JsonNode> ended(Node node) {
        return StreamSupport.stream(Grid.admin(node).json("/streams?ended").path("streams").spliterator(), false);
    }

    /** Pools that lead to each other are found with the first stream, not when its hops are used up. */
    @Test
    void itIsRefusedWhereItWouldBeHandedOverAgain() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo(); UdpPeer destination = new UdpPeer()) {
            Node second = grid.node();
            Node first = grid.node(configuration -> configuration.set("pools", List.of(heavy(second.address()))));
            Node third = grid.node(configuration -> configuration.set("pools", List.of(heavy(first.address()))));
            try (AnepPeer peer = new AnepPeer(third.address()); UdpPeer datagrams = new UdpPeer(third.address())) {
                peer.send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(echo.port(), Delivery.RAW)));
                assertThat(peer.refusal()).isEqualTo(ErrorCode.HOPS_EXHAUSTED);
                datagrams.send(datagram(destination.port(), 1, -1));
                assertThat(datagrams.refusal()).isEqualTo(ErrorCode.HOPS_EXHAUSTED);
            }
            assertThat(new NodeView(third).status().path("streamsOpened").asInt()).isEqualTo(2);
            assertThat(new NodeView(first).status().path("streamsOpened").asInt()).isEqualTo(2);
            assertThat(new NodeView(second).status().path("streamsOpened").asInt()).isZero();
        }
    }

    /** A back end may have the configuration of its edge node. It takes what is handed over, and knows from its front-end which addresses it is behind. */
    @Test
    void aBackEndWithTheSamePoolsServesIt() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo(); TestFrontend frontend = TestFrontend.onLoopback(null)) {
            // Nobody listens there: a stream that is handed over once more is lost.
            Virtual virtual = new Virtual("127.0.0.1", 9);
            frontend.services = List.of(new Virtual("127.0.0.1", 10));
            Node backEnd = grid.node(configuration -> {
                configuration.set("pools", List.of(heavy(new InetSocketAddress(virtual.address(), virtual.port()))));
                configuration.set("cluster.name", "b1");
                configuration.set("cluster.health", "127.0.0.1:0");
                configuration.set("cluster.frontends", List.of(frontend.url()));
            });
            Node edge = grid.node(configuration -> configuration.set("pools", List.of(heavy(backEnd.address()))));
            byte[] opening = AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(echo.port(), Delivery.RAW));
            serves(edge, opening);
            assertThat(refusal(backEnd, opening)).as("it is an edge node for addresses of others").isEqualTo(ErrorCode.UNREACHABLE);
            frontend.services = List.of(virtual);
            await().until(() -> new NodeView(backEnd).status().path("cluster").path("frontends").path(0).path("services").toString().equals("[\"127.0.0.1:9\"]"));
            serves(backEnd, opening);
            assertThat(new NodeView(edge).versions(Grid.COMPRESSION)).isEmpty();
            assertThat(new NodeView(backEnd).service(Grid.COMPRESSION).path("state").asText()).isEqualTo("active");
        }
    }

    /** What is heavy only a repository says; what is named needs nobody. And the pools of a changed file are in force at once. */
    @Test
    void withoutARepositoryANameIsEnough() throws Exception {
        try (Grid grid = Grid.withRepository(); Grid bare = new Grid(); FakeRepository silent = FakeRepository.silent(); TcpServer echo = TcpServer.echo()) {
            Node backEnd = grid.node();
            Node unsure = grid.node(configuration -> {
                configuration.set("repositories", List.of(silent.url()));
                configuration.set("limits.repository-timeout", "300ms");
                configuration.set("pools", List.of(heavy(backEnd.address())));
            });
            byte[] opening = AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(echo.port(), Delivery.RAW));
            assertThat(refusal(unsure, opening)).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
            Path file = Files.writeString(bare.directory().resolve("node.yaml"), yaml(backEnd, "level: heavy"));
            Node edge = bare.node(file);
            assertThat(refusal(edge, opening)).isEqualTo(ErrorCode.UNKNOWN_SERVICE);
            Files.writeString(file, yaml(backEnd, "services: [compression]"));
            await().until(() -> Grid.admin(edge).json("/routes").path("pools").path(0).path("level").isNull());
            serves(edge, opening);
            Files.writeString(file, yaml(backEnd, "level: middle"));
            await().untilAsserted(() -> assertThat(new NodeView(edge).health().path("configurationRefused").asText()).contains("pools[0].level"));
        }
    }

    private static void serves(Node node, byte[] opening) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(opening).send(AnepPeer.data(Grid.COMPRESSION, payload(3)));
            assertThat(received(peer, OCTETS)).isEqualTo(payload(3));
        }
    }

    private static ErrorCode refusal(Node node, byte[] opening) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            return peer.send(opening).refusal();
        }
    }

    private static String yaml(Node backEnd, String what) {
        return "pools: [{to: '127.0.0.1:" + backEnd.address().getPort() + "', " + what + "}]\n";
    }
}
