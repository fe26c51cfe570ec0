package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Mischief;

/** A node that is told to stop lets its streams finish and takes no new ones; one that is killed starts again where it was. */
@Tag("long")
class AStoppingNodeTest {
    @Test
    void finishesItsStreamsRefusesNewOnesAndExitsWithZero() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo();
                NodeProgram node = new NodeProgram(grid.directory().resolve("data"), "--listen", "127.0.0.1:0", "--repository",
                        grid.repository().url(), "--drain", "10s");
                AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW)));
            peer.send(AnepPeer.data(Grid.MONITORING, new byte[100]));
            assertThat(peer.receive().payloadLength()).isEqualTo(100);
            node.terminate();
            await().ignoreExceptionsInstanceOf(IOException.class).untilAsserted(() ->
                    assertThatThrownBy(() -> new AnepPeer(node.address()).close()).isInstanceOf(ConnectException.class));
            try (UdpPeer udp = new UdpPeer(node.address())) {
                udp.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(9, Delivery.ANEP)));
                assertThat(udp.refusal()).isEqualTo(ErrorCode.STOPPING);
            }
            for (int i = 0; i < 20; i++) {
                peer.send(AnepPeer.data(Grid.MONITORING, new byte[100 + i]));
                assertThat(peer.receive().payloadLength()).isEqualTo(100 + i);
            }
            peer.finish();
            assertThat(peer.receive()).as("the stream ends cleanly").isNull();
            assertThat(node.exitCode()).isZero();
        }
    }

    @Test
    void endsWhatDoesNotFinishInTimeWithAWord() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = grid.node(configuration -> configuration.set("drain", "300ms"));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW)));
                server.next();
                new NodeView(node).awaitStreams(1);
                CompletableFuture<Void> stopping = Grid.async(node::stop);
                assertThat(peer.refusal()).isEqualTo(ErrorCode.STOPPING);
                stopping.join();
            }
        }
    }

    @Test
    void thatWasKilledStartsAgainOnItsDirectoryWithItsStore() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            byte[] opening = AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW));
            for (int i = 0; i < 2; i++) {
                String[] options = i == 0 ? new String[] {"--listen", "127.0.0.1:0", "--repository", grid.repository().url()}
                        : new String[] {"--listen", "127.0.0.1:0"};
                try (NodeProgram node = new NodeProgram(grid.directory().resolve("data"), options); AnepPeer peer = new AnepPeer(node.address())) {
                    peer.send(opening).send(AnepPeer.data(Grid.MONITORING, new byte[100]));
                    assertThat(peer.receive().payloadLength()).isEqualTo(100);
                    try (NodeProgram second = new NodeProgram(grid.directory().resolve("data"), "--listen", "127.0.0.1:0")) {
                        assertThat(second.said()).as("a second node on the directory").startsWith(ErrorCode.DATA_DIRECTORY.toString());
                        assertThat(second.exitCode()).isEqualTo(1);
                    }
                    node.kill().exitCode();
                }
            }
        }
    }

    /** Time in which it did not run is nobody's fault: neither the packet that was half here nor the stream that was quiet ends by it. */
    @Test
    void thatWasSuspendedGoesOnWithEveryStream() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Path limits = Files.writeString(grid.directory().resolve("node.yaml"), "limits: {packet-timeout: 3s, idle-timeout: 3s}\n");
            try (NodeProgram node = new NodeProgram(grid.directory().resolve("data"), "--listen", "127.0.0.1:0", "--repository",
                    grid.repository().url(), "--config", limits.toString());
                    AnepPeer quiet = new AnepPeer(node.address()); AnepPeer inside = new AnepPeer(node.address())) {
                byte[] packet = AnepPeer.data(Grid.MONITORING, new byte[100]);
                for (AnepPeer peer : List.of(quiet, inside)) {
                    peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW))).send(packet);
                    assertThat(peer.receive().payloadLength()).isEqualTo(100);
                }
                inside.send(Arrays.copyOf(packet, 50));
                node.suspend(Duration.ofSeconds(6));
                inside.send(Arrays.copyOfRange(packet, 50, packet.length));
                quiet.send(packet);
                for (AnepPeer peer : List.of(quiet, inside)) {
                    assertThat(peer.receive().payloadLength()).isEqualTo(100);
                }
            }
        }
    }

    @Test
    void thatWasKilledBeforeItHadAnIdGetsOne() throws IOException {
        try (Grid grid = new Grid()) {
            Files.createDirectories(grid.directory().resolve("node0"));
            Files.createFile(grid.directory().resolve("node0").resolve("node-id"));
            assertThat(new NodeView(grid.node()).status().path("node").asText()).matches("[0-9a-f]{16}");
        }
    }

    /** Whichever of its three sockets is taken: the others are free again afterwards, and so is the directory. */
    @Test
    void thatFindsAPortInUseLeavesNothingBehind() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (Grid grid = new Grid(); ServerSocket tcp = new ServerSocket(FreePort.onLoopback(), 1, loopback);
                DatagramSocket udp = new DatagramSocket(FreePort.onLoopback(), loopback)) {
            for (String taken : new String[] {"listen-tcp", "listen-udp", "admin"}) {
                int port = taken.equals("listen-udp") ? udp.getLocalPort() : tcp.getLocalPort();
                assertThatThrownBy(() -> grid.node(configuration -> {
                    configuration.set("data", grid.directory().resolve("data"));
                    configuration.set(taken.equals("admin") ? "admin" : "listen", "127.0.0.1:" + port);
                })).as(taken).isInstanceOfSatisfying(AnepException.class, error -> {
                    assertThat(error.code()).isEqualTo(ErrorCode.CANNOT_LISTEN);
                    assertThat(error.getSuppressed()).as("what does not stop").isEmpty();
                });
            }
            new ServerSocket(udp.getLocalPort(), 1, loopback).close();
            new DatagramSocket(new InetSocketAddress(loopback, tcp.getLocalPort())).close();
            assertThat(grid.node(configuration -> configuration.set("data", grid.directory().resolve("data"))).address().getPort()).isPositive();
        }
    }

    /** A stream through a service that holds its event loop for good cannot hold up the stop of its node. */
    @Test
    void doesNotWaitForAServiceThatCannotBeStopped() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("packet-waits-deaf", 0x5500, "middle", Mischief.class).in(grid.directory()));
            Node node = grid.node(configuration -> {
                configuration.set("threads", 2);
                configuration.set("limits.service-timeout", "200ms");
            });
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(0x5500, AnepPeer.to(echo.port(), Delivery.RAW)));
                NodeView view = new NodeView(node);
                await().until(() -> view.health().path("status").asText().equals("degraded"));
                assertThat(view.health().path("stuckServices").toString()).contains("packet-waits-deaf");
                long start = System.nanoTime();
                node.stop();
                assertThat(System.nanoTime() - start).isLessThan(12_000_000_000L);
            } finally {
                System.setProperty(Mischief.DEAF, "over");
            }
        }
    }
}
