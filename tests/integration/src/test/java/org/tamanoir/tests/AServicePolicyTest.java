package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/**
 * What becomes of streams when their service fails them: what its bundle says, unless the operator says otherwise. When it has failed too
 * often it is suspended, and restarted after a pause. Another service's stream on the same event loop notices nothing.
 */
@Tag("long")
class AServicePolicyTest {
    private static final int TYPE = 0x5500;
    private static final int FAILURES = 3;
    private static final int TIMEOUT_MILLIS = 300;
    /** Long enough to look at a suspended service in peace. */
    private static final Duration PAUSE = Duration.ofMillis(2500);
    private static final int MEMORY = 200_000;
    private static final byte[] GOOD = "good".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final byte[] LAST = "last".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final int PIECE = 50_000;

    /** A node on one event loop; {@code onFailure} is the operator's word, or null for none. */
    private static Node node(Grid grid, String service, String onFailure) {
        String policy = "policies." + service + ".";
        return grid.node(configuration -> configuration.set("threads", 1).set(policy + "on-failure", onFailure)
                .set(policy + "timeout", TIMEOUT_MILLIS + "ms").set(policy + "memory-bytes", MEMORY).set(policy + "failures", FAILURES)
                .set(policy + "window", "60s").set(policy + "back-off", PAUSE.toMillis() + "ms"));
    }

    private static AnepPeer open(Node node, TcpServer echo) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
    }

    /** What breaks the service: for one that keeps packets some more than it may keep. Returns the octets sent. */
    private static int sendBad(AnepPeer peer, String kind) throws IOException {
        byte[] payload = new byte[kind.equals("retains") ? PIECE : 100];
        payload[0] = Faulty.BAD;
        int times = kind.equals("retains") ? MEMORY / PIECE + 2 : 1;
        for (int i = 0; i < times; i++) {
            peer.send(AnepPeer.data(TYPE, payload));
        }
        return times * payload.length;
    }

    /** Everything up to the end of the stream, which must be cleanly. */
    private static byte[] rest(AnepPeer peer) throws IOException {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
            assertThat(packet.typeId()).as("%s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
            byte[] payload = new byte[packet.payloadLength()];
            packet.payload().getBytes(packet.payload().readerIndex(), payload);
            octets.write(payload);
        }
        return octets.toByteArray();
    }

    private static byte[] echoed(Node node, TcpServer echo, byte[] payload) throws IOException {
        try (AnepPeer peer = open(node, echo)) {
            return rest(peer.send(AnepPeer.data(TYPE, payload)).finish());
        }
    }

    /** One stream in which the service fails. */
    private static void failOnce(Node node, TcpServer echo, String kind, String policy, ErrorCode code) throws IOException {
        try (AnepPeer peer = open(node, echo)) {
            peer.send(AnepPeer.data(TYPE, GOOD));
            assertThat(peer.receive().payloadLength()).isEqualTo(GOOD.length);
            int bad = sendBad(peer, kind);
            if (policy.equals("restart")) {
                assertThat(peer.refusalAfterData()).isEqualTo(code);
                return;
            }
            byte[] octets = rest(peer.send(AnepPeer.data(TYPE, LAST)).finish());
            if (policy.equals("bypass")) {
                assertThat(octets).hasSize(bad + LAST.length).endsWith(LAST);
            } else if (kind.equals("retains")) {
                // What it could keep has passed: less if a stream before still has to give its packets back.
                assertThat(octets).hasSizeLessThanOrEqualTo(MEMORY);
            } else {
                assertThat(octets).as("dropped from the failure on").isEmpty();
            }
        }
    }

    /** {@code declared} stands in the bundle, {@code operator} in the node's configuration; a dash for neither. */
    @ParameterizedTest
    @CsvSource({"throws, middle, 306, -, -", "throws, heavy, 306, bypass, -", "throws, middle, 306, -, drop", "throws, heavy, 306, bypass, restart",
        "loops, middle, 307, bypass, -", "loops, heavy, 307, -, -", "loops, heavy, 307, restart, drop",
        "emits-garbage, middle, 308, bypass, drop", "emits-garbage, heavy, 308, -, -", "emits-garbage, heavy, 308, -, bypass",
        "retains, middle, 309, -, -", "retains, middle, 309, restart, bypass", "retains, heavy, 309, -, drop", "retains, heavy, 309, -, -",
        "allocates, middle, 309, -, -", "allocates, heavy, 309, restart, bypass", "allocates, middle, 309, -, drop"})
    void saysWhatBecomesOfStreamsUntilTheServiceIsStartedAnew(String kind, String level, int code, String declared, String operator)
            throws IOException {
        String policy = !operator.equals("-") ? operator : declared.equals("-") ? "restart" : declared;
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            ServiceBundle bundle = new ServiceBundle(kind, TYPE, level, Faulty.class);
            grid.push((declared.equals("-") ? bundle : bundle.attribute("on-failure=\"" + declared + "\"")).in(grid.directory()));
            Node node = node(grid, kind, operator.equals("-") ? null : operator);
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node); AnepPeer old = open(node, echo)) {
                for (int i = 1; i < FAILURES; i++) {
                    failOnce(node, echo, kind, policy, ErrorCode.of(code));
                }
                assertThat(view.service(TYPE).path("state").asText()).isEqualTo("active");
                failOnce(node, echo, kind, policy, ErrorCode.of(code));
                assertSuspended(view.service(TYPE), policy);
                assertThatNewStreamsDoAsThePolicySays(node, echo, policy);
                assertThat(view.versions(TYPE)).as("the pause is not over").hasSize(1);
                old.send(AnepPeer.data(TYPE, GOOD)).finish();
                assertThat(rest(old)).as("a stream that it had not failed goes on").isEqualTo(GOOD);
                awaitCurrent(view);
                assertThat(view.service(TYPE).path("state").asText()).isEqualTo("active");
                assertThat(echoed(node, echo, GOOD)).as("when it is restarted").isEqualTo(GOOD);
                failOnce(node, echo, kind, policy, ErrorCode.of(code));
                view.awaitStreams(1);
                assertThat(view.health().path("status").asText()).isEqualTo("ok");
                steady.undisturbed(TIMEOUT_MILLIS);
            }
        }
    }

    private static void assertSuspended(JsonNode service, String policy) {
        assertThat(service.path("state").asText()).isEqualTo("failed");
        assertThat(service.path("current").asBoolean()).isFalse();
        assertThat(service.path("reason").asText()).startsWith("EE-310").contains("failed " + FAILURES + " streams")
                .contains(policy.equals("restart") ? "it is restarted in" : "under the policy " + policy);
        assertThat(service.path("advice").asText()).isNotEmpty();
        assertThat(service.path("errors").asInt()).isEqualTo(FAILURES);
    }

    /** The packets that the service cannot bear are harmless while it is away. */
    private static void assertThatNewStreamsDoAsThePolicySays(Node node, TcpServer echo, String policy) throws IOException {
        byte[] payload = {Faulty.BAD, 1, 2, 3};
        switch (policy) {
            case "restart" -> {
                try (AnepPeer peer = open(node, echo)) {
                    assertThat(peer.refusal()).isEqualTo(ErrorCode.SERVICE_SUSPENDED);
                }
            }
            case "bypass" -> assertThat(echoed(node, echo, payload)).isEqualTo(payload);
            default -> assertThat(echoed(node, echo, payload)).isEmpty();
        }
    }

    @Test
    void boundsTheStreamsOfAService() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("throws", TYPE, "middle", Faulty.class).in(grid.directory()));
            Node node = grid.node(configuration -> configuration.set("policies.throws.streams", 2));
            NodeView view = new NodeView(node);
            AnepPeer[] open = {open(node, echo), open(node, echo)};
            for (AnepPeer peer : open) {
                peer.send(AnepPeer.data(TYPE, GOOD));
                assertThat(peer.receive().payloadLength()).isEqualTo(GOOD.length);
            }
            for (int i = 0; i < 20; i++) {
                try (AnepPeer third = open(node, echo)) {
                    assertThat(third.refusal()).isEqualTo(ErrorCode.SERVICE_LIMIT);
                }
            }
            assertThat(view.service(TYPE).path("state").asText()).as("too many streams are no failure of the service").isEqualTo("active");
            assertThat(rest(open[0].finish())).isEmpty();
            view.awaitStreams(1);
            assertThat(echoed(node, echo, GOOD)).as("when one has ended").isEqualTo(GOOD);
            assertThat(rest(open[1].send(AnepPeer.data(TYPE, LAST)).finish())).isEqualTo(LAST);
            Arrays.stream(open).forEach(AServicePolicyTest::close);
        }
    }

    private static void close(AnepPeer peer) {
        try {
            peer.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A service that fails again and again is left alone for longer each time; one that has been well in between is not. */
    @Test
    void doublesThePauseEachTime() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("throws", TYPE, "middle", Faulty.class).in(grid.directory()));
            Node node = grid.node(configuration -> configuration.set("policies.throws",
                    Map.of("failures", 1, "back-off", "300ms", "most-back-off", "1200ms")));
            NodeView view = new NodeView(node);
            assertThat(echoed(node, echo, GOOD)).isEqualTo(GOOD);
            for (int pause : new int[] {300, 600, 1200, 1200}) {
                assertPause(node, view, echo, pause);
            }
            awaitCurrent(view);
            Thread.sleep(1500);
            assertPause(node, view, echo, 300);
        }
    }

    private static void assertPause(Node node, NodeView view, TcpServer echo, int millis) throws IOException {
        awaitCurrent(view);
        failOnce(node, echo, "throws", "restart", ErrorCode.SERVICE_ERROR);
        assertThat(view.service(TYPE).path("reason").asText()).contains("it is restarted in " + millis + " ms");
    }

    private static void awaitCurrent(NodeView view) {
        await().pollInterval(Duration.ofMillis(20)).until(() -> view.service(TYPE).path("current").asBoolean());
    }
}
