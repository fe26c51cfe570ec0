package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Faulty;

/** Strangers open more connections than the node's process has descriptors: everything but their own streams goes on. */
class AFloodOfConnectionsTest {
    private static final int DESCRIPTORS = 300;
    private static final int CONNECTIONS = 900;
    private static final int TYPE = 0x5500;
    private static final int OTHER = 0x5501;
    private static final String PEER = "127.0.0.2";
    private static final String STRANGER = "127.0.0.9";

    @TempDir
    Path directory;
    private final List<Socket> flood = new ArrayList<>();
    private Keyring keyring;
    private TcpServer echo;
    private NodeProgram node;
    private Path revoked;
    private String other;
    /** Descriptors of the node, at most, while it was flooded. */
    private int most;

    @BeforeEach
    void start() throws Exception {
        echo = TcpServer.echo();
        keyring = new Keyring(Files.createDirectory(directory.resolve("keys"))).add("alice");
        revoked = Files.writeString(directory.resolve("revoked"), "");
        plant("one", TYPE);
        other = plant("other", OTHER);
        Path publishers = Files.writeString(directory.resolve("publishers.pem"), keyring.certificate("alice"));
        Path file = Files.writeString(directory.resolve("node.yaml"), "listen: 127.0.0.1:0\npeers: [" + PEER + "]\ntrust: " + publishers + "\nrevoked: " + revoked
                + "\nlimits: {packet-timeout: 60s}\n");
        node = NodeProgram.withDescriptors(DESCRIPTORS, directory.resolve("data"), "--config", file.toString());
    }

    private String plant(String name, int type) throws IOException {
        byte[] bundle = keyring.signed(new ServiceBundle(name, type, "middle", Faulty.class), "alice");
        Path store = Files.createDirectories(directory.resolve("data/bundles"));
        String hash = FakeRepository.sha256(bundle);
        Files.write(store.resolve(hash + ".jar"), bundle);
        Files.writeString(store.resolve(hash + ".json"), "{\"typeId\":" + type + ",\"name\":\"" + name + "\",\"version\":\"1.0.0\",\"level\":\"middle\",\"sha256\":\""
                + hash + "\",\"size\":" + bundle.length + ",\"content\":null}");
        return hash;
    }

    @AfterEach
    void stop() throws IOException {
        end();
        node.close();
        echo.close();
    }

    private void end() throws IOException {
        for (Socket each : flood) {
            each.close();
        }
        flood.clear();
    }

    private AnepPeer open(String from, int type) throws IOException {
        return new AnepPeer(node.address(), InetAddress.getByName(from)).send(AnepPeer.opening(type, AnepPeer.to(echo.port(), Delivery.RAW)))
                .send(AnepPeer.data(type, new byte[] {1, 2, 3}));
    }

    private static void assertServed(AnepPeer peer) throws IOException {
        assertThat(peer.receive().payloadLength()).isEqualTo(3);
    }

    /** @param octets each sends; none is silent */
    private void flood(byte[] octets) throws IOException {
        InetSocketAddress to = node.address();
        for (int i = 0; i < CONNECTIONS; i++) {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(STRANGER, 0));
            socket.connect(to, 10_000);
            flood.add(socket);
            try {
                socket.getOutputStream().write(octets);
            } catch (IOException e) {
                // It is refused already.
            }
            most = i % 10 == 0 ? Math.max(most, descriptors()) : most;
        }
    }

    private int descriptors() {
        return new File("/proc/" + node.pid() + "/fd").list().length;
    }

    private JsonNode health() {
        return node.admin().json("/status").path("health");
    }

    /** They hold their descriptors until they have been silent for too long: the node is short of them all the while. */
    @Test
    void ofSilentStrangersDisturbsNobody() throws Exception {
        isOver(new byte[0], () -> {
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(health().path("overload").asText()).contains("of descriptors in use: no new streams of strangers"));
            assertThat(health().path("status").asText()).isEqualTo("degraded");
            try (AnepPeer stranger = new AnepPeer(node.address(), InetAddress.getByName(STRANGER))) {
                assertThat(stranger.refusal()).isEqualTo(ErrorCode.TOO_MANY_STREAMS);
            }
        });
    }

    /** Each wants a second descriptor for its next hop, when others have taken theirs: one that is refused gives back its first. */
    @Test
    void ofStrangersWithStreamsDisturbsNobody() throws Exception {
        isOver(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)), () ->
                await().atMost(Duration.ofSeconds(20)).until(() -> node.admin().json("/status").path("errors").path(ErrorCode.TOO_MANY_STREAMS.toString()).asLong() > CONNECTIONS - DESCRIPTORS));
    }

    private interface Check {
        void run() throws Exception;
    }

    private void isOver(byte[] octets, Check refused) throws Exception {
        try (AnepPeer before = open(PEER, TYPE); AnepPeer ending = open(PEER, OTHER)) {
            assertServed(before);
            assertServed(ending);
            flood(octets);

            refused.run();
            assertThat(most).as("what nobody has looked at yet counts, too").isLessThan(DESCRIPTORS * 9 / 10);
            try (AnepPeer peer = open(PEER, TYPE)) {
                assertServed(peer);
            }
            before.send(AnepPeer.data(TYPE, new byte[] {4, 5, 6}));
            assertServed(before);
            Files.writeString(revoked, "bundle " + other + "\n");
            assertThat(ending.refusalAfterData()).isEqualTo(ErrorCode.SERVICE_REMOVED);

            end();
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                assertThat(health().path("status").asText()).isEqualTo("ok");
                // What closed since the last measurement still counts.
                try (AnepPeer again = open(STRANGER, TYPE)) {
                    assertServed(again);
                }
            });
            before.send(AnepPeer.data(TYPE, new byte[] {7, 8, 9}));
            assertServed(before);
        }
    }
}
