package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.client.BearerToken;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.token.TokenIssuer;

/** A node's process with an access policy: who gets through, what the others are told, and that nobody else notices. */
@Tag("long")
class AnAccessPolicyTest {
    private static final String HERE = "https://node.example.org";

    @TempDir
    Path directory;
    private Grid grid;
    private NodeProgram node;
    private TokenIssuer cms;
    private Path policy;
    private ServerSocket server;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        cms = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        policy = directory.resolve("access.yaml");
        write("  - allow: " + cms.name() + "\n    scope: storage.read:/cms\n    services: [forward, monitoring]\n    to: 127.0.0.1 1024-65535\n    streams: 2\n");
        Path file = Files.writeString(directory.resolve("node.yaml"), "listen: 127.0.0.1:0\npeers: []\naccess-policy: " + policy + "\nrepositories: [\""
                + grid.repository().url() + "\"]\n");
        node = new NodeProgram(directory.resolve("data"), "--config", file.toString());
    }

    private void write(String rules) throws IOException {
        Files.writeString(policy, "issuers:\n  - issuer: " + cms.name() + "\n    keys: " + cms.keys() + "\n    audience: " + HERE + "\n    revoked: [stolen]\nrules:\n" + rules);
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        server.close();
        grid.close();
    }

    private String good() {
        return cms.token("ada", HERE, "storage.read:/cms");
    }

    private AnepPeer opens(int typeId, String token) throws IOException {
        PacketOptions options = AnepPeer.to(server.getLocalPort(), Delivery.RAW).token(token);
        return new AnepPeer(node.address()).send(AnepPeer.opening(typeId, options)).send(AnepPeer.data(typeId, "hello".getBytes()));
    }

    private void assertRefused(ErrorCode code, int typeId, String token) throws IOException {
        try (AnepPeer peer = opens(typeId, token)) {
            assertThat(peer.refusal()).isEqualTo(code);
        }
    }

    private String changed(String claim, Object value) {
        Map<String, Object> claims = cms.claims("ada", HERE, "storage.read:/cms");
        claims.put(claim, value);
        return cms.signed(claims);
    }

    @Test
    void eachWrongTokenHasItsCodeAndAnOpenStreamGoesOn() throws Exception {
        try (AnepPeer ada = opens(Grid.FORWARD, good()); Socket got = server.accept()) {
            assertThat(got.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
            TokenIssuer forger = new TokenIssuer(cms.name(), directory.resolve("forger.jwks"));
            TokenIssuer stranger = new TokenIssuer("https://cms.example.org", directory.resolve("stranger.jwks"));
            long now = Instant.now().getEpochSecond();

            assertRefused(ErrorCode.NOT_PERMITTED, Grid.FORWARD, null);
            assertRefused(ErrorCode.NOT_PERMITTED, Grid.FORWARD, cms.token("ada", HERE, "storage.read:/atlas"));
            assertRefused(ErrorCode.NOT_PERMITTED, Grid.COMPRESSION, good());
            assertRefused(ErrorCode.BAD_TOKEN, Grid.FORWARD, "nonsense");
            assertRefused(ErrorCode.BAD_TOKEN, Grid.FORWARD, "a.b.c");
            assertRefused(ErrorCode.BAD_TOKEN, Grid.FORWARD, forger.token("ada", HERE, "storage.read:/cms"));
            assertRefused(ErrorCode.BAD_TOKEN, Grid.FORWARD, "x".repeat(9000));
            assertRefused(ErrorCode.TOKEN_TIME, Grid.FORWARD, changed("exp", now - 3600));
            assertRefused(ErrorCode.TOKEN_TIME, Grid.FORWARD, changed("nbf", now + 3600));
            assertRefused(ErrorCode.TOKEN_AUDIENCE, Grid.FORWARD, changed("aud", List.of("https://other.example.org")));
            assertRefused(ErrorCode.TOKEN_ISSUER, Grid.FORWARD, stranger.token("ada", HERE, "storage.read:/cms"));
            assertRefused(ErrorCode.TOKEN_REVOKED, Grid.FORWARD, changed("jti", "stolen"));

            ada.send(AnepPeer.data(Grid.FORWARD, "still".getBytes()));
            assertThat(got.getInputStream().readNBytes(5)).asString().isEqualTo("still");
        }
        assertThat(node.admin().json("/services").toString()).as("a service that nobody may use is not got").doesNotContain("compression");
    }

    @Test
    void anIdentityHasItsShareAndTheNodeSaysWhatDecides() throws Exception {
        try (AnepPeer one = opens(Grid.FORWARD, good()); Socket first = server.accept(); AnepPeer two = opens(Grid.MONITORING, good()); Socket second = server.accept()) {
            assertRefused(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE, Grid.FORWARD, good());
            JsonNode stream = node.admin().json("/streams").path("streams").path(0);
            assertThat(stream.path("identity").asText()).isEqualTo(cms.name() + "#ada");
            assertThat(stream.path("permittedBy").asText()).startsWith("line 7: allow " + cms.name());
            JsonNode explained = explain(good());
            assertThat(explained.path("decision").asText()).isEqualTo("allowed");
            assertThat(explained.path("line").asInt()).isEqualTo(7);
            assertThat(explained.path("streams").asInt()).isEqualTo(2);
            one.send(AnepPeer.data(Grid.FORWARD, "one".getBytes()));
            two.send(AnepPeer.data(Grid.MONITORING, "two".getBytes()));
            assertThat(first.getInputStream().readNBytes(8)).asString().isEqualTo("helloone");
            assertThat(second.getInputStream().readNBytes(8)).asString().isEqualTo("hellotwo");
        }
        await().untilAsserted(() -> assertThat(explain(good()).path("streams").asInt()).isZero());
        assertThat(explain(null).path("decision").asText()).isEqualTo("refused");
        assertThat(Files.exists(directory.resolve("data/audit.log")) ? Files.readString(directory.resolve("data/audit.log")) : "").as("tokens in the audit log").doesNotContain("eyJ");
    }

    private JsonNode explain(String token) {
        HttpFetch admin = node.admin();
        return admin.post("/explain/access", TokenIssuer.of("to", "127.0.0.1:" + server.getLocalPort(), "services", List.of("forward"), "token", token));
    }

    @Test
    void aPolicyWithAContradictionChangesNothingAndIsAProblem() throws Exception {
        try (AnepPeer ada = opens(Grid.FORWARD, good()); Socket got = server.accept()) {
            write("  - allow: anybody\n  - deny: 127.0.0.0/8\n");
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(health().path("accessPolicy").asText()).contains("line 8", "the other way round"));
            assertRefused(ErrorCode.NOT_PERMITTED, Grid.FORWARD, null);
            write("  - allow: 127.0.0.0/8\n");
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(health().path("status").asText()).isEqualTo("ok"));
            try (AnepPeer anybody = opens(Grid.FORWARD, null); Socket theirs = server.accept()) {
                anybody.send(AnepPeer.data(Grid.FORWARD, "!".getBytes()));
                assertThat(theirs.getInputStream().readNBytes(6)).asString().isEqualTo("hello!");
            }
            ada.send(AnepPeer.data(Grid.FORWARD, "still".getBytes()));
            assertThat(got.getInputStream().readNBytes(10)).asString().isEqualTo("hellostill");
        }
    }

    private JsonNode health() {
        return node.admin().json("/status").path("health");
    }

    @Test
    void programsShowTheTokenThatIsInTheFileNow() throws Exception {
        Path file = Files.writeString(directory.resolve("ada.jwt"), changed("exp", Instant.now().getEpochSecond() - 3600) + "\n");
        StreamRequest request = new StreamRequest().via(node.address()).to((InetSocketAddress) server.getLocalSocketAddress()).services("forward").delivery(Delivery.RAW);
        try (TamanoirClient client = new TamanoirClient().token(BearerToken.of(file, false))) {
            assertThatThrownBy(() -> {
                try (ClientStream refused = client.open(request)) {
                    refused.complete();
                }
            }).hasMessageStartingWith("EE-218");
            Files.writeString(file, good());
            try (ClientStream stream = client.open(request)) {
                stream.send(Unpooled.copiedBuffer("hello".getBytes()));
                try (Socket got = server.accept()) {
                    assertThat(got.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
                }
            }
        }
        try (Gateway gateway = Gateway.open(new GatewayOptions(new InetSocketAddress("127.0.0.1", 0)).via(node.address())
                .to((InetSocketAddress) server.getLocalSocketAddress()).services("forward").token(BearerToken.of(file, false)));
                Socket program = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            program.getOutputStream().write("unmodified".getBytes());
            try (Socket got = server.accept()) {
                assertThat(got.getInputStream().readNBytes(10)).asString().isEqualTo("unmodified");
            }
            Files.delete(file);
            try (Socket second = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
                assertThatThrownBy(() -> {
                    if (second.getInputStream().read() < 0) {
                        throw new IOException("ended");
                    }
                }).isInstanceOf(IOException.class);
            }
            assertThat(gateway.counters().lastFailure()).hasMessageStartingWith("EE-501");
        }
    }

    @Test
    void aProgramAddsItsTokenToTheCookie() throws Exception {
        try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                TamanoirClient client = new TamanoirClient().token(new BearerToken(this::good, false));
                ClientStream stream = client.open(new StreamRequest().via(node.address()).to((InetSocketAddress) receiver.getLocalSocketAddress())
                        .services("monitoring").udp(true).delivery(Delivery.RAW))) {
            receiver.setSoTimeout(10_000);
            stream.send(Unpooled.copiedBuffer("hello".getBytes()));
            DatagramPacket got = new DatagramPacket(new byte[2000], 2000);
            do {
                receiver.receive(got);
            } while (got.getLength() == 0);
            assertThat(new String(got.getData(), 0, got.getLength())).isEqualTo("hello");
        }
    }

    @Test
    void aSenderOfDatagramsShowsItsTokenWithItsCookie() throws Exception {
        try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress()); UdpPeer sender = new UdpPeer(new InetSocketAddress("127.0.0.1", node.address().getPort()))) {
            receiver.setSoTimeout(10_000);
            PacketOptions options = AnepPeer.to(receiver.getLocalPort(), Delivery.RAW).stream(7, 0);
            sender.send(AnepPeer.opening(Grid.FORWARD, options));
            sender.send(AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options)
                    .payload(Unpooled.wrappedBuffer("first".getBytes()))));
            Packet asked = sender.receivePacket();
            assertThat(asked.typeId()).isEqualTo(Anep.TYPE_CONTROL);
            sender.send(AnepPeer.packet(new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN)
                    .options(new PacketOptions().stream(7, 0).cookie(asked.cookie()).token(good()))));
            String all = "";
            while (!all.endsWith("first")) {
                DatagramPacket got = new DatagramPacket(new byte[2000], 2000);
                receiver.receive(got);
                all += new String(got.getData(), 0, got.getLength());
            }
            assertThat(all).isEqualTo("first");
        }
    }
}
