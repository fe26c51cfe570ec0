package org.tamanoir.observatory.api;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.observatory.api.Roles.Role;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.live.Slots;
import org.tamanoir.observatory.store.Documents.Format;
import org.tamanoir.observatory.store.Documents.Kind;
import org.tamanoir.observatory.store.Documents.Version;
import org.tamanoir.observatory.store.Theodolites;
import org.tamanoir.paths.agenda.Run;

/** What operators look at and change: plan, topology, theodolites, the agenda. */
final class OperatorApi {
    /** SnakeYAML's limit of a text. */
    private static final long MOST_TEXT = 3 << 20;
    private static final int LISTED = 1000;
    private static final double LONGEST_WITHIN = 7 * 86_400;

    private final Observatory observatory;
    private final Roles roles;

    OperatorApi(Observatory observatory, Roles roles) {
        this.observatory = observatory;
        this.roles = roles;
    }

    Route[] routes() {
        Guard operator = roles.to(Role.OPERATE);
        Guard reader = roles.to(Role.READ);
        return new Route[] {
            Route.of("GET", "/v1/documents/{kind}", this::document).guarded(reader),
            Route.of("PUT", "/v1/documents/{kind}", this::put).guarded(operator).body(MOST_TEXT),
            Route.of("GET", "/v1/documents/{kind}/history", this::history).guarded(reader),
            Route.of("GET", "/v1/theodolites", request -> theodolites()).guarded(reader),
            Route.of("DELETE", "/v1/theodolites/{name}", this::release).guarded(operator),
            Route.of("GET", "/v1/agenda", request -> agenda()).guarded(reader),
            Route.of("POST", "/v1/agenda", this::ask).guarded(operator)};
    }

    private static Kind kind(Request request) {
        for (Kind each : Kind.values()) {
            if (each.text().equals(request.parameter("kind"))) {
                return each;
            }
        }
        throw new AnepException(ErrorCode.NOT_FOUND, "there is no document '" + request.parameter("kind") + "'; there are plan and topology");
    }

    private Response document(Request request) {
        Kind kind = kind(request);
        Version version = request.query("version").map(text -> observatory.documents().version(kind, Parameters.whole(text, "a version"))).orElseGet(() -> observatory.documents().current(kind))
                .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no such " + kind.text() + " yet"));
        return Response.bytes(200, version.format() == Format.YAML ? "application/yaml" : "application/json", version.content().getBytes(StandardCharsets.UTF_8))
                .etag(Long.toString(version.version())).header("X-Format", version.format().text());
    }

    /** {@code If-Match} names the version that it is to replace. */
    private Response put(Request request) {
        Kind kind = kind(request);
        String content = new String(request.body(), StandardCharsets.UTF_8);
        Long expected = request.header("If-Match").map(text -> Parameters.whole(text.replace("\"", "").strip(), "a version")).orElse(null);
        String format = request.query("format").orElse("yaml");
        if (!format.equals("yaml") && !(format.equals("psconfig") && kind == Kind.PLAN)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a " + kind.text() + " is not written in '" + format + "'");
        }
        Observatory.Put put = kind == Kind.PLAN ? observatory.putPlan(format.equals("yaml") ? Format.YAML : Format.PSCONFIG, content, roles.identity(request), expected)
                : observatory.putTopology(content, roles.identity(request), expected);
        Map<String, Object> answer = described(put.version());
        if (kind == Kind.PLAN) {
            answer.put("sessions", put.sessions());
        }
        answer.put("notes", put.notes());
        return Response.json(answer).etag(Long.toString(put.version().version()));
    }

    private Response history(Request request) {
        return Response.json(observatory.documents().history(kind(request)).stream().map(OperatorApi::described).toList());
    }

    private static Map<String, Object> described(Version version) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("version", version.version());
        map.put("time", Instant.ofEpochMilli(version.time()).toString());
        map.put("who", version.who());
        map.put("format", version.format().text());
        return map;
    }

    /** Those that have registered, and behind them those that the plan names. */
    private Response theodolites() {
        List<Map<String, Object>> all = new ArrayList<>(observatory.theodolites().all().stream().map(this::described).toList());
        if (observatory.plan() != null) {
            observatory.plan().theodolites().keySet().stream().filter(name -> observatory.theodolites().find(name) == null).sorted().forEach(name -> {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("name", name);
                map.put("registered", null);
                map.put("planned", true);
                all.add(map);
            });
        }
        return Response.json(all);
    }

    private Map<String, Object> described(Theodolites.Entry each) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", each.name());
        map.put("identity", each.identity());
        map.put("node", each.registration().node());
        map.put("anep", each.registration().anep());
        map.put("reflector", each.registration().reflector());
        map.put("software", each.registration().software());
        map.put("place", each.registration().place() == null ? null : List.of(each.registration().place().latitude(), each.registration().place().longitude()));
        map.put("registered", Instant.ofEpochMilli(each.registered()).toString());
        map.put("seen", observatory.seen(each.name()) == 0 ? null : Instant.ofEpochMilli(observatory.seen(each.name())).toString());
        map.put("planned", isPlanned(each));
        return map;
    }

    private boolean isPlanned(Theodolites.Entry entry) {
        return observatory.plan() != null && observatory.plan().theodolites().containsKey(entry.name());
    }

    private Response release(Request request) {
        observatory.theodolites().release(request.parameter("name"));
        return Response.empty();
    }

    private Response agenda() {
        Slots.View view = observatory.slots().view();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("running", view.running().stream().map(OperatorApi::described).toList());
        map.put("future", view.future().stream().limit(LISTED).map(OperatorApi::described).toList());
        map.put("past", view.past().stream().skip(Math.max(0, view.past().size() - LISTED)).map(OperatorApi::described).toList());
        map.put("load", view.load());
        return Response.json(map);
    }

    private static Map<String, Object> described(Run run) {
        Function<Long, String> time = millis -> Instant.ofEpochMilli(millis).toString();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("session", run.session().id());
        map.put("state", run.state().name().toLowerCase(java.util.Locale.ROOT));
        map.put("begins", time.apply(run.begins()));
        map.put("ends", time.apply(run.ends()));
        map.put("resources", run.resources());
        map.put("reason", run.reason());
        return map;
    }

    /** A run that somebody wants. @param within seconds; 600 if it is null */
    private record Wanted(String session, Double within) {
    }

    private Response ask(Request request) {
        Wanted wanted = request.json(Wanted.class);
        double within = wanted.within() == null ? 600 : wanted.within();
        if (wanted.session() == null || !(within >= 0 && within <= LONGEST_WITHIN)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "say which session, and within how many seconds, 0 to a week");
        }
        return Response.json(described(observatory.ask(wanted.session(), (long) (within * 1000))));
    }
}
