package org.tamanoir.console.gather;

import java.time.Duration;
import java.util.ArrayList;
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

/** The entries of many nodes together, and of queues, front-ends and observatories: one process asks them all, and a browser asks this one. */
public final class Gatherer implements Supplier<Map<String, Map<String, Object>>>, AutoCloseable {
    /** Each takes a thread. */
    public static final int MOST_NODES = 1000;
    /** Of other servers; each takes a thread, too. */
    public static final int MOST_SERVERS = 64;
    private static final long ANSWER_OCTETS = 1 << 20;

    /**
     * A node to follow.
     *
     * @param name for people; null for its address
     * @param url  its admin API, with a token and certificates where it needs them
     */
    public record Node(String name, HttpFetch url) {
    }

    /** What is asked beside nodes, and how often. */
    public enum Kind {
        /** A queue of transfers. */
        QUEUE(QueueQuestion.KIND, Duration.ofSeconds(1), new QueueQuestion()),
        /** The front-end of a cluster. */
        FRONT_END(FrontEndQuestion.KIND, Duration.ofSeconds(1), new FrontEndQuestion()),
        /** Where theodolites send their samples. */
        OBSERVATORY(ObservatoryQuestion.KIND, Duration.ofSeconds(5), new ObservatoryQuestion());

        private final String key;
        private final Duration period;
        private final WatchedServer.Question question;

        Kind(String key, Duration period, WatchedServer.Question question) {
            this.key = key;
            this.period = period;
            this.question = question;
        }
    }

    /**
     * A server that is no node.
     *
     * @param name for people; null for its address
     * @param url  with a token and certificates where it needs them
     */
    public record Server(Kind kind, String name, HttpFetch url) {
    }

    private final List<NodeFollower> followers;
    private final List<WatchedServer> servers;

    /** Begins to follow. @param nodes at most {@link #MOST_NODES} @param servers at most {@link #MOST_SERVERS} */
    public Gatherer(List<Node> nodes, List<Server> servers) {
        if (nodes.size() > MOST_NODES) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, nodes.size() + " nodes are more than the " + MOST_NODES + " that one console follows");
        }
        if (servers.size() > MOST_SERVERS) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, servers.size() + " queues, front-ends and observatories are more than the " + MOST_SERVERS + " that one console asks");
        }
        followers = nodes.stream().map(node -> new NodeFollower(node.name(), node.url())).toList();
        List<WatchedServer> watched = new ArrayList<>();
        for (Server server : servers) {
            watched.add(new WatchedServer(server.kind().key, watched.size() + 1, server.name(), server.url(), server.kind().period, server.kind().question));
        }
        this.servers = List.copyOf(watched);
    }

    @Override
    public Map<String, Map<String, Object>> get() {
        Map<String, Map<String, Object>> all = new LinkedHashMap<>();
        all.put("console/gathered", Map.of());
        followers.forEach(follower -> follower.show(all));
        servers.forEach(server -> server.show(all));
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
        servers.forEach(WatchedServer::close);
    }
}
