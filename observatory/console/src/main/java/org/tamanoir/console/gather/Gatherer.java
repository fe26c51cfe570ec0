package org.tamanoir.console.gather;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.fetch.HttpFetch;

/** The entries of many nodes together: one process asks them all, and a browser asks this one. */
public final class Gatherer implements Supplier<Map<String, Map<String, Object>>>, AutoCloseable {
    /** Each takes a thread. */
    public static final int MOST_NODES = 1000;
    private static final long ANSWER_OCTETS = 1 << 20;

    /**
     * A node to follow.
     *
     * @param name for people; null for its address
     * @param url  its admin API, with a token and certificates where it needs them
     */
    public record Node(String name, HttpFetch url) {
    }

    private final List<NodeFollower> followers;

    /** Begins to follow. @param nodes at most {@link #MOST_NODES} */
    public Gatherer(List<Node> nodes) {
        if (nodes.size() > MOST_NODES) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, nodes.size() + " nodes are more than the " + MOST_NODES + " that one console follows");
        }
        followers = nodes.stream().map(node -> new NodeFollower(node.name(), node.url())).toList();
    }

    @Override
    public Map<String, Map<String, Object>> get() {
        Map<String, Map<String, Object>> all = new LinkedHashMap<>();
        all.put("console/gathered", Map.of());
        followers.forEach(follower -> follower.show(all));
        return all;
    }

    /** What the page asks of one node: two questions that change nothing. @param read who may look */
    public List<Route> routes(Guard read) {
        return List.of(Route.of("GET", "/console/nodes/{node}/explain/stream/{number}", request -> ask(request, "/explain/stream/" + number(request))).guarded(read),
                Route.of("GET", "/console/nodes/{node}/streams/{number}/why", request -> ask(request, "/streams/" + number(request) + "/why")).guarded(read));
    }

    private static long number(Request request) {
        try {
            return Long.parseLong(request.parameter("number"));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream is named by its number", e);
        }
    }

    private Response ask(Request request, String path) {
        NodeFollower found = followers.stream().filter(follower -> request.parameter("node").equals(follower.id())).findFirst()
                .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "no node " + request.parameter("node") + " is followed here"));
        return Response.bytes(200, "application/json", found.node().bytes(path, ANSWER_OCTETS));
    }

    @Override
    public void close() {
        followers.forEach(NodeFollower::close);
    }
}
