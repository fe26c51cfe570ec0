package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.Node;

/** A node as its operator sees it: through the admin API alone. */
final class NodeView {
    private final HttpFetch admin;

    NodeView(Node node) {
        admin = Grid.admin(node).timeout(Duration.ofSeconds(15));
    }

    /** Adds or changes a route while the node runs. */
    static void putRoute(Node node, String prefix, String target) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.adminUrl() + "/routes")).header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString("{\"prefix\":\"" + prefix + "\",\"target\":\"" + target + "\"}")).build();
        try {
            assertThat(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    JsonNode status() {
        return admin.json("/status");
    }

    /** The routes, and what is known of their next hops. */
    JsonNode routes() {
        return admin.json("/routes");
    }

    JsonNode health() {
        return status().path("health");
    }

    /** How often an error was met, by {@code /status}; its metric must say the same. */
    long errors(ErrorCode code) {
        double least = metric("tamanoir_errors_total{code=\"" + code + "\"}");
        long counted = status().path("errors").path(code.toString()).asLong();
        assertThat((double) counted).as("%s in /status and /metrics", code).isBetween(least, metric("tamanoir_errors_total{code=\"" + code + "\"}"));
        return counted;
    }

    /** All errors together. */
    long errors() {
        long sum = 0;
        for (JsonNode count : status().path("errors")) {
            sum += count.asLong();
        }
        return sum;
    }

    /** A metric by its name and labels as they are printed. */
    double metric(String series) {
        String text = new String(admin.bytes("/metrics", 1 << 20), StandardCharsets.UTF_8);
        Matcher line = Pattern.compile("^" + Pattern.quote(series) + " (\\S+)$", Pattern.MULTILINE).matcher(text);
        assertThat(line.find()).as("the metric %s", series).isTrue();
        return Double.parseDouble(line.group(1));
    }

    /** A metric of a service, all its versions and instances together. */
    double total(String name) {
        String text = new String(admin.bytes("/metrics", 1 << 20), StandardCharsets.UTF_8);
        Matcher line = Pattern.compile("^" + Pattern.quote(name) + "\\{[^}]*\\} (\\S+)$", Pattern.MULTILINE).matcher(text);
        double sum = 0;
        int found = 0;
        for (; line.find(); found++) {
            sum += Double.parseDouble(line.group(1));
        }
        assertThat(found).as("series of %s", name).isPositive();
        return sum;
    }

    List<JsonNode> streams() {
        List<JsonNode> streams = new ArrayList<>();
        admin.json("/streams").path("streams").forEach(streams::add);
        return streams;
    }

    JsonNode stream(long number) {
        return admin.json("/streams/" + number);
    }

    /** What the node says of one service: of the version that is current, or else of the one that came last; or a missing node. */
    JsonNode service(int typeId) {
        List<JsonNode> versions = versions(typeId);
        return versions.stream().filter(version -> version.path("current").asBoolean()).findFirst()
                .orElse(versions.isEmpty() ? com.fasterxml.jackson.databind.node.MissingNode.getInstance() : versions.get(versions.size() - 1));
    }

    /** Every version of a service that the node knows, oldest first. */
    List<JsonNode> versions(int typeId) {
        List<JsonNode> versions = new ArrayList<>();
        admin.json("/services").path("services").forEach(service -> {
            if (Integer.decode(service.path("typeId").asText()) == typeId) {
                versions.add(service);
            }
        });
        return versions;
    }

    /** Waits until so many streams have been let in since the start. */
    void awaitStreamsOpened(int count) {
        await().until(() -> status().path("streamsOpened").asInt() == count);
    }

    long directMemory() {
        return status().path("directMemoryBytes").asLong();
    }

    /** Waits until an error has been met so often. */
    void awaitErrors(ErrorCode code, long count) {
        await().untilAsserted(() -> assertThat(errors(code)).as("%s of %s", code, status().path("errors"))
                .isEqualTo(count));
    }

    /** Waits until the node holds so many streams, and nothing that waits for a service. */
    void awaitStreams(int count) {
        await().untilAsserted(() -> {
            JsonNode status = status();
            assertThat(status.path("streams").asInt()).as("streams").isEqualTo(count);
            assertThat(streams()).hasSize(count);
            assertThat(status.path("memoryBytes").asLong()).as("octets that streams retain").isZero();
        });
    }
}
