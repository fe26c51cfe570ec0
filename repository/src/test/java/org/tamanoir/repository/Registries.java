package org.tamanoir.repository;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.lab.RegistryServer;

/** Places in one registry, which is started for the first that is asked for and ends with this JVM. */
final class Registries {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final AtomicInteger MADE = new AtomicInteger();
    private static RegistryServer server;

    private Registries() {
    }

    private static synchronized RegistryServer server() {
        if (server == null) {
            server = start();
        }
        return server;
    }

    /** A registry for one test, which may do with it what it likes. */
    static RegistryServer start() {
        String missing = RegistryServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        try {
            return new RegistryServer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A place that is empty. */
    static String fresh() {
        return "oci://" + server().address() + "/place" + MADE.incrementAndGet();
    }

    /** SHA-256 of the bundles that the tags of a place lead to, in order. */
    static List<String> tagged(String place) {
        String[] parts = place.substring("oci://".length()).split("/", 2);
        String base = "http://" + parts[0] + "/v2/";
        List<String> found = new ArrayList<>();
        for (JsonNode name : json(base + "_catalog").path("repositories")) {
            if (name.asText().startsWith(parts[1] + "/")) {
                // Of one that has blobs alone there is no list.
                for (JsonNode tag : json(base + name.asText() + "/tags/list").path("tags")) {
                    JsonNode manifest = json(base + name.asText() + "/manifests/" + tag.asText());
                    found.add(manifest.path("layers").get(0).path("digest").asText().substring("sha256:".length()));
                }
            }
        }
        return found.stream().sorted().toList();
    }

    private static JsonNode json(String url) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url)).header("Accept", "application/vnd.oci.image.manifest.v1+json, application/json").build();
            return new ObjectMapper().readTree(CLIENT.send(request, BodyHandlers.ofByteArray()).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
