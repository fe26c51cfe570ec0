package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.simulation.SimulatedFleet;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.repository.mirror.MirrorSettings;

/** The server of a fleet over HTTP: who may do what, what a node is answered, and what is left after a restart. */
class AFleetTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    @TempDir
    private Path directory;
    private Repo repo;

    @AfterEach
    void stop() {
        if (repo != null) {
            repo.close();
        }
    }

    private void start() {
        repo = new Repo(Repo.settings(directory.resolve("data")).withToken("secret"));
    }

    static JsonNode state(String drain) throws IOException {
        return new YAMLMapper().readTree("{fleet: {nodes: {a: {}, b: {token-sha256: " + Canonical.sha256("of b".getBytes(StandardCharsets.UTF_8)) + "}, c: {identity: 'spiffe://x/c'}}, "
                + "rings: [{name: first, nodes: [a]}, {name: rest}], rollout: {soak: 0s}}, nodes: {a: {drain: " + drain + "}, b: {drain: " + drain + "}}}");
    }

    private JsonNode apply(JsonNode state, String base) {
        return apply(repo, state, base);
    }

    static JsonNode apply(Repo at, JsonNode state, String base) {
        ObjectNode body = MAPPER.createObjectNode().put("by", "ada@desk").put("why", "a test");
        body.set("state", state);
        return at.http.ifMatch(base).putJson("/fleet/state", body);
    }

    static ObjectNode report(String sha256) {
        ObjectNode report = MAPPER.createObjectNode().put("generation", 1).put("sha256", sha256);
        report.putObject("health").put("status", "ok");
        return report;
    }

    static JsonNode part(Repo at, String node) throws IOException {
        return MAPPER.readTree(at.http.bytes("/fleet/nodes/" + node, 1 << 20));
    }

    private JsonNode part(String node, HttpFetch http) throws IOException {
        return MAPPER.readTree(http.bytes("/fleet/nodes/" + node, 1 << 20));
    }

    @Test
    void aNodeIsGivenWhatItIsToHaveAndNothingASecondTime() throws Exception {
        start();
        assertThat(repo.http.json("/fleet/status").path("generation").isNull()).isTrue();
        assertThatThrownBy(() -> part("a", repo.http)).hasMessageStartingWith("EE-407");
        JsonNode plan = repo.http.post("/fleet/plan", Map.of("state", state("1s")));
        assertThat(plan.path("base").asLong()).isZero();
        assertThat(plan.path("changes").findValuesAsText("name")).containsExactly("a", "b", "c");
        assertThat(apply(state("1s"), "\"0\"").path("generation").path("who").asText()).isEqualTo("ada@desk, on this machine");
        Fetched first = repo.http.ifChanged("/fleet/nodes/a", null, 1 << 20);
        assertThat(first.body()).isPresent();
        assertThat(repo.http.ifChanged("/fleet/nodes/a", first.etag(), 1 << 20).body()).as("304").isEmpty();
        JsonNode answer = MAPPER.readTree(first.body().orElseThrow());
        assertThat(answer.path("part").path("drain").asText()).isEqualTo("1s");
        assertThat(repo.http.post("/fleet/nodes/a/report", report(answer.path("sha256").asText())).path("reportMillis").asLong()).isEqualTo(2_000);
        await().ignoreExceptions().untilAsserted(() -> assertThat(part("b", repo.http.token("of b")).path("part").path("drain").asText()).isEqualTo("1s"));
        JsonNode status = repo.http.json("/fleet/status");
        assertThat(status.path("rings").path(0).toString()).isEqualTo("{\"name\":\"first\",\"nodes\":1,\"have\":1,\"healthy\":1}");
        assertThat(status.path("nodes").path(0).path("state").asText()).isEqualTo("HAS");
        assertThat(repo.metrics()).contains("tamanoir_fleet_generation 1\n", "tamanoir_fleet_nodes 3\n", "tamanoir_fleet_rollout_running 1\n");
    }

    @Test
    void aNodeSpeaksForItselfAlone() throws Exception {
        start();
        apply(state("1s"), "\"0\"");
        HttpFetch b = repo.http.token("of b");
        assertThat(b.post("/fleet/nodes/b/report", report("x")).path("reportMillis").asLong()).isEqualTo(15_000);
        for (HttpFetch other : new HttpFetch[] {repo.http, repo.http.token("of a"), repo.http.token("secret")}) {
            assertThatThrownBy(() -> other.post("/fleet/nodes/b/report", report("x"))).hasMessageStartingWith("EE-643").hasMessageContaining("b: the token is none of it");
            assertThatThrownBy(() -> part("b", other)).hasMessageStartingWith("EE-643");
        }
        assertThatThrownBy(() -> b.post("/fleet/nodes/c/report", report("x"))).hasMessageStartingWith("EE-643").hasMessageContaining("no certificate of spiffe://x/c");
        assertThatThrownBy(() -> repo.http.post("/fleet/nodes/nobody/report", report("x"))).hasMessageStartingWith("EE-407");
        assertThatThrownBy(() -> repo.http.post("/fleet/nodes/a/report", Map.of("health", 1))).hasMessageStartingWith("EE-408");
    }

    @Test
    void whoIsElsewhereNeedsTheTokenToLookAndToApply() throws Exception {
        start();
        apply(state("1s"), "\"0\"");
        for (String request : new String[] {"GET /fleet/status", "GET /fleet/generations", "GET /fleet/status/a", "PUT /fleet/state", "POST /fleet/plan", "POST /fleet/rollback", "GET /fleet/nodes/a"}) {
            assertThat(raw(request, "Forwarded: for=192.0.2.1\r\n")).as(request).startsWith(request.endsWith("nodes/a") ? "HTTP/1.1 403" : "HTTP/1.1 401");
        }
        assertThat(raw("GET /fleet/status", "Forwarded: for=192.0.2.1\r\nAuthorization: Bearer secret\r\n")).startsWith("HTTP/1.1 200");
    }

    private String raw(String request, String headers) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", repo.server.address().getPort()); OutputStream out = socket.getOutputStream()) {
            out.write((request + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 2\r\n" + headers + "\r\n{}").getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void theSecondOfTwoOperatorsIsTold() throws Exception {
        start();
        apply(state("1s"), "\"0\"");
        apply(state("2s"), "\"1\"");
        assertThatThrownBy(() -> apply(state("3s"), "\"1\"")).hasMessageStartingWith("EE-641").hasMessageContaining("of ada@desk").hasMessageContaining("a drain changed, b drain changed");
        assertThatThrownBy(() -> repo.http.putJson("/fleet/state", Map.of("state", state("3s")))).hasMessageContaining("If-Match");
        assertThatThrownBy(() -> apply(state("3s"), "\"x\"")).hasMessageStartingWith("EE-408");
        assertThatThrownBy(() -> apply(new YAMLMapper().readTree("{fleet: {nodes: {a: {}}}, nodes: {a: {listen: 'x'}}}"), "\"2\"")).hasMessageStartingWith("EE-640 nodes/a.yaml: listen");
        assertThat(apply(state("2s"), "\"2\"").path("changed").asBoolean()).isFalse();
        JsonNode back = repo.http.ifMatch("\"2\"").post("/fleet/rollback", Map.of("why", "never mind"));
        assertThat(back.path("generation").path("number").asLong()).isEqualTo(3);
        assertThat(part("a", repo.http).path("part").path("drain").asText()).isEqualTo("1s");
        assertThat(repo.http.json("/fleet/generations").path("generations").findValuesAsText("number")).containsExactly("3", "2", "1");
        assertThat(repo.http.json("/fleet/generations/2").path("state")).isEqualTo(state("2s"));
    }

    @Test
    void whatWasAcknowledgedIsThereAfterARestart() throws Exception {
        start();
        apply(state("1s"), "\"0\"");
        JsonNode before = repo.http.json("/fleet/generations");
        Fetched part = repo.http.ifChanged("/fleet/nodes/a", null, 1 << 20);
        repo.close();
        start();
        assertThat(repo.http.json("/fleet/generations")).isEqualTo(before);
        assertThat(repo.http.ifChanged("/fleet/nodes/a", part.etag(), 1 << 20).body()).as("it has that").isEmpty();
        assertThat(repo.http.json("/fleet/status").path("nodes").path(0).path("state").asText()).as("nobody has reported yet").isEqualTo("NEVER");
    }

    @Test
    void aMirrorLeadsNobody() throws Exception {
        start();
        try (Repo mirror = new Repo(Repo.settings(directory.resolve("mirror")), MirrorSettings.of(repo.server.url(), 1 << 20))) {
            assertThatThrownBy(() -> mirror.http.ifMatch("\"0\"").putJson("/fleet/state", Map.of("state", state("1s")))).hasMessageStartingWith("EE-412");
        }
    }

    /** What the simulation counts a question and an answer with. */
    @Test
    void aQuestionAndItsAnswerHaveAsManyOctetsAsTheSimulationSays() throws Exception {
        start();
        apply(state("1s"), "\"0\"");
        try (Wire wire = new Wire(repo.server.address().getPort())) {
            HttpFetch through = HttpFetch.of(wire.url(), ErrorCode.UNREACHABLE);
            Fetched first = through.ifChanged("/fleet/nodes/a", null, 1 << 20);
            long body = first.body().orElseThrow().length;
            long whole = wire.answered() - body;
            through.ifChanged("/fleet/nodes/a", first.etag(), 1 << 20);
            long unchanged = wire.answered() - body - whole;
            System.out.println("an answer has " + whole + " octets and its body; one that says that nothing has changed " + unchanged);
            assertThat(unchanged).isBetween(SimulatedFleet.ANSWER_OCTETS / 2L, (long) SimulatedFleet.ANSWER_OCTETS);
            assertThat(whole).isLessThanOrEqualTo(SimulatedFleet.ANSWER_OCTETS);
        }
    }
}
