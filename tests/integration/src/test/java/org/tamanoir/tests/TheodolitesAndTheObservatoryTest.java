package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.node.Node;

/** Theodolites in nodes and {@code observatory run} as a process: what they measure is kept, costs come of it, and SIGKILL of the observatory loses no sample. */
@Timeout(240)
class TheodolitesAndTheObservatoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PLAN = """
            theodolites: {a: 127.0.0.1, b: 127.0.0.2}
            groups: {both: {mesh: ["*"]}}
            tests:
              ping: {tool: round-trip, probes: 10, interval: 50ms}
              flow: {tool: throughput, length: 1s, streams: 2}
            schedules:
              often: {repeat: 3s}
              booked: {repeat: 12s, slip: 6s}
            tasks:
              ping: {group: both, test: ping, schedule: often}
              flow: {group: both, test: flow, schedule: booked}
            """;

    private Grid grid;
    private int port;
    private LabProcess observatory;
    private HttpFetch http;

    private void begin(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of("observatory", "run", "--listen", "127.0.0.1:" + port, "--data", grid.directory().resolve("observatory").toString()));
        command.addAll(List.of(more));
        observatory = LabProcess.start("observatory", CommandLineTool.command(command.toArray(String[]::new)));
        observatory.awaitLine("READY observatory ", PATIENCE);
        http = HttpFetch.of("http://127.0.0.1:" + port, ErrorCode.UNREACHABLE);
    }

    @AfterEach
    void stop() throws IOException {
        if (observatory != null) {
            observatory.close();
        }
        if (grid != null) {
            grid.close();
        }
    }

    private Node theodolite(String name, String host) {
        Node node = grid.node(configuration -> configuration.set("listen", host + ":0").set("services", Map.of("theodolite", Map.of("name", name, "observatory", "http://127.0.0.1:" + port))));
        Grid.admin(node).timeout(PATIENCE).post("/services/theodolite/upgrade", Map.of("version", "0.1.0", "dryRun", false));
        return node;
    }

    /** Numbers that the observatory has of a session. */
    private Set<Integer> numbers(String from, String to) {
        Set<Integer> numbers = new HashSet<>();
        http.json("/v1/paths/" + from + "/" + to + "?samples=1000").path("sessions").forEach(session -> session.forEach(each -> assertThat(numbers.add(each.path("number").asInt())).isTrue()));
        return numbers;
    }

    private static JsonNode samples(Node node) {
        return Grid.admin(node).json("/services/theodolite/inspect/state").path("samples");
    }

    @Test
    @Tag("long")
    void whatIsPlannedIsMeasuredKeptAndAnswersWhatATransferCosts() throws Exception {
        grid = Grid.withRepository();
        grid.push(Grid.bundle("theodolite"));
        port = FreePort.onLoopback();
        begin("--plan", Files.writeString(grid.directory().resolve("plan.yaml"), PLAN).toString());
        Node a = theodolite("a", "127.0.0.1");
        Node b = theodolite("b", "127.0.0.2");
        await().atMost(PATIENCE).untilAsserted(() -> {
            for (String session : List.of("ping/be/a/b", "ping/be/b/a", "flow/be/a/b", "flow/be/b/a")) {
                JsonNode path = http.json(session.endsWith("a/b") ? "/v1/paths/a/b" : "/v1/paths/b/a").path("sessions").path(session);
                assertThat(path).as("samples of %s", session).isNotEmpty();
            }
        });
        JsonNode cost = http.json("/v1/costs?from=a&to=b&size=1000000000");
        assertThat(cost.toString()).contains("throughput");
        System.out.println(cost);

        observatory.kill();
        int before = samples(a).path("made").asInt();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(samples(a).path("made").asInt()).as("it measures without the observatory").isGreaterThan(before + 2));
        begin();
        await().atMost(PATIENCE).untilAsserted(() -> {
            int made = samples(a).path("made").asInt();
            assertThat(numbers("a", "b")).as("none is lost, none came twice").hasSizeGreaterThanOrEqualTo(made - 2);
        });
        Set<Integer> kept = numbers("a", "b");
        for (int number = 1; number <= before + 2; number++) {
            assertThat(kept).contains(number);
        }
        assertThat(samples(a).path("dropped").asInt()).isZero();
        assertThat(Grid.admin(b).json("/services/theodolite/inspect/state").path("flows").path("received").asInt()).isPositive();
        prometheusReadsAllPages(a);
    }

    /** Wrong: a page that promtool has something to say of, or from which a query has no answer. */
    private void prometheusReadsAllPages(Node node) throws IOException {
        String missing = PrometheusServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        String url = "http://127.0.0.1:" + port;
        Map<String, String> pages = Map.of("observatory", url + "/metrics", "paths", url + "/metrics/paths", "node", node.adminUrl() + "/metrics", "repository", grid.repository().url() + "/metrics");
        for (String page : pages.values()) {
            PrometheusServer.check(new String(HttpFetch.of(page, ErrorCode.UNREACHABLE).bytes("", 1 << 20), StandardCharsets.UTF_8));
        }
        try (PrometheusServer prometheus = new PrometheusServer(pages)) {
            for (String expression : List.of("count(up == 1) == 4", "tamanoir_path_mbits{from=\"a\",to=\"b\",job=\"paths\"} > 0", "tamanoir_path_rtt_median{from=\"b\",to=\"a\"} < 1000",
                    "tamanoir_observatory_samples_kept_total > 3", "tamanoir_streams{job=\"node\"} >= 0")) {
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(prometheus.query(expression)).as(expression).hasSize(1));
            }
        }
    }
}
