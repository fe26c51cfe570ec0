package org.tamanoir.benchmarks.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** The admin API of a running node, as far as benches ask it. Every call ends within half a minute, with an {@link AnepException} if it fails. */
public final class NodeAdmin {
    private final String url;
    private final HttpFetch api;

    /** @param token of operators; null in development mode */
    NodeAdmin(String url, String token) {
        this.url = url;
        api = HttpFetch.of(url, ErrorCode.UNREACHABLE).token(token);
    }

    /** Where it is, as the node's own host reaches it. */
    public String url() {
        return url;
    }

    /** {@code GET /status}. */
    public JsonNode status() {
        return api.json("/status");
    }

    /** {@code HOST:PORT} of the node's code server. */
    public String codeServer() {
        return status().path("codeServer").asText();
    }

    /** The entry of {@code GET /services} for the version of a service that new streams get, if there is one. */
    public Optional<JsonNode> current(String name) {
        return StreamSupport.stream(api.json("/services").path("services").spliterator(), false)
                .filter(service -> service.path("name").asText().equals(name) && service.path("current").asBoolean()).findFirst();
    }

    /** How many versions of a service the node has that streams go through: active and draining ones. */
    public int versions(String name) {
        return (int) StreamSupport.stream(api.json("/services").path("services").spliterator(), false)
                .filter(service -> service.path("name").asText().equals(name))
                .filter(service -> List.of("active", "draining").contains(service.path("state").asText())).count();
    }

    /** Pushes a bundle to the node itself; returns when it is active. @return where the node says that it comes from */
    public String deploy(Path bundle) {
        return api.put("/bundles", bundle).path("source").asText();
    }

    /** Brings a service to a version that one of the node's sources has; returns when it is active. @return the source that the node names */
    public String upgrade(String name, String version) {
        return api.post("/services/" + HttpFetch.segment(name) + "/upgrade", Map.of("version", version, "dryRun", false)).path("source").asText();
    }

    /** The newest stream that is open, or has ended lately if none is; a missing node if there was none. */
    public JsonNode newestStream() {
        JsonNode newest = newest(api.json("/streams").path("streams"));
        return newest.isMissingNode() ? newest(api.json("/streams?ended").path("streams")) : newest;
    }

    private static JsonNode newest(JsonNode streams) {
        return StreamSupport.stream(streams.spliterator(), false)
                .max((one, other) -> Long.compare(one.path("number").asLong(), other.path("number").asLong()))
                .orElseGet(MissingNode::getInstance);
    }
}
