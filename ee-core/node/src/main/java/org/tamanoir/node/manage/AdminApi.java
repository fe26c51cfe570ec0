package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.node.cluster.MemberStatus;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.node.stream.StreamStatus;

/**
 * What operators and their tools ask a node, over HTTP. Whoever is on the same machine may ask; others need the token. The table is in
 * {@code docs/operating.md}.
 */
final class AdminApi {
    /** Two for those who look, two for upgrades, which wait for a repository. */
    private static final int WORKERS = 4;

    private final NodeManager node;

    AdminApi(NodeManager node) {
        this.node = node;
    }

    /** @throws AnepException EE-502 */
    HttpServer start(InetSocketAddress address, String token) {
        TokenCheck check = TokenCheck.unlessLocal(token);
        return HttpServer.at(address).name("tamanoir-admin").workers(WORKERS)
                .route(new ServicesApi(node).routes(check).toArray(Route[]::new))
                .route(Route.of("GET", "/status", request -> Response.json(node.status())).guarded(check),
                        Route.of("GET", "/health", request -> health()),
                        Route.of("GET", "/metrics", request -> Response.text(node.metrics().scrape())).guarded(check),
                        Route.of("GET", "/links", request -> Response.json(node.links())).guarded(check),
                        Route.of("GET", "/cluster", request -> cluster()).guarded(check),
                        Route.of("POST", "/cluster/leave", request -> leave()).guarded(check),
                        Route.of("POST", "/cluster/join", request -> join()).guarded(check),
                        Route.of("GET", "/streams", this::streams).guarded(check),
                        Route.of("GET", "/streams/{number}", this::stream).guarded(check),
                        Route.of("GET", "/explain/{type}", request -> Response.json(node.explain(request.parameter("type")))).guarded(check),
                        Route.of("GET", "/explain/stream/{number}",
                                request -> Response.json(node.explainStream(request.parameter("number")))).guarded(check),
                        Route.of("GET", "/rules", request -> rules()).guarded(check),
                        Route.of("PUT", "/rules", this::putRules).guarded(check),
                        Route.of("GET", "/routes", request -> routes()).guarded(check),
                        Route.of("PUT", "/routes", this::putRoute).guarded(check),
                        Route.of("DELETE", "/routes", this::deleteRoute).guarded(check))
                .start();
    }

    private Response health() {
        Map<String, Object> health = node.health();
        return Response.json("ok".equals(health.get("status")) ? 200 : 503, health);
    }

    private Response cluster() {
        MemberStatus status = node.cluster().status();
        if (status == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "this node is in no cluster: its configuration has no cluster");
        }
        return Response.json(status);
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

    private Response streams(Request request) {
        List<StreamStatus> list = request.query("ended").isPresent() ? node.streams().ended() : node.streams().open();
        return Response.json(Map.of("streams", list));
    }

    private Response stream(Request request) {
        StreamStatus status;
        try {
            status = node.streams().find(Long.parseLong(request.parameter("number")));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream is named by its number", e);
        }
        if (status == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no stream " + request.parameter("number")
                    + ", and none that has ended lately");
        }
        return Response.json(status);
    }

    private Response rules() {
        return Response.json(Map.of("rules", node.offload().explainer().allRules()));
    }

    private Response putRules(Request request) {
        node.offload().rules().replaceOperators(RuleText.read(request.body()));
        return rules();
    }

    private Response routes() {
        Map<String, String> routes = new LinkedHashMap<>();
        node.routes().all().forEach(route -> routes.put(route.prefix().toString(), route.target()));
        List<PoolText> pools = node.pools().all().stream().map(pool -> new PoolText(pool.address(), pool.heavy() ? "heavy" : null, pool.services(),
                node.pools().counts().getOrDefault(pool.address(), 0L))).toList();
        return Response.json(Map.of("routes", routes, "pools", pools));
    }

    /** What a pool is when it is shown. */
    private record PoolText(String to, String level, List<String> services, long streams) {
    }

    /** What a route is when it is sent. */
    private record RouteText(String prefix, String target) {
    }

    private Response putRoute(Request request) {
        RouteText text = request.json(RouteText.class);
        if (text.prefix() == null || text.target() == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a route is {\"prefix\": \"10.1.0.0/16\", \"target\": \"HOST:PORT\" or \"direct\"}");
        }
        node.routes().put(org.tamanoir.node.routing.Route.of(text.prefix(), text.target()));
        return routes();
    }

    private Response deleteRoute(Request request) {
        String prefix = request.query("prefix").orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "say which: ?prefix=10.1.0.0/16"));
        if (!node.routes().remove(Prefix.parse(prefix))) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no route for " + prefix);
        }
        return routes();
    }
}
