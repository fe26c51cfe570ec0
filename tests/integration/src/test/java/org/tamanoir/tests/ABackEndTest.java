package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Mischief;

/** A node as a back end: what its front-ends hear of it, and what directors are told that check it. */
@Timeout(120)
@Tag("long")
class ABackEndTest {
    @TempDir
    private Path directory;

    private static Map<String, Object> section(String token, String... frontends) {
        Map<String, Object> section = new HashMap<>(Map.of("name", "b1", "pool", "heavy", "frontends", List.of(frontends)));
        if (token != null) {
            section.put("token", token);
        }
        return section;
    }

    private static Node backEnd(Grid grid, String token, TestFrontend... frontends) {
        return grid.node(configuration -> configuration.set("cluster", section(token, Arrays.stream(frontends).map(TestFrontend::url).toArray(String[]::new))));
    }

    private static JsonNode cluster(Node node) {
        return Grid.admin(node).json("/cluster");
    }

    private static JsonNode frontend(Node node, TestFrontend frontend) {
        for (JsonNode each : cluster(node).path("frontends")) {
            if (each.path("url").asText().equals(frontend.url())) {
                return each;
            }
        }
        throw new AssertionError(cluster(node));
    }

    /** The status that a director's check gets, and the word. */
    private static String check(Node node, Report report) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://" + report.address() + ":" + report.health() + "/health").toURL().openConnection();
        connection.setConnectTimeout(5000);
        connection.setReadTimeout(5000);
        int status = connection.getResponseCode();
        try (var body = status == 200 ? connection.getInputStream() : connection.getErrorStream()) {
            return status + " " + new com.fasterxml.jackson.databind.ObjectMapper().readTree(body).path("status").asText();
        }
    }

    @Test
    void tellsItsFrontEndsOfItselfItsServicesAndItsLoad() throws Exception {
        try (Grid grid = Grid.withRepository(); TestFrontend frontend = TestFrontend.onLoopback("sesame"); TcpServer server = TcpServer.echo()) {
            grid.push(new ServiceBundle("stateful", 0x5500, "middle", Mischief.class).attribute("affinity=\"source\"").in(grid.directory()));
            Node node = backEnd(grid, "sesame", frontend);
            Report first = frontend.awaitMore(2).reports().get(0);
            assertThat(first.sequence()).isEqualTo(1);
            assertThat(first.instance()).matches("[0-9a-f]{16}");
            assertThat(List.of(first.name(), first.pool(), first.address(), first.port(), first.state())).isEqualTo(
                    List.of("b1", "heavy", "127.0.0.1", node.address().getPort(), Report.State.SERVING));
            assertThat(frontend.reports().get(1).sequence()).isEqualTo(2);
            try (AnepPeer peer = new AnepPeer(node.address()); AnepPeer other = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(server.port(), Delivery.RAW)));
                other.send(AnepPeer.opening(0x5500, AnepPeer.to(server.port(), Delivery.RAW)));
                server.next();
                server.next();
                await().untilAsserted(() -> {
                    assertThat(frontend.last().load().streams()).isEqualTo(2);
                    assertThat(frontend.last().services()).hasSize(2);
                });
            }
            Report now = frontend.last();
            assertThat(now.services()).containsExactly(new Report.Service("monitoring", Grid.MONITORING, now.services().get(0).version(), "middle", Affinity.NONE),
                    new Report.Service("stateful", 0x5500, "1.0.0", "middle", Affinity.SOURCE));
            assertThat(now.load().cpu()).isBetween(0.0, 1.0);
            assertThat(now.load().lagMillis()).isBetween(0.0, 10_000.0);
            assertThat(now.load().queueMost()).isEqualTo(256L << 20);
            await().until(() -> frontend.last().load().streams() == 0);
            NodeView view = new NodeView(node);
            assertThat(view.metric("tamanoir_cluster_in{frontend=\"" + frontend.url() + "\"}")).isEqualTo(1);
            assertThat(view.metric("tamanoir_cluster_reports_total{frontend=\"" + frontend.url() + "\"}")).isGreaterThan(2);
            assertThat(CommandLineTool.run("node", "status", "--node", node.adminUrl()).output()).contains("b1 of heavy, serving")
                    .contains(frontend.url() + " in since ");
        }
    }

    /** Wrong: one thread for all front-ends, one of which does not answer; a token that is taken for good; a first period that is not a second. */
    @Test
    void oneFrontEndThatHangsAndOneThatRefusesHoldNobodyUp() throws Exception {
        try (Grid grid = new Grid(); TestFrontend good = TestFrontend.onLoopback("sesame"); TestFrontend hangs = TestFrontend.onLoopback("sesame");
                TestFrontend other = TestFrontend.onLoopback("another")) {
            hangs.hangs = true;
            Node node = backEnd(grid, "sesame", hangs, other, good);
            long begin = System.nanoTime();
            good.awaitMore(15);
            assertThat(System.nanoTime() - begin).as("15 reports at 5 a second").isLessThan(9_000_000_000L);
            await().until(() -> frontend(node, hangs).path("why").asText().contains("did not answer"));
            assertThat(frontend(node, hangs).path("standing").asText()).isEqualTo("unknown");
            assertThat(frontend(node, hangs).path("why").asText()).startsWith("EE-909");
            assertThat(frontend(node, other).path("why").asText()).startsWith("EE-406");
            assertThat(frontend(node, good).path("standing").asText()).isEqualTo("in");
            assertThat(cluster(node).path("problems")).isEmpty();
            good.refusal = new AnepException(ErrorCode.NO_POOL, "there is no pool 'heavy'");
            await().until(() -> frontend(node, good).path("why").asText().equals("EE-903 there is no pool 'heavy'"));
            await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString()).contains("EE-909"));
            assertThat(new NodeView(node).metric("tamanoir_cluster_reports_failed_total{frontend=\"" + good.url() + "\"}")).isPositive();
            good.refusal = null;
            good.awaitMore(2);
            node.stop();
            assertThat(good.gone()).as("told at the end, though others hang").hasSize(1);
        }
    }

    /** Wrong: a pause that grows without bound; an instance that changes; a sequence that begins again. */
    @Test
    void aFrontEndThatComesBackHearsOfItWithinAFewSeconds() throws Exception {
        try (Grid grid = new Grid()) {
            InetSocketAddress at;
            Report before;
            Node node;
            try (TestFrontend frontend = TestFrontend.onLoopback(null)) {
                node = backEnd(grid, null, frontend);
                before = frontend.awaitMore(1).last();
                at = frontend.address();
            }
            await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString()).contains("EE-909"));
            Thread.sleep(5000);
            long back = System.nanoTime();
            try (TestFrontend frontend = new TestFrontend(at, null)) {
                Report after = frontend.awaitMore(1).last();
                assertThat(System.nanoTime() - back).isLessThan(6_000_000_000L);
                assertThat(after.instance()).isEqualTo(before.instance());
                assertThat(after.sequence()).isGreaterThan(before.sequence());
            }
        }
    }

    @Test
    void anOperatorTakesItOutAndBackIn() throws Exception {
        try (Grid grid = Grid.withRepository(); TestFrontend frontend = TestFrontend.onLoopback(null); TcpServer echo = TcpServer.echo()) {
            Node node = backEnd(grid, null, frontend);
            Report report = frontend.awaitMore(1).last();
            assertThat(check(node, report)).isEqualTo("200 ok");
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[10]));
                assertThat(peer.receive().payloadLength()).isEqualTo(10);
                for (int i = 0; i < 2; i++) {
                    assertThat(Grid.admin(node).post("/cluster/leave", null).path("state").asText()).isEqualTo("leaving");
                }
                frontend.awaitState(Report.State.LEAVING);
                await().untilAsserted(() -> assertThat(check(node, report)).as("its streams must not be broken").isEqualTo("200 leaving"));
                Thread.sleep(5500);
                assertThat(check(node, report)).as("as long as they last").isEqualTo("200 leaving");
                peer.send(AnepPeer.data(Grid.FORWARD, new byte[11]));
                assertThat(peer.receive().payloadLength()).isEqualTo(11);
                try (AnepPeer late = new AnepPeer(node.address())) {
                    late.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[12]));
                    assertThat(late.receive().payloadLength()).as("one that was sent here all the same").isEqualTo(12);
                }
            }
            await().untilAsserted(() -> assertThat(check(node, report)).isEqualTo("503 leaving"));
            for (int i = 0; i < 2; i++) {
                assertThat(Grid.admin(node).post("/cluster/join", null).path("state").asText()).isEqualTo("serving");
            }
            frontend.awaitState(Report.State.SERVING);
            assertThat(check(node, report)).isEqualTo("200 ok");
            // Where no front-end knows, only the check can keep new streams away.
            frontend.refusal = new AnepException(ErrorCode.INTERNAL, "out of order");
            await().until(() -> frontend(node, frontend).path("standing").asText().equals("unknown"));
            Grid.admin(node).post("/cluster/leave", null);
            assertThat(check(node, report)).isEqualTo("503 leaving");
        }
    }

    /** Wrong: to close the port before directors have heard of it; to forget to say good-bye. */
    @Test
    void aStopIsToldFirstAndStreamsThatStillComeAreServed() throws Exception {
        try (Grid grid = Grid.withRepository(); TestFrontend frontend = TestFrontend.onLoopback(null); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> {
                configuration.set("cluster", section(null, frontend.url()));
                configuration.set("drain", "20s");
            });
            Report report = frontend.awaitMore(1).last();
            CompletableFuture<Void> stopping;
            try (AnepPeer late = new AnepPeer(node.address())) {
                stopping = Grid.async(node::stop);
                frontend.awaitState(Report.State.LEAVING);
                late.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[12]));
                assertThat(late.receive().payloadLength()).isEqualTo(12);
                assertThat(check(node, report)).isEqualTo("200 stopping");
                await("the port is closed").until(() -> {
                    try (AnepPeer tooLate = new AnepPeer(node.address())) {
                        return !tooLate.socket().isConnected();
                    } catch (IOException e) {
                        return true;
                    }
                });
                int told = frontend.reports().size();
                await("it goes on to report while it finishes").until(() -> frontend.reports().size() > told + 2);
                assertThat(frontend.gone()).isEmpty();
                late.send(AnepPeer.data(Grid.FORWARD, new byte[13])).finish();
                assertThat(late.receive().payloadLength()).isEqualTo(13);
                assertThat(late.receive()).as("it ends cleanly").isNull();
            }
            stopping.join();
            assertThat(frontend.gone()).containsExactly("b1 " + report.instance());
            assertThatThrownBy(() -> check(node, report)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aChangedConfigurationLeavesTheOldFrontEndsAndKeepsTheOthers() throws Exception {
        Path file = directory.resolve("node.yaml");
        try (Grid grid = new Grid(); TestFrontend one = TestFrontend.onLoopback(null); TestFrontend two = TestFrontend.onLoopback(null)) {
            Node node = grid.node(configure(file, ""));
            assertThat(new NodeView(node).status().path("cluster").isNull()).isTrue();
            assertThatThrownBy(() -> cluster(node)).hasMessageContaining("in no cluster");
            configure(file, "cluster: {name: b1, frontends: ['" + one.url() + "']}");
            Report first = one.awaitMore(1).last();
            configure(file, "cluster: {name: b1, frontends: ['" + one.url() + "', '" + two.url() + "']}");
            two.awaitMore(1);
            assertThat(one.gone()).isEmpty();
            configure(file, "cluster: {name: b1, frontends: ['" + two.url() + "']}");
            await().until(() -> one.gone().equals(List.of("b1 " + first.instance())));
            configure(file, "cluster: {name: b1, frontends: ['" + two.url() + "'], health: '127.0.0.1:" + one.address().getPort() + "'}");
            await().until(() -> new NodeView(node).health().path("configurationRefused").asText().startsWith("EE-502"));
            assertThat(check(node, two.awaitMore(2).last())).as("the one before stays").isEqualTo("200 ok");
            configure(file, "cluster: {name: b2, frontends: ['" + two.url() + "']}");
            await().until(() -> two.last().name().equals("b2"));
            assertThat(two.gone()).containsExactly("b1 " + first.instance());
            configure(file, "");
            await().until(() -> two.gone().equals(List.of("b1 " + first.instance(), "b2 " + first.instance())));
            await().until(() -> new NodeView(node).status().path("cluster").isNull());
        }
    }

    private static Path configure(Path file, String cluster) throws IOException {
        return Files.writeString(file, "drain: 1s\n" + cluster + "\n");
    }

    /** Wrong: a check that is answered by the loops of streams, or by one that knows nothing of them. */
    @Test
    void aNodeWhoseEventLoopsAreAllHeldAnswersThatItDoesNotServe() throws Exception {
        try (Grid grid = Grid.withRepository(); TestFrontend frontend = TestFrontend.onLoopback(null); TcpServer echo = TcpServer.echo()) {
            System.clearProperty(Mischief.DEAF);
            grid.push(new ServiceBundle("packet-waits-deaf", 0x5500, "middle", Mischief.class).in(grid.directory()));
            Node node = grid.node(configuration -> {
                configuration.set("threads", 1);
                configuration.set("limits.service-timeout", "200ms");
                configuration.set("cluster", section(null, frontend.url()));
            });
            Report report = frontend.awaitMore(1).last();
            try (AnepPeer peer = new AnepPeer(node.address())) {
                assertThat(check(node, report)).isEqualTo("200 ok");
                peer.send(AnepPeer.opening(0x5500, AnepPeer.to(echo.port(), Delivery.RAW)));
                await().until(() -> check(node, report).equals("503 failing"));
                assertThat(frontend.awaitMore(2).last().load().lagMillis()).isGreaterThan(3000);
            } finally {
                System.setProperty(Mischief.DEAF, "over");
            }
            await().until(() -> check(node, report).equals("200 ok"));
            System.clearProperty(Mischief.DEAF);
            assertThatThrownBy(() -> HttpFetch.of("http://127.0.0.1:" + report.health(), ErrorCode.UNREACHABLE).json("/status"))
                    .as("nothing else is told there").isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        }
    }
}
