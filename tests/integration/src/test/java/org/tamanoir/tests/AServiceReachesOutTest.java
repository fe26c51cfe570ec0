package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Reaching;

/** A service that opens connections of its own: to a server, through another node, to itself on another node; and where it may not or cannot. */
class AServiceReachesOutTest {
    private static final int TYPE = 0x5500;
    /** More than fits into all buffers of the way. */
    /** More than the system holds of four legs: a receive buffer grows to 32 MB (tcp_rmem) while its reader is quick. */
    private static final int MUCH = 128 << 20;
    private static final long A_FEW = 8 << 20;

    @TempDir
    private Path directory;
    private Grid grid;
    private TcpServer echo;

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        grid.push(new ServiceBundle("reaching", TYPE, "middle", Reaching.class)
                .header("Import-Package", "org.tamanoir.service,org.tamanoir.service.connection,org.tamanoir.anep,io.netty.buffer").in(directory));
        echo = TcpServer.echo();
    }

    @AfterEach
    void stop() throws Exception {
        echo.close();
        grid.close();
    }

    private Node node(Object reaches, Map<String, String> routes) {
        return grid.node(configuration -> {
            configuration.set("policies", Map.of("reaching", Map.of("reaches", reaches, "connections", 2)));
            if (!routes.isEmpty()) {
                configuration.set("routes", routes);
            }
        });
    }

    private static int port(Node node) {
        return node.address().getPort();
    }

    private AnepPeer relay(Node node, String remote) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, remote.getBytes(UTF_8)));
    }

    /** The octets that come back until the end. */
    private static byte[] rest(AnepPeer peer) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
            assertThat(packet.typeId()).as("%s", packet.options().error() == null ? "" : packet.options().error().text()).isEqualTo(TYPE);
            byte[] octets = new byte[packet.payloadLength()];
            packet.payload().getBytes(packet.payload().readerIndex(), octets);
            all.writeBytes(octets);
        }
        return all.toByteArray();
    }

    @Test
    void aServerAServerBehindAnotherNodeAndItselfOnAnotherNode() throws Exception {
        Node second = node(List.of(), Map.of());
        Node first = node(List.of("127.0.0.0/8", "localhost"), Map.of("127.0.0.2/32", "127.0.0.1:" + port(second), "127.0.0.1/32", "direct"));
        List<String> remotes = List.of("server 127.0.0.1 " + echo.port(), "server localhost " + echo.port(), "server 127.0.0.2 " + echo.port(), "node 127.0.0.1 " + port(second));
        for (String remote : remotes) {
            try (AnepPeer peer = relay(first, remote)) {
                peer.send(AnepPeer.data(TYPE, "there".getBytes(UTF_8))).send(AnepPeer.data(TYPE, " and back".getBytes(UTF_8))).finish();
                assertThat(rest(peer)).as(remote).asString(UTF_8).isEqualTo("there and back");
            }
        }
        new NodeView(first).awaitStreams(0);
        new NodeView(second).awaitStreams(0);
        assertThat(new NodeView(second).metric("tamanoir_service_packets_total{service=\"reaching\",version=\"1.0.0\"}")).as("packets of the second node").isPositive();
    }

    @Test
    void nobodyHoldsMoreThanAFewMegabytes() throws Exception {
        Node node = node(List.of("*"), Map.of());
        byte[] sent = new byte[MUCH];
        new Random(1).nextBytes(sent);
        try (AnepPeer peer = relay(node, "server 127.0.0.1 " + echo.port())) {
            // Nobody reads what comes back, so that the whole way fills up.
            Thread writer = new Thread(() -> {
                try {
                    for (int at = 0; at < MUCH; at += 32_768) {
                        peer.send(AnepPeer.data(TYPE, Arrays.copyOfRange(sent, at, at + 32_768)));
                    }
                    peer.finish();
                } catch (IOException e) {
                    // The octets that are missing say so.
                }
            });
            writer.start();
            Thread.sleep(300);
            assertThat(writer.isAlive()).as("the source has to wait").isTrue();
            assertThat(new NodeView(node).metric("tamanoir_memory_bytes")).as("octets that the node holds").isPositive().isLessThan(A_FEW);
            assertThat(rest(peer)).isEqualTo(sent);
            writer.join();
        }
        new NodeView(node).awaitStreams(0);
    }

    @Test
    void whatItMayNotOrCannotReachIsSaidByItsCode() throws Exception {
        int nobody = FreePort.onLoopback();
        Node node = node(List.of("127.0.0.1", "nowhere.invalid"), Map.of());
        Map<String, ErrorCode> remotes = Map.of("server 127.0.0.2 " + echo.port(), ErrorCode.NOT_PERMITTED,
                "server 127.0.0.1 " + nobody, ErrorCode.UNREACHABLE, "server nowhere.invalid 80", ErrorCode.UNREACHABLE,
                "server 127.0.0.1 " + port(node), ErrorCode.FORBIDDEN_DESTINATION);
        for (Map.Entry<String, ErrorCode> remote : remotes.entrySet()) {
            try (AnepPeer peer = relay(node, remote.getKey())) {
                assertThat(peer.refusal()).as(remote.getKey()).isEqualTo(remote.getValue());
            }
        }
        try (AnepPeer one = relay(node, "server 127.0.0.1 " + echo.port()); AnepPeer two = relay(node, "server 127.0.0.1 " + echo.port())) {
            for (AnepPeer peer : List.of(one, two)) {
                peer.send(AnepPeer.data(TYPE, new byte[] {1}));
                assertThat(peer.receive().payloadLength()).isEqualTo(1);
            }
            try (AnepPeer third = relay(node, "server 127.0.0.1 " + echo.port())) {
                assertThat(third.refusal()).isEqualTo(ErrorCode.SERVICE_LIMIT);
            }
        }
        // A source that is gone takes its connection with it: there is room again.
        await().untilAsserted(() -> {
            try (AnepPeer peer = relay(node, "server 127.0.0.1 " + echo.port())) {
                peer.send(AnepPeer.data(TYPE, new byte[] {1})).finish();
                assertThat(rest(peer)).hasSize(1);
            }
        });
    }
}
