package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.Command;
import org.tamanoir.node.Node;

/** What rules for tuning do to connections is what the system says of them ({@code ss}), on new ones and on those that carry one stream after another. */
@Tag("long")
class ATunedConnectionTest {
    private static final Pattern ALGORITHM = Pattern.compile(" (\\w+) wscale:");
    private static final Pattern SEND_BUFFER = Pattern.compile("skmem:\\([^)]*,tb(\\d+),");
    private static String preset;
    /** One that every program may have and that is not the preset. */
    private static String other;

    @TempDir
    private Path directory;

    @BeforeAll
    static void algorithms() throws IOException {
        Path settings = Path.of("/proc/sys/net/ipv4");
        preset = Files.readString(settings.resolve("tcp_congestion_control")).strip();
        other = Arrays.stream(Files.readString(settings.resolve("tcp_allowed_congestion_control")).strip().split(" ")).filter(name -> !name.equals(preset)).findFirst().orElseThrow();
    }

    /** What the system says of the connections that a filter finds, a line each. */
    private static List<String> connections(String filter) {
        return Command.run(List.of("ss", "-tinmOH", "state", "established", filter)).output().lines().toList();
    }

    private static String only(Pattern what, String filter) {
        List<String> lines = connections(filter);
        assertThat(lines).as(filter).hasSize(1);
        Matcher matcher = what.matcher(lines.get(0));
        assertThat(matcher.find()).as(lines.get(0)).isTrue();
        return matcher.group(1);
    }

    private static String algorithm(String filter) {
        return only(ALGORITHM, filter);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private static AnepPeer echoed(Node node, int typeId, int port) throws IOException {
        AnepPeer peer = new AnepPeer(node.address());
        peer.send(AnepPeer.opening(typeId, AnepPeer.to(port, Delivery.RAW)));
        echo(peer, typeId);
        return peer;
    }

    private static void echo(AnepPeer peer, int typeId) throws IOException {
        peer.send(AnepPeer.data(typeId, new byte[100]));
        Packet back = peer.receive();
        assertThat(back.payload().readableBytes()).isEqualTo(100);
    }

    private static JsonNode rule(Node node, String name) {
        for (JsonNode each : Grid.admin(node).json("/tuning").path("rules")) {
            if (each.path("name").asText().equals(name)) {
                return each;
            }
        }
        throw new AssertionError("no rule " + name);
    }

    /** The connection to the server, and the one that the stream came on, as the node has them. */
    @Test
    void bothLegsAreAsTheirRulesSay() throws Exception {
        Path file = file("node.yaml", """
                routes: {127.0.0.0/8: direct}
                tune:
                  - {name: onward, to: 127.0.0.0/8, congestion: %1$s, pacing: 80M, probation: false}
                  - {name: back, from: 127.0.0.1, congestion: %1$s, buffers: {send: 40000}, probation: false}
                """.formatted(other));
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node node = grid.node(file);
            try (AnepPeer peer = echoed(node, Grid.FORWARD, server.port())) {
                String onward = "dport = :" + server.port();
                String back = "sport = :" + node.address().getPort() + " and dport = :" + peer.socket().getLocalPort();
                assertThat(algorithm(onward)).isEqualTo(other);
                assertThat(connections(onward).get(0)).contains("/80000000bps");
                assertThat(algorithm(back)).isEqualTo(other);
                assertThat(only(SEND_BUFFER, back)).as("the kernel doubles it").isEqualTo("80000");
                JsonNode stream = Grid.admin(node).json("/streams").path("streams").get(0);
                assertThat(stream.path("tunedBy").asText()).isEqualTo("back, onward");
                assertThat(rule(node, "onward").path("tuned").asInt()).isOne();
                assertThat(new NodeView(node).metric("tamanoir_tuning_legs_total{rule=\"back\",tuned=\"yes\"}")).isOne();
            }
        }
    }

    /** A connection between two nodes has the tuning of its stream, and none between streams and for one without a rule. */
    @Test
    void aConnectionThatIsUsedAgainHasTheTuningOfItsStream() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node second = grid.node();
            Node first = grid.node(file("first.yaml", """
                    routes: {127.0.0.0/8: '127.0.0.1:%d'}
                    threads: 1
                    tune: [{name: measured, to: 127.0.0.1, service: monitoring, congestion: %s, buffers: {send: 40000}, probation: false}]
                    """.formatted(second.address().getPort(), other)));
            String between = "dport = :" + second.address().getPort();
            String local = null;
            String untuned = null;
            for (int typeId : new int[] {Grid.MONITORING, Grid.FORWARD, Grid.MONITORING}) {
                AnepPeer peer = echoed(first, typeId, server.port());
                String connection = connections(between).get(0).trim().split("\\s+")[2];
                assertThat(local == null || local.equals(connection)).as("the same connection").isTrue();
                local = connection;
                assertThat(algorithm(between)).isEqualTo(typeId == Grid.MONITORING ? other : preset);
                assertThat(only(SEND_BUFFER, between).equals("80000")).isEqualTo(typeId == Grid.MONITORING);
                peer.finish();
                assertThat(peer.receive()).isNull();
                peer.close();
                new NodeView(first).awaitStreams(0);
                await().untilAsserted(() -> assertThat(algorithm(between)).isEqualTo(preset));
                untuned = only(SEND_BUFFER, between);
                assertThat(untuned).isNotEqualTo("80000");
            }
            assertThat(new NodeView(second).metric("tamanoir_streams_on_kept_connections_total")).isEqualTo(2);
        }
    }

    @Test
    void rulesThatChangeAreAppliedToStreamsThatAreOpen() throws Exception {
        Path file = file("changing.yaml", "routes: {127.0.0.0/8: direct}\n");
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node node = grid.node(file);
            try (AnepPeer peer = echoed(node, Grid.FORWARD, server.port())) {
                String onward = "dport = :" + server.port();
                assertThat(algorithm(onward)).isEqualTo(preset);
                Files.writeString(file, "routes: {127.0.0.0/8: direct}\ntune: [{name: a, to: 127.0.0.0/8, congestion: " + other + ", probation: false}]\n");
                await().untilAsserted(() -> assertThat(algorithm(onward)).isEqualTo(other));
                Files.writeString(file, "routes: {127.0.0.0/8: direct}\ntune: [{name: all, congestion: " + other + "}, {name: b, preset: wan}]\n");
                await().untilAsserted(() -> assertThat(new NodeView(node).health().path("configurationRefused").asText()).contains("all before it is for every leg"));
                assertThat(algorithm(onward)).as("a file that is refused changes nothing").isEqualTo(other);
                Files.writeString(file, "routes: {127.0.0.0/8: direct}\n");
                await().untilAsserted(() -> assertThat(algorithm(onward)).isEqualTo(preset));
                echo(peer, Grid.FORWARD);
                assertThat(Grid.admin(node).json("/streams").path("streams").get(0).path("tunedBy").isNull()).isTrue();
            }
        }
    }

    @Test
    void whatTheKernelDoesNotHaveIsRefusedAndStreamsRunAsBefore() throws Exception {
        String tune = "tune: [{name: missing, to: 127.0.0.0/8, congestion: nobody_has_it}, {name: big, buffers: {send: 1073741823}}]\n";
        Path file = file("missing.yaml", "development: true\n" + tune);
        Command.Result checked = CommandLineTool.here("config", "check", file.toString());
        assertThat(checked.exit()).isNotZero();
        assertThat(checked.output()).contains("EE-631 this kernel has no congestion control 'nobody_has_it'").contains("EE-631 this kernel gives a buffer of ");
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node node = grid.node(file("running.yaml", "routes: {127.0.0.0/8: direct}\n" + tune));
            try (AnepPeer peer = echoed(node, Grid.FORWARD, server.port())) {
                assertThat(algorithm("dport = :" + server.port())).isEqualTo(preset);
                echo(peer, Grid.FORWARD);
                assertThat(rule(node, "missing").path("state").asText()).isEqualTo("refused");
                assertThat(Grid.admin(node).json("/events/since/0").path("events").findValuesAsText("text")).anySatisfy(text ->
                        assertThat(text).contains("rule missing is refused, and its streams run as before: EE-631"));
                assertThat(CommandLineTool.here("node", "tuning", "--node", node.adminUrl()).output()).contains("missing").contains("refused").contains("EE-631");
            }
        }
    }

    @Test
    void withoutEpollNothingIsTunedAndThatIsSaid() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.echo()) {
            Node node = grid.node(file("nio.yaml", "io: nio\nroutes: {127.0.0.0/8: direct}\ntune: [{name: all, congestion: " + other + "}]\n"));
            try (AnepPeer peer = echoed(node, Grid.FORWARD, server.port())) {
                assertThat(algorithm("dport = :" + server.port())).isEqualTo(preset);
                echo(peer, Grid.FORWARD);
                assertThat(rule(node, "all").path("reason").asText()).isEqualTo("EE-631 connections are not tuned with io: nio");
            }
        }
    }

    @Test
    void anOrderIsWrittenDown() throws Exception {
        try (Grid grid = new Grid()) {
            Node node = grid.node(file("order.yaml", "tune: [{name: all, congestion: " + other + "}]\n"));
            Grid.admin(node).post("/tuning/all/reset", Map.of());
            assertThatThrownBy(() -> Grid.admin(node).post("/tuning/none/reset", Map.of())).isInstanceOf(AnepException.class).hasMessageContaining("EE-407");
            String journal = Files.readString(grid.directory().resolve("node0/audit.log"));
            assertThat(journal.lines().toList()).anySatisfy(line -> assertThat(line).contains("POST /tuning/all/reset").contains("200"));
        }
    }
}
