package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.Node;

/** A change of routes, rules or pins is for what was read, holds until the file is read again, and is not lost in silence. */
class AChangeThroughTheApiTest {
    private static final String RULES = "kernel: {rules: 2}\nrules: [{name: old, match: {type: 0x5500}, actions: [count]}]\nroutes: {127.0.0.0/8: direct}\n";

    @TempDir
    private Path directory;

    private static int put(Node node, String path, String tag, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.adminUrl() + path)).header("If-Match", tag)
                .PUT(HttpRequest.BodyPublishers.ofString(body)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private static String tag(HttpFetch admin, String path) {
        return admin.ifChanged(path, null, 1 << 20).etag();
    }

    @Test
    void isForWhatWasRead() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), RULES);
        try (Grid grid = new Grid()) {
            Node node = grid.node(file);
            HttpFetch admin = Grid.admin(node);
            String routes = tag(admin, "/routes");
            String rules = tag(admin, "/rules");
            assertThat(admin.json("/routes").path("etag").asText()).isEqualTo(routes);
            assertThat(put(node, "/routes", routes, "{\"prefix\": \"10.0.0.0/8\", \"target\": \"direct\"}")).isEqualTo(200);
            assertThat(put(node, "/routes", routes, "{\"prefix\": \"10.0.0.0/8\", \"target\": \"127.0.0.1:9\"}")).as("a tag of before").isEqualTo(412);
            assertThat(admin.json("/routes").path("routes").path("10.0.0.0/8").asText()).isEqualTo("direct");
            assertThat(tag(admin, "/rules")).as("another resource").isEqualTo(rules);
            assertThatThrownBy(() -> admin.ifMatch(routes).delete("/routes?prefix=10.0.0.0/8")).hasMessageStartingWith("EE-413");
            assertThatThrownBy(() -> admin.ifMatch("\"x\"").putJson("/pins", Map.of("prefix", "10.0.0.0/8", "service", "forward", "version", "1.0.0")))
                    .hasMessageStartingWith("EE-413");
            assertThat(put(node, "/rules", rules, "{\"rules\": [" + rule("a") + "," + rule("b") + "," + rule("c") + "]}")).as("no room").isEqualTo(409);
            assertThat(admin.json("/rules").path("rules").findValuesAsText("name")).containsExactly("old");
        }
    }

    private static String rule(String name) {
        return "{\"name\": \"" + name + "\", \"actions\": [\"count\"]}";
    }

    @Test
    void givesWayToTheFileAndIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), RULES);
        try (Grid grid = new Grid()) {
            Node node = grid.node(file);
            HttpFetch admin = Grid.admin(node);
            NodeView.putRoute(node, "10.0.0.0/8", "direct");
            admin.putJson("/pins", Map.of("prefix", "10.0.0.0/8", "service", "forward", "version", "1.0.0"));
            admin.putJson("/rules", Map.of("rules", List.of()));
            JsonNode configuration = admin.json("/status").path("configuration");
            assertThat(texts(configuration.path("changedByApi"))).containsExactlyInAnyOrder("route 10.0.0.0/8 added", "rule old removed",
                    "pin of forward for 10.0.0.0/8 added");
            assertThat(configuration.path("overridden")).isEmpty();
            String[] lost = {"route 10.0.0.0/8, added by the API, is gone", "rule old, removed by the API, is back",
                "pin of forward for 10.0.0.0/8, added by the API, is gone"};
            assertThat(texts(admin.post("/reload", Map.of()).path("overridden"))).containsExactlyInAnyOrder(lost);
            configuration = admin.json("/status").path("configuration");
            assertThat(configuration.path("changedByApi")).isEmpty();
            assertThat(texts(configuration.path("overridden"))).containsExactlyInAnyOrder(lost);
            assertThat(admin.json("/rules").path("rules").findValuesAsText("name")).containsExactly("old");
            Files.writeString(file, "rules: nonsense\n");
            assertThatThrownBy(() -> admin.post("/reload", Map.of())).hasMessageStartingWith("EE-501").hasMessageContaining("rules: it must be a list");
        }
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }
}
