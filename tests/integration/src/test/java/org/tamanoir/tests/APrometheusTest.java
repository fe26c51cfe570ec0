package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.node.Node;

/** The dashboard and the alerts that are shipped, with a real Prometheus, of classic and of native histograms. No Grafana draws the dashboard here. */
class APrometheusTest {
    private static final Path SHIPPED = Path.of("../../distribution/src/grafana");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TOKEN = "readers";
    private static final int ROUND = 1000;

    @BeforeAll
    static void installPrometheus() {
        String missing = PrometheusServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
    }

    /** Streams through two services that the nodes have to fetch, some that a destination refuses, and one that goes on all the time. */
    private static final class Load implements AutoCloseable {
        private final TcpServer server = TcpServer.echo();
        private final List<CompletableFuture<Void>> threads = new ArrayList<>();
        private final InetSocketAddress node;
        private volatile boolean enough;

        private interface Work {
            void once() throws IOException;
        }

        Load(Node node) throws IOException {
            this.node = node.address();
            int closed = FreePort.onLoopback();
            AnepPeer lasting = open(server.port());
            threads.add(repeat(() -> round(lasting)));
            threads.add(repeat(() -> {
                try (AnepPeer peer = open(server.port())) {
                    round(peer);
                    peer.finish();
                    while (peer.receive() != null) {
                        continue;
                    }
                }
                try (AnepPeer peer = open(closed)) {
                    assertThat(peer.refusal()).isEqualTo(ErrorCode.DESTINATION_REFUSED);
                }
            }));
        }

        private AnepPeer open(int port) throws IOException {
            return new AnepPeer(node).send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(port, Delivery.RAW, Grid.COMPRESSION)));
        }

        private static void round(AnepPeer peer) throws IOException {
            peer.send(AnepPeer.data(Grid.MONITORING, new byte[ROUND]));
            for (int got = 0; got < ROUND;) {
                Packet packet = peer.receive();
                got += packet.payloadLength();
            }
        }

        private CompletableFuture<Void> repeat(Work work) {
            return Grid.async(() -> {
                try {
                    while (!enough) {
                        work.once();
                        Thread.sleep(2);
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        /** It ends, and what has gone wrong with it is thrown. */
        void finish() {
            enough = true;
            threads.forEach(CompletableFuture::join);
        }

        @Override
        public void close() {
            enough = true;
            server.close();
        }
    }

    /** Wrong: an expression that names what no node has, a page that Prometheus does not read, histograms without the buckets that it asks for. */
    @Test
    void everyExpressionOfTheDashboardHasDataAndEachOfAnAlertIsAnswered() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            Node last = last(grid);
            Node first = grid.nodeTo(last);
            Map<String, String> pages = Map.of("tamanoir-a", first.adminUrl() + "/metrics", "tamanoir-b", last.adminUrl() + "/metrics");
            try (PrometheusServer classic = new PrometheusServer(pages, TOKEN); PrometheusServer nativeOne = new PrometheusServer(pages, TOKEN, "--enable-feature=native-histograms")) {
                for (PrometheusServer each : List.of(classic, nativeOne)) {
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(each.query("count(tamanoir_streams) == 2")).hasSize(1));
                }
                try (Load load = new Load(first)) {
                    for (String expression : ofTheDashboard()) {
                        hasData(classic, expression);
                        hasData(nativeOne, expression);
                    }
                    for (JsonNode rule : yaml("alerts.yaml").findValue("rules")) {
                        classic.query(rule.path("expr").asText());
                        nativeOne.query(rule.path("expr").asText());
                    }
                    load.finish();
                }
                await().atMost(PATIENCE).untilAsserted(() -> {
                    double streams = value(classic, "tamanoir_stream_open_seconds_count{job=\"tamanoir-a\"}");
                    assertThat(streams).isEqualTo(value(classic, "tamanoir_streams_opened_total{job=\"tamanoir-a\"}")).isGreaterThan(10);
                    assertThat(value(nativeOne, "histogram_count(tamanoir_stream_open_seconds{job=\"tamanoir-a\"})")).as("the same in native buckets").isEqualTo(streams);
                });
                assertThat(nativeOne.query("tamanoir_stream_open_seconds_bucket")).as("classic buckets beside the native ones").isEmpty();
                double bucketed = value(classic, "histogram_quantile(0.5, sum by (le) (tamanoir_stream_open_seconds_bucket))");
                assertThat(value(nativeOne, "histogram_quantile(0.5, sum(tamanoir_stream_open_seconds))")).as("half of the streams, in buckets of 9 %%").isBetween(bucketed / 3, bucketed * 3);
            }
            String page = new String(Grid.admin(first).bytes("/metrics", 1 << 20), StandardCharsets.UTF_8);
            PrometheusServer.check(page);
        }
    }

    /** A node with a certificate, which has an end. */
    private static Node last(Grid grid) throws IOException {
        Identity.Files files = new Authority(grid.directory(), "ca").certify("b", "URI:spiffe://example.org/node/b", 20);
        Path token = Files.writeString(grid.directory().resolve("token"), TOKEN + "\n");
        return grid.node(configuration -> configuration.set("tls.certificate", files.certificate().toString()).set("tls.key", files.key().toString())
                .set("tls.authorities", files.authorities().toString()).set("tls.plain", List.of("127.0.0.0/8")).set("admin", "127.0.0.1:0").set("admin-token-file", token));
    }

    private static void hasData(PrometheusServer prometheus, String expression) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(prometheus.query(expression)).as(expression)
                .anySatisfy(series -> assertThat(series.path("value").path(1).asText()).isNotEqualTo("NaN")));
    }

    private static double value(PrometheusServer prometheus, String expression) {
        JsonNode series = prometheus.query(expression);
        assertThat(series).as(expression).hasSize(1);
        return series.get(0).path("value").path(1).asDouble();
    }

    /** What the panels ask, of all nodes. */
    private static Set<String> ofTheDashboard() throws IOException {
        Set<String> expressions = new LinkedHashSet<>();
        new ObjectMapper().readTree(SHIPPED.resolve("nodes.json").toFile()).findValuesAsText("expr")
                .forEach(expression -> expressions.add(expression.replace("$job", ".+").replace("$instance", ".+").replace("$__rate_interval", "1m")));
        assertThat(expressions).hasSizeGreaterThan(30).noneMatch(expression -> expression.contains("$"));
        return expressions;
    }

    private static JsonNode yaml(String name) throws IOException {
        return new ObjectMapper(new YAMLFactory()).readTree(SHIPPED.resolve(name).toFile());
    }

    /** Wrong: an alert that does not fire in the case that is made for it, or fires beside it, and one for which there is no case. */
    @Test
    void eachAlertFiresInTheCaseThatIsMadeForIt() throws IOException {
        for (String[] check : new String[][] {{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts.test.yaml"}}) {
            Command.Result result = Command.tryRun(List.of("sh", "-c", "cd \"$0\" && exec promtool \"$@\"", SHIPPED.toString(), check[0], check[1], check[2]), null, PATIENCE);
            assertThat(result.exit()).as(() -> result.output() + result.errors()).isZero();
        }
        Map<String, Integer> fired = new LinkedHashMap<>();
        yaml("alerts.test.yaml").path("tests").forEach(test -> test.path("alert_rule_test").forEach(each -> fired.put(each.path("alertname").asText(), each.path("exp_alerts").size())));
        List<String> alerts = new ArrayList<>();
        yaml("alerts.yaml").findValue("rules").forEach(rule -> alerts.add(rule.path("alert").asText()));
        assertThat(alerts).hasSizeGreaterThan(10).allSatisfy(alert -> assertThat(fired).containsEntry(alert, 1));
    }

    /** Wrong: a form that nobody has asked for, and a type that is not that of the page. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "text/html, */*;q=0.1|text/plain; version=0.0.4|tamanoir_stream_open_seconds_bucket{le=\"+Inf\"} 0|# EOF",
        "application/openmetrics-text;version=1.0.0,text/plain;q=0.5|application/openmetrics-text; version=1.0.0|# EOF|encoding",
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,*/*;q=0.1|application/vnd.google.protobuf|tamanoir_stream_open_seconds|# HELP"})
    void aPageHasTheFormThatIsAskedFor(String accept, String type, String part, String never) throws Exception {
        try (Grid grid = new Grid()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(grid.node().adminUrl() + "/metrics")).header("Accept", accept).build();
            HttpResponse<String> page = HttpClient.newHttpClient().send(request, BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
            assertThat(page.headers().firstValue("Content-Type").orElseThrow()).startsWith(type);
            assertThat(page.body()).contains(part).doesNotContain(never);
        }
    }

    /** Takes the SDK of Grafana from PyPI. */
    @Test
    @Tag("sweep")
    void theDashboardIsWhatItsProgramMakes() {
        Command.Result result = Command.tryRun(List.of(SHIPPED.resolve("generate").toString(), "--check"), null, Duration.ofMinutes(5));
        assertThat(result.exit()).as(() -> result.output() + result.errors()).isZero();
    }
}
