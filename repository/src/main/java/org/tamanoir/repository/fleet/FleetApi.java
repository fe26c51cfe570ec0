package org.tamanoir.repository.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PlainText;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetCore;
import org.tamanoir.fleet.rollout.FleetCore.Wish;
import org.tamanoir.fleet.rollout.NodeStanding;
import org.tamanoir.fleet.state.NodeEntry;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.fleet.tree.Fields;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;

/** What operators and nodes ask the server of a fleet. Who may publish may apply; a node may ask and speak for itself alone. */
public final class FleetApi {
    /** Of a state: 4,096 nodes with 2 kB each. */
    private static final long MOST_STATE = 8 << 20;
    private static final int MOST_SAID = 400;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final FleetServer fleet;
    private final Guard publisher;
    private final Guard reader;

    /**
     * @param publisher lets those pass who may apply
     * @param reader    those who may look
     */
    public FleetApi(FleetServer fleet, Guard publisher, Guard reader) {
        this.fleet = fleet;
        this.publisher = publisher;
        this.reader = reader;
    }

    public Route[] routes() {
        return new Route[] {
            Route.of("PUT", "/fleet/state", this::apply).guarded(publisher).body(MOST_STATE),
            Route.of("POST", "/fleet/plan", this::plan).guarded(reader).body(MOST_STATE),
            Route.of("POST", "/fleet/rollback", this::rollback).guarded(publisher),
            Route.of("GET", "/fleet/status", request -> Response.json(fleet.lookNow(core -> FleetViews.status(core, fleet.millis())))).guarded(reader),
            Route.of("GET", "/fleet/status/{name}", this::detail).guarded(reader),
            Route.of("GET", "/fleet/generations", request -> history()).guarded(reader),
            Route.of("GET", "/fleet/generations/{number}", this::generation).guarded(reader),
            Route.of("GET", "/fleet/nodes/{name}", this::part).guarded(this::checkNode),
            Route.of("POST", "/fleet/nodes/{name}/report", this::report).guarded(this::checkNode).body(NodeReport.MOST_OCTETS)};
    }

    /** A name that the fleet does not know belongs to nobody: the answer is that there is no such node. */
    private void checkNode(Request request) {
        NodeEntry node = fleet.node(request.parameter("name"));
        if (node == null) {
            return;
        }
        String bearer = TokenCheck.bearer(request);
        boolean byToken = bearer != null && node.tokenSha256() != null && MessageDigest.isEqual(Canonical.sha256(bearer.getBytes(StandardCharsets.UTF_8)).getBytes(StandardCharsets.US_ASCII),
                node.tokenSha256().getBytes(StandardCharsets.US_ASCII));
        boolean byName = node.identity() != null && request.caller().names().contains(node.identity());
        boolean byPlace = !node.provesItself() && TokenCheck.isLocal(request);
        if (!byToken && !byName && !byPlace) {
            throw new AnepException(ErrorCode.FLEET_FOREIGN, node.provesItself() ? "who asks has not proven to be " + node.name() + (node.tokenSha256() != null ? ": the token is none of it, or missing"
                    : ": it has no certificate of " + node.identity())
                    : node.name() + " has neither identity nor token-sha256 in fleet.yaml, so that it has to be on the machine of the fleet's server");
        }
    }

    private static Fields body(Request request) {
        try {
            return new Fields("", MAPPER.readTree(request.body()), ErrorCode.BAD_REQUEST);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the body is no JSON", e);
        }
    }

    private static JsonNode state(Fields body) {
        JsonNode state = body.tree("state");
        if (state == null) {
            throw body.bad("state", "it is missing");
        }
        return state;
    }

    /** @param state null for none; {@code If-Match} names the generation that the plan was made against, or {@code *} for any */
    private static Wish wish(Request request, Fields body, JsonNode state, boolean atOnce) {
        String match = request.header("If-Match").map(text -> text.replace("\"", "").strip())
                .orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "say which generation the plan was made against: If-Match: \"N\", or * for any"));
        try {
            Wish wish = new Wish(state, match.equals("*") ? null : Long.valueOf(match), who(request, said(body, "by")), said(body, "why"), atOnce);
            body.end();
            return wish;
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "If-Match is '" + match + "'; it must be the number of a generation", e);
        }
    }

    private static String said(Fields body, String key) {
        String text = body.text(key) == null ? "" : PlainText.of(body.text(key).strip());
        return text.length() > MOST_SAID ? text.substring(0, MOST_SAID) + "…" : text;
    }

    /** As they call themselves, and what was proven of it. */
    private static String who(Request request, String by) {
        String proven = !request.caller().names().isEmpty() ? request.caller().names().get(0) : TokenCheck.isLocal(request) ? "on this machine" : "by the token";
        return by.isEmpty() ? proven : by + ", " + proven;
    }

    private Response apply(Request request) {
        Fields body = body(request);
        JsonNode state = state(body);
        return applied(fleet.apply(wish(request, body, state, body.truth("atOnce", false))));
    }

    private Response rollback(Request request) {
        Fields body = body(request);
        long to = body.whole("to", Math.max(1, fleet.lookNow(core -> core.record().generation()) - 1), 1, Long.MAX_VALUE);
        return applied(fleet.rollback(to, wish(request, body, null, !body.truth("rings", false))));
    }

    private Response applied(boolean changed) {
        return Response.json(fleet.look(core -> {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("changed", changed);
            json.set("generation", core.generation() == null ? json.nullNode() : FleetViews.head(core.generation().head()));
            json.set("rollout", FleetViews.rollout(core));
            return json;
        }));
    }

    private Response plan(Request request) {
        Fields body = body(request);
        JsonNode state = state(body);
        body.end();
        return Response.json(fleet.plan(state));
    }

    private Response detail(Request request) {
        String name = request.parameter("name");
        return Response.json(fleet.lookNow(core -> {
            NodeStanding standing = core.standings(fleet.millis()).stream().filter(each -> each.name().equals(name)).findFirst()
                    .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "the fleet has no node " + name));
            return FleetViews.detail(core, standing, fleet.millis());
        }));
    }

    private Response history() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        fleet.history().forEach(each -> json.withArrayProperty("generations").add(FleetViews.head(each)));
        return Response.json(json);
    }

    private Response generation(Request request) {
        try {
            return Response.json(fleet.generation(Long.parseLong(request.parameter("number"))));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a generation has a number", e);
        }
    }

    private Response part(Request request) {
        String name = request.parameter("name");
        Optional<String> had = request.header("If-None-Match");
        if (had.isEmpty()) {
            fleet.lookNow(core -> null);
        } else if (!had.get().equals(fleet.look(core -> core.has(name) ? '"' + core.answer(name).tag() + '"' : ""))) {
            // It may have what another process has given it, which this one does not know yet.
            fleet.refresh();
        }
        // By now the fleet may know a node of that name.
        checkNode(request);
        FleetCore.Answer answer = fleet.answer(name);
        return Response.bytes(200, "application/json", answer.json()).etag(answer.tag()).header("Cache-Control", "no-cache");
    }

    private Response report(Request request) {
        checkNode(request);
        NodeReport report;
        try {
            report = NodeReport.read(MAPPER.readTree(request.body()));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the report is no JSON", e);
        }
        long millis = fleet.report(request.parameter("name"), report);
        long poll = fleet.look(core -> core.times().poll().toMillis());
        return Response.json(JsonNodeFactory.instance.objectNode().put("reportMillis", millis).put("pollMillis", poll));
    }
}
