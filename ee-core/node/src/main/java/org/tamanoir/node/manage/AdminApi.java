package org.tamanoir.node.manage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.Console;
import org.tamanoir.console.ConsoleApi;
import org.tamanoir.http.AccessRoles;
import org.tamanoir.http.AccessRoles.Role;
import org.tamanoir.http.Guard;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.cluster.MemberStatus;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.stream.StreamStatus;
import org.tamanoir.node.tcpstate.StreamReason;

/**
 * What operators and their tools ask a node, over HTTP: on a Unix socket of the data directory, and over TCP where the configuration says so.
 * The table is in {@code docs/operating.md}.
 */
final class AdminApi {
    /** For what never waits. */
    private static final int WORKERS = 4;

    private final NodeParts node;
    private final LiveConfiguration live;
    private final NodeStatus status;
    private final NodeMetrics metrics;
    private final AdminThreads threads;
    private final Callable<List<String>> reload;
    private final ExplainApi explanations;
    private final NodeEvents events;
    private final ConsoleApi console;

    AdminApi(NodeParts node, LiveConfiguration live, NodeStatus status, NodeMetrics metrics, NodeEvents events, Console console, AdminThreads threads,
             Callable<List<String>> reload) {
        this.events = events;
        this.console = new ConsoleApi(console);
        this.node = node;
        this.live = live;
        this.status = status;
        this.metrics = metrics;
        this.threads = threads;
        this.reload = reload;
        this.explanations = new ExplainApi(node);
    }

    /** The socket first. @throws AnepException EE-501 or EE-502; then nothing is left open */
    List<HttpServer> start(AuditLog audit) {
        NodeConfiguration now = live.inForce();
        List<AccessRoles.Grant> grants = now.adminGrants();
        AccessRoles access = new AccessRoles(() -> grants, now::development);
        List<Route> routes = routes(access.to(Role.READ), access.to(Role.OPERATE));
        List<HttpServer> servers = new ArrayList<>();
        try {
            servers.add(serve(HttpServer.at(now.adminSocket()).name("tamanoir-admin-socket"), routes, audit));
            if (now.admin() != null) {
                HttpServer.Builder tcp = HttpServer.at(now.admin()).name("tamanoir-admin");
                Identity identity = node.identity();
                servers.add(serve(identity == null ? tcp : tcp.tls(identity.sslContext(any -> false), false, Identity::names), routes, audit));
            }
            return servers;
        } catch (RuntimeException e) {
            servers.forEach(HttpServer::close);
            throw e;
        }
    }

    private static HttpServer serve(HttpServer.Builder server, List<Route> routes, AuditLog audit) {
        return server.workers(WORKERS).journal(audit).route(routes.toArray(Route[]::new)).start();
    }

    private List<Route> routes(Guard check, Guard operate) {
        List<Route> routes = new ArrayList<>(new ServicesApi(node, live).routes(check, operate, threads));
        routes.addAll(new ChangesApi(node, live, reload).routes(check, operate, threads));
        routes.addAll(console.routes(check));
        routes.addAll(List.of(Route.of("GET", "/status", request -> Response.json(status.status())).guarded(check),
                        Route.of("GET", "/health", request -> health()),
                        Route.of("GET", "/metrics", request -> metrics.scrape(request.header("Accept").orElse(null))).guarded(check),
                        Route.of("GET", "/links", request -> Response.json(status.links())).guarded(check).on(threads.questions()),
                        Route.of("GET", "/events/since/{number}", events::since).guarded(check),
                        Route.of("GET", "/cluster", request -> cluster()).guarded(check),
                        Route.of("POST", "/cluster/leave", request -> leave()).guarded(operate),
                        Route.of("POST", "/cluster/join", request -> join()).guarded(operate),
                        Route.of("GET", "/streams", this::streams).guarded(check),
                        Route.of("GET", "/streams/{number}", this::stream).guarded(check).on(threads.questions()),
                        Route.of("GET", "/streams/{number}/why", this::why).guarded(check).on(threads.questions()),
                        Route.of("GET", "/tuning", request -> tuning()).guarded(check),
                        Route.of("POST", "/tuning/{rule}/reset", this::resetTuning).guarded(operate),
                        Route.of("GET", "/access", request -> access()).guarded(check),
                        Route.of("POST", "/explain/access", request -> Response.json(explanations.access(request))).guarded(check)
                                .on(threads.questions()),
                        Route.of("GET", "/explain/{type}", request -> Response.json(explanations.service(request.parameter("type"))))
                                .guarded(check).on(threads.questions()),
                        Route.of("GET", "/explain/stream/{number}", request -> Response.json(explanations.stream(request.parameter("number"))))
                                .guarded(check).on(threads.questions())));
        return routes;
    }

    private Response health() {
        Map<String, Object> health = status.health();
        return Response.json("ok".equals(health.get("status")) ? 200 : 503, health);
    }

    private Response cluster() {
        MemberStatus member = node.cluster().status();
        if (member == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "this node is in no cluster: its configuration has no cluster");
        }
        return Response.json(member);
    }

    private Response access() {
        Map<String, Object> policy = node.access().describe();
        if (policy == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "this node has no access policy: its configuration has no access-policy");
        }
        return Response.json(policy);
    }

    private Response leave() {
        cluster();
        node.cluster().leave();
        return cluster();
    }

    private Response join() {
        cluster();
        node.cluster().join();
        return cluster();
    }

    private Response tuning() {
        return Response.json(Map.of("rules", node.streams().tuning().status()));
    }

    private Response resetTuning(Request request) {
        node.streams().tuning().reset(request.parameter("rule"));
        return tuning();
    }

    private Response streams(Request request) {
        List<StreamStatus> list = request.query("ended").isPresent() ? node.streams().ended() : node.streams().open();
        return Response.json(Map.of("streams", list));
    }

    private Response stream(Request request) {
        return Response.json(found(request));
    }

    private StreamStatus found(Request request) {
        StreamStatus found;
        try {
            found = node.streams().find(Long.parseLong(request.parameter("number")));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream is named by its number", e);
        }
        if (found == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no stream " + request.parameter("number")
                    + ", and none that has ended lately");
        }
        return found;
    }

    /** Why a stream is as fast as it is, and which stream that is. */
    private Response why(Request request) {
        StreamStatus stream = found(request);
        StreamReason why = node.streams().why(stream.number());
        if (why == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "nothing is known of the connections of stream " + stream.number() + ", which is " + stream.state() + ": "
                    + (!stream.transport().equals("tcp") ? "it is a stream over UDP" : node.streams().tcp().isOn() ? "it has not been looked at twice since it began to flow"
                            : "tcp-state: sample is false in the configuration"));
        }
        return Response.json(Map.of("stream", stream, "why", why));
    }
}
