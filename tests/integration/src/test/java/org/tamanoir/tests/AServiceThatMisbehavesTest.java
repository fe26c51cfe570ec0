package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.BadActivator;
import org.tamanoir.tests.services.BornLooping;
import org.tamanoir.tests.services.Meddler;
import org.tamanoir.tests.services.Mischief;

/** A service that does not start, does not stop, or does too much costs no other stream and no other service anything. */
@Tag("long")
class AServiceThatMisbehavesTest {
    private static final int TYPE = 0x5500;
    /** For which a service may hold its event loop. */
    private static final int SERVICE_MILLIS = 500;
    private static final int OTHER = 0x5501;

    private static Node node(Grid grid) {
        return node(grid, SERVICE_MILLIS);
    }

    /** @param more keys of the configuration and their values */
    private static Node node(Grid grid, int serviceMillis, Object... more) {
        return grid.node(configuration -> {
            configuration.set("threads", 1);
            configuration.set("limits.service-timeout", serviceMillis + "ms");
            // The good services must start in time, on a busy machine too.
            configuration.set("limits.start-timeout", "1200ms");
            configuration.set("limits.remember-failure", "100ms");
            for (int i = 0; i < more.length; i += 2) {
                configuration.set((String) more[i], more[i + 1]);
            }
        });
    }

    private static ServiceBundle bundle(String kind, int type) {
        return switch (kind) {
            case "constructor-loops" -> new ServiceBundle(kind, type, "middle", BornLooping.class).classes(Mischief.class);
            case "activator-loops", "activator-throws", "activator-exits" -> new ServiceBundle(kind, type, "middle", Mischief.class)
                    .classes(BadActivator.class).header("Bundle-Activator", BadActivator.class.getName());
            case "class-is-garbage" -> new ServiceBundle(kind, type, "middle", Mischief.class)
                    .entry(Mischief.class.getName().replace('.', '/') + ".class", ByteBuffer.allocate(100).putLong(0, 0xCAFEBABE_0000_003DL).array());
            case "class-is-no-service" -> new ServiceBundle(kind, type, "middle", Mischief.class).classes(BadActivator.class)
                    .component(BadActivator.class);
            default -> new ServiceBundle(kind, type, "middle", Mischief.class);
        };
    }

    /** Afterwards another service starts, is guarded, and the first one can be tried again: with the same result. */
    @Test
    void isRefusedWhenItDoesNotStart() throws Exception {
        List<String> kinds = List.of("start-throws", "start-throws-error", "start-loops", "start-sleeps", "constructor-loops", "activator-loops", "activator-throws",
                "activator-exits", "start-exits", "class-is-garbage", "class-is-no-service");
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("packet-loops", OTHER, "middle", Mischief.class).in(grid.directory()));
            // All at once: the node does not look into the repository each time.
            for (String kind : kinds) {
                grid.push(bundle(kind, OTHER + 1 + kinds.indexOf(kind)).in(grid.directory()));
            }
            Node node = node(grid, SERVICE_MILLIS, "policies.packet-loops.failures", 2 * kinds.size());
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node)) {
                for (String kind : kinds) {
                    int type = OTHER + 1 + kinds.indexOf(kind);
                    for (int i = 0; i < 2; i++) {
                        assertThat(refusal(node, type, echo)).as(kind).isEqualTo(ErrorCode.SERVICE_START_FAILED);
                        Thread.sleep(150);
                    }
                    assertThat(refusal(node, OTHER, echo)).as("after %s, loops of other services are still guarded", kind).isEqualTo(ErrorCode.SERVICE_TIMEOUT);
                    view.awaitStreams(1);
                    assertThat(view.service(type).path("state").asText()).as(kind).isEqualTo("failed");
                    assertThat(view.service(type).path("reason").asText()).startsWith("EE-305")
                            .contains(kind.equals("start-exits") ? Mischief.class.getName() + " calls Runtime.exit(77)" : "does not start");
                }
                steady.undisturbed(SERVICE_MILLIS);
            }
        }
    }

    private static ErrorCode refusal(Node node, int type, TcpServer to) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            return peer.send(AnepPeer.opening(type, AnepPeer.to(to.port(), Delivery.RAW))).refusal();
        }
    }

    /** Sends one packet and reads all the answers of an echo server. */
    private static int echoed(Node node, int type, TcpServer echo) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(type, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(type, new byte[500])).finish();
            int octets = 0;
            for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
                assertThat(packet.typeId()).as("%s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
                octets += packet.payloadLength();
            }
            return octets;
        }
    }

    /** Octets come back as they are, or none do, or a thousand times as many. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"middle; 500; close-throws close-loops stop-throws stop-loops packet-keeps metric-throws", "heavy; 500; close-loops packet-keeps",
        "middle; 0; packet-drops packet-drop-null", "heavy; 0; packet-drop-null", "middle; 500000; packet-emits-a-thousand", "heavy; 500000; packet-emits-a-thousand"})
    void servesAndLeavesNothingBehind(String level, int echoed, String kinds) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            List<String> names = List.of(kinds.split(" "));
            for (String kind : names) {
                grid.push(new ServiceBundle(kind, TYPE + names.indexOf(kind), level, Mischief.class).in(grid.directory()));
            }
            Node node = kinds.equals("packet-emits-a-thousand") ? grid.node() : node(grid);
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node)) {
                for (String kind : names) {
                    int type = TYPE + names.indexOf(kind);
                    for (int i = 0; i < 2; i++) {
                        assertThat(echoed(node, type, echo)).as(kind).isEqualTo(echoed);
                    }
                    view.awaitStreams(1);
                    await().until(() -> view.service(type).path("streams").asInt() == 0);
                    assertThat(view.metric("tamanoir_streams_completed_total")).as(kind).isEqualTo(2 * type - 2 * TYPE + 2);
                    assertThat(view.health().path("status").asText()).as(kind).isEqualTo("ok");
                }
                steady.undisturbed(SERVICE_MILLIS);
            }
            long start = System.nanoTime();
            node.stop();
            assertThat(System.nanoTime() - start).as("the time to stop").isLessThan(8_000_000_000L);
        }
    }

    @Test
    void countsAtMostSixteenReasonsForItsDrops() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("packet-drops", TYPE, "middle", Mischief.class).in(grid.directory()));
            Node node = node(grid);
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
                for (int i = 0; i < 99; i++) {
                    peer.send(AnepPeer.data(TYPE, new byte[1]));
                }
                peer.finish();
                assertThat(peer.receive()).isNull();
            }
            String drops = "tamanoir_service_drops_total{reason=\"%s\",service=\"packet-drops\",version=\"1.0.0\"}";
            assertThat(new NodeView(node).metric(String.format(drops, "other"))).isEqualTo(84);
            assertThat(new NodeView(node).metric(String.format(drops, "reason-16"))).isEqualTo(1);
        }
    }

    /** An emitter that never looks at the answer is stopped long before it has filled the memory, whatever stands behind it in the chain. */
    @ParameterizedTest
    @CsvSource({"middle, true", "middle, false", "heavy, false"})
    void isStoppedWhenItEmitsWithoutEnd(String level, boolean dropsBehind) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer idle = TcpServer.idle()) {
            grid.push(new ServiceBundle("packet-emits-without-end", TYPE, level, Mischief.class).in(grid.directory()));
            grid.push(new ServiceBundle("packet-drops", OTHER, "middle", Mischief.class).in(grid.directory()));
            // Where nothing is dropped it has emitted too much long before, on a busy machine too.
            int time = dropsBehind ? SERVICE_MILLIS : 5_000;
            Node node = node(grid, time);
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node); AnepPeer peer = new AnepPeer(node.address())) {
                int[] chain = dropsBehind ? new int[] {OTHER} : new int[0];
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(idle.port(), Delivery.RAW, chain)));
                assertThat(peer.refusal()).isEqualTo(dropsBehind ? ErrorCode.SERVICE_TIMEOUT : ErrorCode.SERVICE_BAD_OUTPUT);
                view.awaitStreams(1);
                assertThat(view.directMemory() - grid.directMemoryBefore()).isLessThan(64 << 20);
                steady.undisturbed(time);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"report-throws", "report-loops"})
    void mayFailToReportAndTheStreamGoesOn(String kind) throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle(kind, TYPE, "middle", Mischief.class).in(grid.directory()));
            Node node = node(grid);
            NodeView view = new NodeView(node);
            try (AnepPeer peer = new AnepPeer(node.address()); SteadyStream steady = new SteadyStream(node)) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[9]));
                assertThat(peer.receive().payloadLength()).isEqualTo(9);
                long number = view.streams().get(0).path("number").asLong();
                assertThat(view.stream(number).path("reports").path(kind).path("error").asText()).isNotEmpty();
                peer.send(AnepPeer.data(TYPE, new byte[7])).finish();
                assertThat(peer.receive().payloadLength()).isEqualTo(7);
                assertThat(peer.receive()).isNull();
                steady.undisturbed(SERVICE_MILLIS);
            }
        }
    }

    /** Two metrics of one name cannot be printed: the service is refused, and the metrics of the node stay readable. */
    @Test
    void isRefusedWhenItRegistersAMetricTwice() throws IOException {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("metric-twice", TYPE, "middle", Mischief.class).in(grid.directory()));
            Node node = node(grid);
            assertThat(refusal(node, TYPE, echo)).isEqualTo(ErrorCode.SERVICE_START_FAILED);
            assertThat(new NodeView(node).errors(ErrorCode.SERVICE_START_FAILED)).isEqualTo(1);
        }
    }

    /** A heavy service that is slow for small datagrams, in either direction: what waits for it is bounded, the rest is dropped. */
    @ParameterizedTest
    @ValueSource(strings = {"packet-waits-a-little", "return-waits"})
    void boundsWhatWaitsForItWhenItIsSlow(String kind) throws Exception {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            grid.push(new ServiceBundle(kind, TYPE, "heavy", Mischief.class).in(grid.directory()));
            Node node = node(grid);
            NodeView view = new NodeView(node);
            try (UdpPeer peer = new UdpPeer(node.address())) {
                peer.send(AnepPeer.opening(TYPE, AnepPeer.to(destination.port(), Delivery.ANEP)));
                destination.receivePacket();
                byte[] small = AnepPeer.packet(new org.tamanoir.anep.PacketBuilder(TYPE).flags(Anep.FLAG_DISCARD_UNKNOWN)
                        .options(AnepPeer.to(destination.port(), Delivery.ANEP)).payload(io.netty.buffer.Unpooled.wrappedBuffer(new byte[100])));
                UdpPeer source = kind.startsWith("return") ? destination : peer;
                for (int i = 0; i < 20_000; i++) {
                    source.send(small);
                    if (i % 50 == 0) {
                        Thread.sleep(1);
                    }
                }
                await().untilAsserted(() ->
                        assertThat(view.metric("tamanoir_datagrams_overflowed_total")).as("dropped").isPositive());
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(96 << 20);
            }
        }
    }

    /** It can load the calls that are woven into it, which stop only who calls them, and nothing else of the node. */
    @Test
    void reachesNobodyElseByTheGuardsOfTheNode() throws Exception {
        System.clearProperty(Meddler.FOUND);
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle("meddler", TYPE, "middle", Meddler.class).in(grid.directory()));
            grid.push(new ServiceBundle("packet-loops", OTHER, "middle", Mischief.class).in(grid.directory()));
            Node node = node(grid);
            try (SteadyStream steady = new SteadyStream(node)) {
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {1}));
                    assertThat(peer.receive().payloadLength()).isEqualTo(1);
                }
                assertThat(System.getProperty(Meddler.FOUND)).isEqualTo("LoopGuard ExitGuard");
                assertThat(refusal(node, OTHER, echo)).as("loops are still guarded").isEqualTo(ErrorCode.SERVICE_TIMEOUT);
                steady.undisturbed(SERVICE_MILLIS);
            }
        }
    }
}
