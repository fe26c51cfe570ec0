package org.tamanoir.node.manage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.node.manage.Pins.Pin;
import org.tamanoir.service.rule.Prefix;

/** The part of the admin API that changes the configuration: routes, rules and pins. */
final class ChangesApi {
    private final NodeParts node;
    private final LiveConfiguration live;

    ChangesApi(NodeParts node, LiveConfiguration live) {
        this.node = node;
        this.live = live;
    }

    List<Route> routes(Guard guard, AdminThreads threads) {
        return List.of(Route.of("GET", "/rules", request -> rules()).guarded(guard),
                Route.of("PUT", "/rules", this::putRules).guarded(guard).on(threads.changes()),
                Route.of("GET", "/routes", request -> routes()).guarded(guard),
                Route.of("PUT", "/routes", this::putRoute).guarded(guard).on(threads.changes()),
                Route.of("DELETE", "/routes", this::deleteRoute).guarded(guard).on(threads.changes()),
                Route.of("GET", "/pins", request -> pins()).guarded(guard),
                Route.of("PUT", "/pins", this::pin).guarded(guard).on(threads.changes()),
                Route.of("DELETE", "/pins", this::unpin).guarded(guard).on(threads.changes()));
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
        org.tamanoir.node.routing.Route route = org.tamanoir.node.routing.Route.of(text.prefix(), text.target());
        List<org.tamanoir.node.routing.Route> changed = new ArrayList<>(node.routes().all());
        changed.removeIf(other -> other.prefix().equals(route.prefix()));
        changed.add(route);
        node.routes().replace(changed);
        return routes();
    }

    private Response deleteRoute(Request request) {
        Prefix prefix = Prefix.parse(request.query("prefix").orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "say which: ?prefix=10.1.0.0/16")));
        List<org.tamanoir.node.routing.Route> changed = new ArrayList<>(node.routes().all());
        if (!changed.removeIf(route -> route.prefix().equals(prefix))) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no route for " + prefix);
        }
        node.routes().replace(changed);
        return routes();
    }

    private Response pins() {
        return Response.json(Map.of("pins", node.pins().all().stream().map(pin -> Map.of("prefix", pin.prefix().toString(), "service",
                pin.service(), "version", pin.version())).toList()));
    }

    /** What a pin is when it is sent. */
    private record PinText(String prefix, String service, String version) {
    }

    private Response pin(Request request) {
        PinText text = request.json(PinText.class);
        if (text.prefix() == null || text.service() == null || text.version() == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST,
                    "a pin is {\"prefix\": \"10.1.0.0/16\", \"service\": \"compression\", \"version\": \"1.2.0\"}");
        }
        Pin pin = NodeConfiguration.pin(text.prefix(), text.service(), text.version());
        node.pins().put(pin);
        node.deployer().operator().repin();
        return pins();
    }

    private Response unpin(Request request) {
        String prefix = request.query("prefix").orElse(null);
        String service = request.query("service").orElse(null);
        if (prefix == null || service == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "say which: ?prefix=10.1.0.0/16&service=compression");
        }
        if (!node.pins().remove(Prefix.parse(prefix), service)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "no version of " + service + " is pinned for " + prefix);
        }
        node.deployer().operator().repin();
        return pins();
    }
}
