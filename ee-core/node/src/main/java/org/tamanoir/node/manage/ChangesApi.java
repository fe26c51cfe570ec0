package org.tamanoir.node.manage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.manage.configuration.Pin;
import org.tamanoir.node.manage.configuration.RuleText;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Prefix;

/** The part of the admin API that changes the configuration: routes, rules and pins. */
final class ChangesApi {
    private final NodeParts node;
    private final LiveConfiguration live;
    private final Callable<List<String>> reload;

    /** @param reload reads the file again and says what that has overridden */
    ChangesApi(NodeParts node, LiveConfiguration live, Callable<List<String>> reload) {
        this.node = node;
        this.live = live;
        this.reload = reload;
    }

    List<Route> routes(Guard read, Guard operate, AdminThreads threads) {
        return List.of(Route.of("POST", "/reload", request -> Response.json(Map.of("overridden", reload.call()))).guarded(operate)
                        .on(threads.changes()),
                Route.of("GET", "/rules", request -> rules()).guarded(read),
                Route.of("PUT", "/rules", this::putRules).guarded(operate).on(threads.changes()),
                Route.of("GET", "/routes", request -> routes()).guarded(read),
                Route.of("PUT", "/routes", this::putRoute).guarded(operate).on(threads.changes()),
                Route.of("DELETE", "/routes", this::deleteRoute).guarded(operate).on(threads.changes()),
                Route.of("GET", "/pins", request -> pins()).guarded(read),
                Route.of("PUT", "/pins", this::pin).guarded(operate).on(threads.changes()),
                Route.of("DELETE", "/pins", this::unpin).guarded(operate).on(threads.changes()));
    }

    private Response rules() {
        return tagged(ChangeableResource.RULES, Map.of("rules", node.offload().explainer().allRules()));
    }

    /** With the tag of what is in force: what a client sends back in {@code If-Match} to change that and nothing else. */
    private Response tagged(ChangeableResource resource, Map<String, Object> shown) {
        String tag = resource.etag(live.inForce());
        Map<String, Object> body = new LinkedHashMap<>(shown);
        body.put("etag", tag);
        return Response.json(body).header("ETag", tag);
    }

    private void change(Request request, ChangeableResource resource, UnaryOperator<NodeConfiguration> edit) {
        live.change(resource, request.header("If-Match").orElse(null), edit);
    }

    private Response putRules(Request request) {
        List<LightRule> rules = RuleText.read(request.body());
        change(request, ChangeableResource.RULES, now -> now.with(now.routes(), rules, now.pins()));
        return rules();
    }

    private Response routes() {
        Map<String, String> routes = new LinkedHashMap<>();
        node.routes().all().forEach(route -> routes.put(route.prefix().toString(), route.target()));
        List<PoolText> pools = node.pools().all().stream().map(pool -> new PoolText(pool.address(), pool.heavy() ? "heavy" : null, pool.services(),
                node.pools().counts().getOrDefault(pool.address(), 0L))).toList();
        List<ToldText> told = node.routes().learned().stream().map(route -> new ToldText(route.prefix().toString(), route.target(), route.metric(), route.because())).toList();
        return tagged(ChangeableResource.ROUTES, Map.of("routes", routes, "hops", node.routes().hops().status(node.routes().all()), "pools", pools,
                "told", told, "neighbours", node.streams().told().status()));
    }

    /** What a route that a neighbour told is when it is shown. */
    private record ToldText(String prefix, String to, int metric, String because) {
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
        change(request, ChangeableResource.ROUTES, now -> now.with(instead(now.routes(), other -> other.prefix().equals(route.prefix()), route), now.rules(),
                now.pins()));
        return routes();
    }

    private Response deleteRoute(Request request) {
        Prefix prefix = Prefix.parse(request.query("prefix").orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "say which: ?prefix=10.1.0.0/16")));
        change(request, ChangeableResource.ROUTES, now -> now.with(without(now.routes(), route -> route.prefix().equals(prefix), "there is no route for " + prefix),
                now.rules(), now.pins()));
        return routes();
    }

    private Response pins() {
        return tagged(ChangeableResource.PINS, Map.of("pins", node.pins().all().stream().map(pin -> Map.of("prefix", pin.prefix().toString(), "service",
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
        Pin pin = Pin.of(text.prefix(), text.service(), text.version());
        change(request, ChangeableResource.PINS, now -> now.with(now.routes(), now.rules(), instead(now.pins(), pin::isInPlaceOf, pin)));
        return pins();
    }

    private Response unpin(Request request) {
        String service = request.query("service").orElse(null);
        if (request.query("prefix").isEmpty() || service == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "say which: ?prefix=10.1.0.0/16&service=compression");
        }
        Prefix prefix = Prefix.parse(request.query("prefix").get());
        change(request, ChangeableResource.PINS, now -> now.with(now.routes(), now.rules(), without(now.pins(), pin -> pin.prefix().equals(prefix)
                && pin.service().equals(service), "no version of " + service + " is pinned for " + prefix)));
        return pins();
    }

    private static <T> List<T> instead(List<T> all, Predicate<T> old, T added) {
        return Stream.concat(all.stream().filter(old.negate()), Stream.of(added)).toList();
    }

    /** @throws AnepException EE-407 if there is nothing to take away */
    private static <T> List<T> without(List<T> all, Predicate<T> old, String missing) {
        List<T> left = all.stream().filter(old.negate()).toList();
        if (left.size() == all.size()) {
            throw new AnepException(ErrorCode.NOT_FOUND, missing);
        }
        return left;
    }
}
