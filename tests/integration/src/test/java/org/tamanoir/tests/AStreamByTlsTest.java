package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;

/** Nodes that know each other by certificates: what passes between them is whole, its ends mean what they meant, and nobody else comes in. */
@Tag("long")
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
                peer.send(AnepPeer.data(Grid.MONITORING, Arrays.copyOfRange(octets, at, Math.min(octets.length, at + 60_000))));
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
        Instant soon = Instant.now().plus(1, ChronoUnit.HOURS);
        Identity.Files tomorrow = authority.certify("soon", "URI:" + A, soon, soon.plus(1, ChronoUnit.DAYS));
        int errors = 0;
        for (Identity.Files files : List.of(new Identity.Files(unknown.certificate(), unknown.key(), authority.certificate(), null), expired, tomorrow)) {
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

    /** Whoever replaces files one after the other, or badly, disturbs nobody: what was in force stays so, and the node says why. */
    @Test
    void filesThatAreNoGoodChangeNothingAndHealthSaysSo() throws Exception {
        Path revoked = Files.writeString(directory.resolve("revoked"), "");
        Identity.Files own = authority.certify("b", "URI:" + B, 20);
        Node last = grid.node(configuration -> identified(configuration, own).set("tls.revoked", revoked.toString()).set("peers", List.of(A))
                .set("routes", Map.of("127.0.0.0/8", "direct")));
        NodeView view = new NodeView(last);
        Node first = first(last);
        byte[] key = Files.readAllBytes(own.key());
        byte[] chain = Files.readAllBytes(own.certificate());
        byte[] foreign = Files.readAllBytes(authority.certify("other", "URI:" + A, 20).key());
        try (TcpServer echo = TcpServer.echo(); AnepPeer open = new AnepPeer(first.address())) {
            open.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW)));
            exchange(open);
            Files.write(own.key(), foreign);
            said(view, own.key() + " does not hold the key of the certificate");
            Files.delete(own.key());
            said(view, own.key() + " cannot be read");
            Files.write(own.key(), Arrays.copyOf(key, key.length / 2));
            said(view, own.key() + " holds no private key");
            Files.write(own.key(), key);
            Files.write(own.certificate(), Arrays.copyOf(chain, chain.length / 2));
            said(view, own.certificate() + " holds");
            Files.writeString(revoked, "all of them");
            Files.write(own.certificate(), chain);
            said(view, revoked + " line 1");
            try (Identity client = new Identity(authority.certify("c", "URI:" + A, 20)); SSLSocket socket = socket(client, last)) {
                socket.startHandshake();
            }
            Files.writeString(revoked, "key " + hashOfKey(directory.resolve("c.pem")) + "\n");
            await().untilAsserted(() -> assertThat(view.health().path("status").asText()).isEqualTo("ok"));
            long before = view.errors(ErrorCode.NOT_IDENTIFIED);
            try (Identity client = new Identity(new Identity.Files(directory.resolve("c.pem"), directory.resolve("c.key"), authority.certificate(), null))) {
                assertThat(answer(client, last)).isLessThan(0);
            }
            view.awaitErrors(ErrorCode.NOT_IDENTIFIED, before + 1);
            exchange(open);
            open.finish();
            assertThat(open.receive()).isNull();
        }
    }

    private static String hashOfKey(Path certificate) throws Exception {
        try (InputStream in = Files.newInputStream(certificate)) {
            byte[] key = CertificateFactory.getInstance("X.509").generateCertificate(in).getPublicKey().getEncoded();
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(key));
        }
    }

    private static void said(NodeView view, String problem) {
        await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> {
            assertThat(view.health().toString()).contains(problem);
            assertThat(view.health().path("status").asText()).isNotEqualTo("ok");
        });
    }

    private static void exchange(AnepPeer stream) throws IOException {
        stream.send(AnepPeer.data(Grid.FORWARD, random(1000)));
        byte[] back = new byte[1000];
        for (int at = 0; at < back.length;) {
            Packet packet = stream.receive();
            int octets = packet.payloadLength();
            packet.payload().getBytes(0, back, at, octets);
            at += octets;
        }
        assertThat(back).isEqualTo(random(1000));
    }

    /** {@code -Dtls.changes=100} for as many as the target says; a change takes the two seconds until files are looked at. */
    @Test
    @Timeout(600)
    void certificatesChangeUnderAHundredStreamsAndNoneIsLost() throws Exception {
        Node last = last();
        Node first = node(authority.certify("a", "URI:" + A, 20), B, Map.of("127.0.0.0/8", "tls://127.0.0.1:" + last.address().getPort()));
        try (TcpServer echo = TcpServer.echo(); Identity identity = new Identity(authority.certify("c", "URI:spiffe://example.org/c", 20));
                TamanoirClient client = new TamanoirClient().tls(new NodeTls(identity, A::equals))) {
            StreamRequest request = new StreamRequest().via(new NodeAddress(first.address(), true)).to(new InetSocketAddress("127.0.0.1", echo.port()))
                    .services("forward").delivery(Delivery.RAW);
            List<ClientStream> streams = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                streams.add(client.open(request));
            }
            for (int change = 1; change <= Integer.getInteger("tls.changes", 6); change++) {
                Instant until = Instant.now().plus(20, ChronoUnit.DAYS).plus(change, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);
                for (String who : List.of("a,URI:" + A, "b,URI:" + B, "c,URI:spiffe://example.org/c")) {
                    authority.certify(who.split(",")[0], who.split(",")[1], Instant.now().minusSeconds(60), until);
                    exchangeAll(streams);
                }
                await().atMost(Duration.ofSeconds(15)).until(() -> identity.until().equals(until) && isUntil(first, until) && isUntil(last, until));
                // With the new certificates, in the place of one that ends.
                ClientStream ending = streams.remove(0);
                ending.complete();
                ending.close();
                streams.add(client.open(request));
            }
            exchangeAll(streams);
            for (ClientStream each : streams) {
                each.complete();
                each.close();
            }
        }
        assertThat(new NodeView(first).errors() + new NodeView(last).errors()).isZero();
    }

    private static boolean isUntil(Node node, Instant until) {
        return new NodeView(node).status().path("identity").path("until").asText().equals(until.toString());
    }

    private static void exchangeAll(List<ClientStream> streams) throws InterruptedException {
        byte[] octets = random(1000);
        for (ClientStream each : streams) {
            each.send(octets);
        }
        for (ClientStream each : streams) {
            ByteBuf back = Unpooled.buffer();
            while (back.readableBytes() < octets.length) {
                ByteBuf payload = each.receive();
                back.writeBytes(payload);
                payload.release();
            }
            assertThat(Arrays.copyOf(back.array(), back.readableBytes())).isEqualTo(octets);
        }
    }
}
