package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;

/** Nodes that know each other by certificates: what passes between them is whole, its ends mean what they meant, and nobody else comes in. */
class AStreamByTlsTest {
    private static final String A = "spiffe://example.org/node/a";
    private static final String B = "spiffe://example.org/node/b";

    @TempDir
    Path directory;
    private Grid grid;
    private Authority authority;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        authority = new Authority(directory, "ca");
    }

    @AfterEach
    void stop() throws IOException {
        grid.close();
    }

    private Node node(Identity.Files files, String peer, Map<String, String> routes, String... plain) {
        return grid.node(configuration -> identified(configuration, files, plain).set("peers", List.of(peer)).set("routes", routes));
    }

    private static Settings identified(Settings configuration, Identity.Files files, String... plain) {
        return configuration.set("tls.certificate", files.certificate().toString()).set("tls.key", files.key().toString())
                .set("tls.authorities", files.authorities().toString()).set("tls.plain", List.of(plain));
    }

    private Node last() {
        return node(authority.certify("b", "URI:" + B, 20), A, Map.of("127.0.0.0/8", "direct"));
    }

    private Node first(Node last) {
        return node(authority.certify("a", "URI:" + A, 20), B, Map.of("127.0.0.0/8", "tls://127.0.0.1:" + last.address().getPort()), "127.0.0.0/8");
    }

    private static byte[] random(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20_000_000})
    void arrivesWholeBothWaysAndItsHalvesEndApart(int length) throws Exception {
        byte[] sent = random(length);
        Node last = last();
        Node first = first(last);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); AnepPeer peer = new AnepPeer(first.address())) {
            peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(server.getLocalPort(), Delivery.RAW)));
            CompletableFuture<Void> sending = Grid.async(() -> send(peer, sent));
            try (Socket arrived = server.accept()) {
                assertThat(arrived.getInputStream().readNBytes(length)).isEqualTo(sent);
                assertThat(arrived.getInputStream().read()).as("the source has finished").isEqualTo(-1);
                CompletableFuture<Void> answering = Grid.async(() -> answer(arrived, sent));
                byte[] back = new byte[length];
                int at = 0;
                for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
                    assertThat(packet.typeId()).as("%s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
                    int octets = packet.payloadLength();
                    packet.payload().getBytes(0, back, at, octets);
                    at += octets;
                }
                assertThat(at).isEqualTo(length);
                assertThat(back).isEqualTo(sent);
                answering.join();
            }
            sending.join();
        }
        new NodeView(first).awaitStreams(0);
        new NodeView(last).awaitStreams(0);
        assertThat(new NodeView(first).errors() + new NodeView(last).errors()).isZero();
    }

    private static void answer(Socket to, byte[] octets) {
        try {
            to.getOutputStream().write(octets);
            to.shutdownOutput();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void send(AnepPeer peer, byte[] octets) {
        try {
            for (int at = 0; at < octets.length; at += 60_000) {
                peer.send(AnepPeer.data(Grid.MONITORING, java.util.Arrays.copyOfRange(octets, at, Math.min(octets.length, at + 60_000))));
            }
            peer.finish();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void manyStreamsOneAfterAnotherUseTheConnectionsThatAreKept() throws Exception {
        Node last = last();
        Node first = first(last);
        try (TcpServer echo = TcpServer.echo()) {
            for (int i = 0; i < 50; i++) {
                try (AnepPeer peer = new AnepPeer(first.address())) {
                    peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, random(100)));
                    int octets = 0;
                    while (octets < 100) {
                        octets += peer.receive().payloadLength();
                    }
                    peer.finish();
                    assertThat(peer.receive()).isNull();
                }
            }
        }
        assertThat(new NodeView(last).status().path("streamsOnKeptConnections").asInt()).isGreaterThan(30);
    }

    @Test
    void whoComesWithoutTlsOrWithoutAGoodCertificateIsRefused() throws Exception {
        Node last = last();
        NodeView view = new NodeView(last);
        try (AnepPeer plain = new AnepPeer(last.address()); UdpPeer datagram = new UdpPeer(last.address())) {
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(9, Delivery.ANEP));
            assertThat(plain.send(opening).refusal()).isEqualTo(ErrorCode.TLS_NEEDED);
            assertThat(datagram.send(opening).refusal()).isEqualTo(ErrorCode.TLS_NEEDED);
        }
        Authority strangers = new Authority(directory, "strangers");
        Identity.Files unknown = strangers.certify("s", "URI:" + A, 20);
        Identity.Files expired = authority.certify("old", "URI:" + A, -1);
        int errors = 0;
        for (Identity.Files files : List.of(new Identity.Files(unknown.certificate(), unknown.key(), authority.certificate(), null), expired)) {
            try (Identity wrong = new Identity(files)) {
                assertThat(answer(wrong, last)).as("%s", files).isLessThan(0);
            }
            view.awaitErrors(ErrorCode.NOT_IDENTIFIED, ++errors);
        }
        assertThat(view.status().path("streamsOpened").asInt()).isZero();
        view.awaitStreams(0);
    }

    /** What a TLS client reads first; -1 for nothing. */
    private static int answer(Identity client, Node node) throws IOException {
        try (SSLSocket socket = socket(client, node)) {
            socket.startHandshake();
            return socket.getInputStream().read();
        } catch (SocketException | javax.net.ssl.SSLException e) {
            return -1;
        }
    }

    private static SSLSocket socket(Identity client, Node node) throws IOException {
        SSLSocket socket = (SSLSocket) client.sslContext(B::equals).getSocketFactory().createSocket("127.0.0.1", node.address().getPort());
        socket.setSoTimeout(5000);
        return socket;
    }

    /** Somebody on the way can end a TCP connection; only the peer can say that it has ended the stream. */
    @Test
    void anEndThatThePeerHasNotSaidIsNoGoodEnd() throws Exception {
        Node last = last();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); Identity client = new Identity(authority.certify("a", "URI:" + A, 20));
             Socket below = new Socket("127.0.0.1", last.address().getPort())) {
            SSLSocket socket = (SSLSocket) client.sslContext(B::equals).getSocketFactory().createSocket(below, "127.0.0.1", below.getPort(), false);
            OutputStream out = socket.getOutputStream();
            out.write(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.getLocalPort(), Delivery.RAW)));
            out.write(AnepPeer.data(Grid.FORWARD, random(5)));
            try (Socket arrived = server.accept()) {
                InputStream in = arrived.getInputStream();
                assertThat(in.readNBytes(5)).isEqualTo(random(5));
                below.shutdownOutput();
                arrived.setSoTimeout(5000);
                assertThat(new Object() {
                    int read() throws IOException {
                        try {
                            return in.read();
                        } catch (SocketException e) {
                            return -2;
                        }
                    }
                }.read()).as("a reset").isEqualTo(-2);
            }
        }
        new NodeView(last).awaitStreams(0);
    }

    @Test
    void aNextHopThatIsSomebodyElseGetsNothing() throws Exception {
        Node last = node(authority.certify("c", "URI:spiffe://example.org/node/c", 20), A, Map.of("127.0.0.0/8", "direct"));
        Node first = first(last);
        try (AnepPeer peer = new AnepPeer(first.address())) {
            assertThat(peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(9, Delivery.ANEP))).refusal()).isEqualTo(ErrorCode.NOT_IDENTIFIED);
        }
        assertThat(new NodeView(last).status().path("streamsOpened").asInt()).isZero();
    }

    @Test
    void certificatesChangeUnderStreamsAndNoneIsLost() throws Exception {
        Node last = last();
        Node first = first(last);
        try (TcpServer echo = TcpServer.echo()) {
            List<AnepPeer> streams = new ArrayList<>();
            for (int round = 0; round < 10; round++) {
                AnepPeer stream = new AnepPeer(first.address());
                stream.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW)));
                streams.add(stream);
                for (AnepPeer each : streams) {
                    each.send(AnepPeer.data(Grid.FORWARD, random(1000)));
                    int octets = 0;
                    while (octets < 1000) {
                        octets += each.receive().payloadLength();
                    }
                }
                authority.certify("a", "URI:" + A, 20 + round);
                authority.certify("b", "URI:" + B, 20 + round);
            }
            String until = new NodeView(last).status().path("identity").path("until").asText();
            await().atMost(Duration.ofSeconds(10)).until(() -> !new NodeView(last).status().path("identity").path("until").asText().equals(until)
                    || !new NodeView(last).status().path("identity").has("problem"));
            for (AnepPeer each : streams) {
                each.finish();
                assertThat(each.receive()).isNull();
                each.close();
            }
        }
        assertThat(new NodeView(first).errors() + new NodeView(last).errors()).isZero();
    }
}
