package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.TraceContext;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.lab.FreePort;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.TraceCollector.Recorded;

/** A stream is one trace over the nodes on its way, from whoever opens it on; what is not to be recorded is not. */
@Timeout(150)
class ATraceOverThreeNodesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int OCTETS = 5000;

    private static TraceContext context(int trace, int flags) {
        return new TraceContext(0x4bf92f3577b34da6L, trace, 0x00f067aa0ba902b7L, flags);
    }

    private static void record(Settings settings, String name, String endpoint, double ratio, int perSecond) {
        settings.set("traces.endpoint", endpoint).set("traces.name", name).set("traces.ratio", ratio).set("traces.per-second", perSecond);
    }

    /** Nodes that record what they are asked to, the first one first. */
    private static List<Node> three(Grid grid, TraceCollector collector) {
        Node last = grid.node(settings -> record(settings, "last", collector.endpoint(), 0, 100));
        Node middle = to(grid, last, "middle", collector);
        return List.of(to(grid, middle, "first", collector), middle, last);
    }

    private static Node to(Grid grid, Node next, String name, TraceCollector collector) {
        return grid.node(settings -> {
            record(settings, name, collector.endpoint(), 0, 100);
            settings.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + next.address().getPort()));
        });
    }

    /** Through an echo server and back. */
    private static void stream(Node node, int port, TraceContext trace) throws Exception {
        try (TamanoirClient client = new TamanoirClient(); ClientStream stream = client.open(new StreamRequest().via(node.address())
                .to(new InetSocketAddress("127.0.0.1", port)).services(Grid.MONITORING).delivery(Delivery.RAW).trace(trace))) {
            stream.send(new byte[OCTETS]);
            stream.finish();
            int back = 0;
            for (var payload = stream.receive(); payload != null; payload = stream.receive()) {
                back += payload.readableBytes();
                payload.release();
            }
            assertThat(back).isEqualTo(OCTETS);
        }
    }

    private static Recorded of(List<Recorded> spans, String node, String name) {
        List<Recorded> found = spans.stream().filter(span -> span.node().equals(node) && span.name().equals(name)).toList();
        assertThat(found).as("'%s' of the node %s", name, node).hasSize(1);
        return found.get(0);
    }

    @Test
    void hasTheIdOfTheClientAndSaysWhatEachNodeHasWaitedFor() throws Exception {
        try (TraceCollector collector = new TraceCollector(); Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            List<Node> nodes = three(grid, collector);
            TraceContext given = context(1, TraceContext.SAMPLED);
            stream(nodes.get(0), echo.port(), given);

            List<Recorded> spans = collector.trace(given.traceId(), 3);
            String before = given.parentId();
            for (String node : List.of("first", "middle", "last")) {
                Recorded stream = of(spans, node, "stream");
                assertThat(stream.parent()).as(node).isEqualTo(before);
                before = stream.id();
                assertThat(stream.failed()).isFalse();
                assertThat(stream.events()).containsExactly("first octet back");
                assertThat(stream.text("network.transport")).isEqualTo("tcp");
                assertThat(stream.texts("tamanoir.services")).singleElement().asString().matches("monitoring [0-9.]+");
                assertThat(stream.attribute("tamanoir.octets.in").getIntValue()).isGreaterThan(OCTETS);
                assertThat(stream.attribute("tamanoir.octets.returned").getIntValue()).isGreaterThan(OCTETS);
                for (String step : List.of("wait for service", "connect")) {
                    Recorded child = of(spans, node, step);
                    assertThat(child.parent()).isEqualTo(stream.id());
                    assertThat(child.span().getStartTimeUnixNano()).isGreaterThanOrEqualTo(stream.span().getStartTimeUnixNano());
                    assertThat(child.span().getEndTimeUnixNano()).isBetween(child.span().getStartTimeUnixNano(), stream.span().getEndTimeUnixNano());
                }
                String source = of(spans, node, "wait for service").texts("tamanoir.service.sources").get(0);
                assertThat(source).as(node).startsWith(node.equals("first") ? grid.repository().url() : "node 127.0.0.1:");
            }
            assertThat(of(spans, "first", "stream").text("tamanoir.next_hop")).endsWith(":" + nodes.get(1).address().getPort());
            assertThat(of(spans, "last", "stream").text("tamanoir.next_hop")).endsWith(":" + echo.port());
            assertThat(of(spans, "middle", "stream").text("tamanoir.position")).isEqualTo("transit");

            stream(nodes.get(0), echo.port(), null);
            stream(nodes.get(0), echo.port(), context(2, 0));
            TraceContext again = context(3, TraceContext.SAMPLED);
            stream(nodes.get(0), echo.port(), again);
            List<Recorded> second = collector.trace(again.traceId(), 3);
            assertThat(second).as("the service was there").noneMatch(span -> span.name().equals("wait for service"));
            assertThat(collector.spans()).as("what nobody flags is not recorded").hasSize(spans.size() + second.size());
            for (Node node : nodes) {
                assertThat(new NodeView(node).metric("tamanoir_traces_streams_total")).isEqualTo(2);
                assertThat(new NodeView(node).metric("tamanoir_traces_dropped_total")).isZero();
            }
        }
    }

    @Test
    void endsWhereAStreamIsRefusedAndSaysWhy() throws Exception {
        try (TraceCollector collector = new TraceCollector(); Grid grid = Grid.withRepository()) {
            Node first = three(grid, collector).get(0);
            TraceContext refused = context(4, TraceContext.SAMPLED);
            try (AnepPeer peer = new AnepPeer(first.address())) {
                assertThat(peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(1, Delivery.RAW).trace(refused))).refusal()).isEqualTo(ErrorCode.DESTINATION_REFUSED);
            }
            List<Recorded> spans = collector.trace(refused.traceId(), 3);
            for (String step : List.of("stream", "connect")) {
                Recorded span = of(spans, "last", step);
                assertThat(span.failed()).isTrue();
                assertThat(span.text("error.type")).isEqualTo("EE-234");
                assertThat(span.span().getStatus().getMessage()).startsWith("EE-234 ");
            }
            TraceContext nowhere = context(5, TraceContext.SAMPLED);
            try (AnepPeer peer = new AnepPeer(first.address())) {
                assertThat(peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to("192.0.2.1", 80, Delivery.RAW).trace(nowhere))).refusal()).isEqualTo(ErrorCode.NO_ROUTE);
            }
            Recorded only = collector.trace(nowhere.traceId(), 1).get(0);
            assertThat(only.node() + " " + only.text("error.type") + " " + only.parent()).isEqualTo("first EE-202 " + nowhere.parentId());

            TraceContext unknown = context(6, TraceContext.SAMPLED);
            try (AnepPeer peer = new AnepPeer(first.address())) {
                assertThat(peer.send(AnepPeer.opening(0x5501, AnepPeer.to(1, Delivery.RAW).trace(unknown))).refusal()).isEqualTo(ErrorCode.UNKNOWN_SERVICE);
            }
            List<Recorded> waited = collector.trace(unknown.traceId(), 1);
            assertThat(of(waited, "first", "wait for service").text("error.type")).isEqualTo("EE-301");
            assertThat(of(waited, "first", "stream").text("error.type")).isEqualTo("EE-301");
        }
    }

    /** The first packet as a receiver of packets gets it. */
    private static PacketOptions arrived(Node node, TraceContext trace) throws IOException {
        try (TcpServer receiver = TcpServer.idle(); AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(receiver.port(), Delivery.ANEP).trace(trace))).finish();
            try (Socket socket = receiver.next()) {
                byte[] octets = socket.getInputStream().readAllBytes();
                Packet packet = Packet.of(Unpooled.wrappedBuffer(octets));
                packet.checkOptions();
                return packet.options();
            }
        }
    }

    @Test
    void isHandedOnAsItCameByANodeThatDoesNotRecordIt() throws Exception {
        try (TraceCollector collector = new TraceCollector(); Grid grid = Grid.withRepository()) {
            Node off = grid.node();
            Node on = grid.node(settings -> record(settings, "on", collector.endpoint(), 0, 100));
            Node begins = grid.node(settings -> record(settings, "begins", collector.endpoint(), 1, 100));
            TraceContext flagged = context(7, 0xFF);
            TraceContext plain = context(7, 0xFE);
            assertThat(arrived(off, flagged).trace()).isEqualTo(flagged);
            assertThat(arrived(on, plain).trace()).isEqualTo(plain);
            assertThat(arrived(on, null).trace()).isNull();

            TraceContext onward = arrived(on, flagged).trace();
            Recorded span = of(collector.trace(flagged.traceId(), 1), "on", "stream");
            assertThat(onward.toString()).isEqualTo("00-" + flagged.traceId() + "-" + span.id() + "-ff");

            TraceContext begun = arrived(begins, null).trace();
            Recorded root = of(collector.trace(begun.traceId(), 1), "begins", "stream");
            assertThat(root.parent()).isEmpty();
            assertThat(begun.parentId()).isEqualTo(root.id());
            assertThat(begun.flags()).isEqualTo(TraceContext.SAMPLED);
        }
    }

    @Test
    void ofDatagramsHasASpanOfEachNodeSideBySide() throws Exception {
        try (TraceCollector collector = new TraceCollector(); Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer().patience(PATIENCE)) {
            Node node = grid.node(settings -> {
                record(settings, "node", collector.endpoint(), 0, 100);
                settings.set("limits.datagram-idle", "1s");
            });
            TraceContext given = context(8, TraceContext.SAMPLED);
            try (UdpPeer source = new UdpPeer(node.address())) {
                source.send(AnepPeer.packet(new PacketBuilder(Grid.MONITORING).flags(Anep.FLAG_DISCARD_UNKNOWN).options(AnepPeer.to(destination.port(), Delivery.ANEP).trace(given))
                        .payload(Unpooled.wrappedBuffer(new byte[100]))));
                assertThat(Packet.of(Unpooled.wrappedBuffer(destination.receive())).options().trace()).as("a datagram is not rewritten for it").isEqualTo(given);
            }
            Recorded stream = of(collector.trace(given.traceId(), 1), "node", "stream");
            assertThat(stream.parent()).isEqualTo(given.parentId());
            assertThat(stream.text("network.transport")).isEqualTo("udp");
            assertThat(stream.events()).isEmpty();
        }
    }

    @Test
    void isNotRecordedMoreOftenThanTheNodeWantsWhateverStrangersFlag() throws Exception {
        try (TraceCollector collector = new TraceCollector(); Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(settings -> {
                record(settings, "node", collector.endpoint(), 0, 4);
                settings.set("peers", List.of());
            });
            Node deaf = grid.node(settings -> {
                record(settings, "deaf", collector.endpoint(), 0, 10_000);
                settings.set("traces.follow", "peers").set("peers", List.of());
            });
            stream(node, echo.port(), null);
            long start = System.nanoTime();
            int streams = 200;
            try (TamanoirClient client = new TamanoirClient()) {
                for (int i = 0; i < streams; i++) {
                    for (Node each : List.of(node, deaf)) {
                        try (ClientStream stream = client.open(new StreamRequest().via(each.address()).to(new InetSocketAddress("127.0.0.1", echo.port()))
                                .services(Grid.MONITORING).delivery(Delivery.RAW).trace(context(100 + i, TraceContext.SAMPLED)))) {
                            stream.complete();
                        }
                    }
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double recorded = new NodeView(node).metric("tamanoir_traces_streams_total");
            assertThat(recorded).as("of %d in %.1f s", streams, seconds).isPositive().isLessThanOrEqualTo(Math.min(streams - 1, 4 * seconds + 4));
            assertThat(new NodeView(deaf).metric("tamanoir_traces_streams_total")).isZero();
            assertThat(new NodeView(deaf).metric("tamanoir_streams_completed_total")).isGreaterThanOrEqualTo(streams);
        }
    }

    @Test
    void costsStreamsNothingWhereTheCollectorHangsOrIsAway() throws Exception {
        int away = FreePort.onLoopback();
        try (TcpServer hangs = TcpServer.idle(); Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            for (int port : new int[] {hangs.port(), away}) {
                Node node = grid.again(settings -> record(settings, "node", "http://127.0.0.1:" + port, 1, 10_000));
                NodeView view = new NodeView(node);
                for (int i = 0; i < 50; i++) {
                    stream(node, echo.port(), null);
                }
                assertThat(view.metric("tamanoir_traces_streams_total")).isEqualTo(50);
                await().atMost(PATIENCE).until(() -> view.metric("tamanoir_traces_dropped_total") > 0);
                assertThat(view.metric("tamanoir_traces_sent_total")).isZero();
                stream(node, echo.port(), null);
                long start = System.nanoTime();
                node.close();
                assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)).as("a stop is bounded").isLessThan(10);
            }
        }
    }
}
