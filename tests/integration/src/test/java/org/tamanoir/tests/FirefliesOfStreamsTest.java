package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.Node;

/** A collector of SciTags is told of each flow, in messages that follow the published schema. */
@Timeout(120)
class FirefliesOfStreamsTest {
    private static final JsonSchema SCHEMA = schema();
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int OCTETS = 5000;

    @TempDir
    private Path directory;

    private static JsonSchema schema() {
        try (InputStream in = FirefliesOfStreamsTest.class.getResourceAsStream("/firefly/rules.schema.json")) {
            return JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(in, SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String yaml(int collector, int experiment, int streams) {
        return "limits: {datagram-idle: 1s, streams: " + streams + "}\nfireflies: {to: '127.0.0.1:" + collector + "', experiment: " + experiment + ", activity: 9}\n";
    }

    /** The JSON of the next message, as collectors find it: behind seven words of syslog. */
    private static JsonNode next(UdpPeer collector) throws IOException {
        String message = new String(collector.receive(), StandardCharsets.UTF_8);
        String[] words = message.split(" ", 8);
        assertThat(words[0]).isEqualTo("<134>1");
        assertThat(OffsetDateTime.parse(words[1]).getOffset().getTotalSeconds()).isZero();
        assertThat(words[3] + " " + words[4] + " " + words[5] + " " + words[6]).isEqualTo("tamanoir - firefly-json -");
        JsonNode json = CommandLineTool.json(words[7]);
        assertThat(SCHEMA.validate(json)).as(message).isEmpty();
        return json;
    }

    private static void isFlow(JsonNode json, String state, String protocol, InetSocketAddress from, int to, int experiment) {
        assertThat(json.path("flow-lifecycle").path("state").asText()).isEqualTo(state);
        assertThat(json.path("flow-id").toString()).isEqualTo("{\"afi\":\"ipv4\",\"src-ip\":\"" + from.getAddress().getHostAddress() + "\",\"dst-ip\":\"127.0.0.1\",\"protocol\":\"" + protocol
                + "\",\"src-port\":" + from.getPort() + ",\"dst-port\":" + to + "}");
        assertThat(json.path("context").path("experiment-id").asInt()).isEqualTo(experiment);
        assertThat(json.path("context").path("activity-id").asInt()).isEqualTo(9);
    }

    /** @return this node's end of the connection to the server, as the server sees it */
    private static InetSocketAddress stream(Node node) throws IOException {
        try (TcpServer server = TcpServer.idle(); AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[OCTETS])).finish();
            try (var socket = server.next()) {
                assertThat(socket.getInputStream().readAllBytes()).hasSize(OCTETS);
                socket.getOutputStream().write(new byte[7]);
                socket.shutdownOutput();
                while (peer.receive() != null) {
                    continue;
                }
                return new InetSocketAddress("127.0.0.1", socket.getPort());
            }
        }
    }

    @Test
    void tellACollectorOfEachFlowWhoseItIsAndWhatItHasCarried() throws Exception {
        Path file = directory.resolve("node.yaml");
        try (Grid grid = Grid.withRepository(); UdpPeer first = new UdpPeer().patience(PATIENCE); UdpPeer second = new UdpPeer().patience(PATIENCE);
                UdpPeer destination = new UdpPeer().patience(PATIENCE)) {
            Files.writeString(file, yaml(first.port(), 2, 76));
            Node node = grid.node(file);
            NodeView view = new NodeView(node);
            InetSocketAddress from = stream(node);
            JsonNode start = next(first);
            int to = start.path("flow-id").path("dst-port").asInt();
            isFlow(start, "start", "tcp", from, to, 2);
            JsonNode end = next(first);
            isFlow(end, "end", "tcp", from, to, 2);
            assertThat(end.path("usage").toString()).isEqualTo("{\"received\":7,\"sent\":" + OCTETS + "}");
            assertThat(end.path("flow-lifecycle").path("start-time")).isEqualTo(start.path("flow-lifecycle").path("start-time"));

            try (UdpPeer source = new UdpPeer(node.address())) {
                source.send(AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN).options(AnepPeer.to(destination.port(), Delivery.RAW))
                        .payload(Unpooled.wrappedBuffer(new byte[100]))));
                assertThat(destination.receive()).hasSize(100);
                isFlow(next(first), "start", "udp", destination.lastSender(), destination.port(), 2);
                JsonNode idle = next(first);
                isFlow(idle, "end", "udp", destination.lastSender(), destination.port(), 2);
                assertThat(idle.path("usage").path("sent").asInt()).isEqualTo(100);
            }
            try (AnepPeer peer = new AnepPeer(node.address())) {
                assertThat(peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(1, Delivery.RAW))).refusal()).isEqualTo(ErrorCode.DESTINATION_REFUSED);
            }
            assertThat(view.metric("tamanoir_fireflies_sent_total")).as("none of a stream that goes nowhere").isEqualTo(4);

            Files.writeString(file, yaml(second.port(), 3, 77));
            awaitStreams(view, 77);
            from = stream(node);
            assertThat(next(second).path("flow-id").path("src-port").asInt()).isEqualTo(from.getPort());
            assertThat(next(second).path("context").path("experiment-id").asInt()).isEqualTo(3);
            Files.writeString(file, "limits: {streams: 78}\n");
            awaitStreams(view, 78);
            stream(node);
            assertThat(view.metric("tamanoir_fireflies_sent_total")).isEqualTo(6);
            assertThat(view.metric("tamanoir_fireflies_dropped_total")).isZero();
        }
    }

    private static void awaitStreams(NodeView view, int streams) {
        await().atMost(PATIENCE).until(() -> view.status().path("limits").path("streams").asInt() == streams);
    }
}
