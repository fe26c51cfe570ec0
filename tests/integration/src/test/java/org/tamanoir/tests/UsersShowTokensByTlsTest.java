package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.client.BearerToken;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.node.Node;

/** The client library and the gateway through two nodes whose operators know users by tokens and nodes by certificates: no token goes astray. */
@Tag("long")
class UsersShowTokensByTlsTest {
    private static final String A = "spiffe://example.org/node/a";
    private static final String B = "spiffe://example.org/node/b";
    private static final String HERE = "https://a.example.org";

    @TempDir
    Path directory;
    private final List<Identity> identities = new ArrayList<>();
    private Grid grid;
    private Authority authority;
    private TokenIssuer cms;
    private Node first;
    private Node last;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        authority = new Authority(directory, "ca");
        cms = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        Path users = Files.writeString(directory.resolve("users.yaml"), "issuers:\n  - {issuer: '" + cms.name() + "', keys: " + cms.keys() + ", audience: " + HERE
                + "}\nrules:\n  - {allow: '" + cms.name() + "', scope: 'storage.read:/cms'}\n");
        Path nodes = Files.writeString(directory.resolve("nodes.yaml"), "rules:\n  - allow: " + A + "\n");
        last = node(authority.certify("b", "URI:" + B, 20), A, "direct", nodes, "required");
        first = node(authority.certify("a", "URI:" + A + ",IP:127.0.0.1", 20), B, "tls://127.0.0.1:" + last.address().getPort(), users, "optional");
    }

    private Node node(Identity.Files files, String peer, String target, Path policy, String clients) {
        return grid.node(configuration -> configuration.set("tls.certificate", files.certificate().toString()).set("tls.key", files.key().toString())
                .set("tls.authorities", files.authorities().toString()).set("tls.clients", clients).set("tls.plain", List.of()).set("peers", List.of(peer))
                .set("routes", Map.of("127.0.0.0/8", target)).set("access-policy", policy.toString()));
    }

    @AfterEach
    void stop() throws IOException {
        identities.forEach(Identity::close);
        grid.close();
    }

    /** Somebody without a certificate, who believes an authority. */
    private NodeTls believing(Path authorities, String... names) {
        Identity user = new Identity(new Identity.Files(null, null, authorities, null));
        identities.add(user);
        return new NodeTls(user, List.of(names)::contains);
    }

    private BearerToken token() {
        return new BearerToken(() -> cms.token("ada", HERE, "storage.read:/cms"), false);
    }

    private StreamRequest to(ServerSocket server) {
        return new StreamRequest().via(secure(first)).to((InetSocketAddress) server.getLocalSocketAddress()).services("monitoring").delivery(Delivery.RAW);
    }

    private static NodeAddress secure(Node node) {
        return new NodeAddress(node.address(), true);
    }

    private static byte[] random(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @Test
    void aFileArrivesWholeAndItsAnswerToo() throws Exception {
        int length = 20_000_000;
        byte[] sent = random(length);
        Path file = Files.write(directory.resolve("file"), sent);
        try (ServerSocket server = server(); TamanoirClient client = new TamanoirClient().tls(believing(authority.certificate())).token(token());
                ClientStream stream = client.open(to(server)); FileChannel in = FileChannel.open(file)) {
            CompletableFuture<Void> echo = Grid.async(() -> echo(server));
            ByteArrayOutputStream back = new ByteArrayOutputStream();
            CompletableFuture<Void> reading = Grid.async(() -> read(stream, back));
            assertThat(stream.sendFile(in)).isEqualTo(length);
            stream.finish();
            echo.join();
            reading.join();
            assertThat(back.toByteArray()).isEqualTo(sent);
        }
        new NodeView(first).awaitStreams(0);
        assertThat(new NodeView(first).errors() + new NodeView(last).errors()).isZero();
    }

    private static void echo(ServerSocket server) {
        try (Socket arrived = server.accept()) {
            arrived.getInputStream().transferTo(arrived.getOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(ClientStream stream, ByteArrayOutputStream into) {
        try {
            for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
                into.writeBytes(ByteBufUtil.getBytes(payload));
                payload.release();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theGatewayCarriesOneConnectionAfterAnother() throws Exception {
        try (TcpServer echo = TcpServer.echo(); Gateway gateway = Gateway.open(new GatewayOptions(new InetSocketAddress("127.0.0.1", 0)).via(secure(first))
                .to(new InetSocketAddress("127.0.0.1", echo.port())).services("forward").tls(believing(authority.certificate())).token(token()))) {
            for (int i = 1; i <= 50; i++) {
                byte[] sent = random(i * 997);
                try (Socket program = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
                    CompletableFuture<Void> sending = Grid.async(() -> send(program, sent));
                    assertThat(program.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
                    sending.join();
                    program.shutdownOutput();
                    assertThat(program.getInputStream().read()).isEqualTo(-1);
                }
            }
            assertThat(gateway.counters().reused()).as("streams on kept connections").isGreaterThan(40);
            assertThat(gateway.counters().lastFailure()).isNull();
        }
    }

    private static void send(Socket program, byte[] octets) {
        try {
            program.getOutputStream().write(octets);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aNodeThatIsNotWhoItShouldBeGetsNoToken() throws Exception {
        Authority strangers = new Authority(directory, "strangers");
        try (ServerSocket server = server()) {
            assertRefused(server, first, believing(strangers.certificate()), "EE-215");
            Node nameless = node(authority.certify("nameless", "URI:" + B, 20), A, "direct", directory.resolve("users.yaml"), "optional");
            assertRefused(server, nameless, believing(authority.certificate(), A), "EE-215");
            Node expired = node(authority.certify("old", "URI:" + A + ",IP:127.0.0.1", -1), B, "direct", directory.resolve("users.yaml"), "optional");
            assertRefused(server, expired, believing(authority.certificate(), A), "EE-215");
            try (TamanoirClient client = new TamanoirClient().tls(believing(authority.certificate(), B)).token(token());
                    ClientStream stream = client.open(to(server).via(secure(nameless))); Socket arrived = server.accept()) {
                stream.send("by name".getBytes());
                assertThat(arrived.getInputStream().readNBytes(7)).asString().isEqualTo("by name");
            }
        }
        new NodeView(first).awaitStreams(0);
    }

    private void assertRefused(ServerSocket server, Node node, NodeTls tls, String code) throws InterruptedException {
        try (TamanoirClient client = new TamanoirClient().tls(tls).token(token())) {
            assertThatThrownBy(() -> client.open(to(server).via(secure(node)))).hasMessageStartingWith(code);
        }
        assertThat(new NodeView(node).status().path("streamsOpened").asLong()).as("streams, and so tokens, that it has seen").isZero();
    }
}
