package org.tamanoir.observatory.api;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.observatory.api.Roles.Role;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.live.Tagged;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.RunReport;

/** What theodolites say and ask: docs/observatory.md, "The wire". */
final class TheodoliteApi {
    private static final double LONGEST_WAIT = 60;

    private final Observatory observatory;
    private final Roles roles;

    TheodoliteApi(Observatory observatory, Roles roles) {
        this.observatory = observatory;
        this.roles = roles;
    }

    Route[] routes() {
        Guard reporter = roles.to(Role.REPORT);
        return new Route[] {
            Route.of("PUT", "/v1/theodolites/{name}", this::register).guarded(reporter),
            Route.of("GET", "/v1/plan", request -> poll(request, observatory::plan)).guarded(reporter),
            Route.of("GET", "/v1/runs", request -> poll(request, observatory::runs)).guarded(reporter),
            Route.of("POST", "/v1/runs/{number}", this::report).guarded(reporter),
            Route.of("POST", "/v1/samples", this::samples).guarded(reporter),
            Route.of("POST", "/v1/series", this::series).guarded(reporter)};
    }

    private Response register(Request request) {
        observatory.register(request.parameter("name"), roles.identity(request), Registration.parse(body(request)));
        return Response.empty();
    }

    private interface Document {
        CompletableFuture<Tagged> of(String theodolite, String identity, String tag, long waitMillis);
    }

    private Response poll(Request request, Document document) {
        String name = request.query("theodolite").orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "say whose: ?theodolite=NAME"));
        double wait = Parameters.number(request, "wait", 0, 0, LONGEST_WAIT);
        String tag = request.header("If-None-Match").map(text -> text.strip().replaceFirst("^W/", "").replace("\"", "")).orElse(null);
        CompletableFuture<Tagged> answer = document.of(name, roles.identity(request), tag, (long) (wait * 1000));
        return Response.later(answer.thenApply(tagged -> Response.bytes(200, "application/json", tagged.json().getBytes(StandardCharsets.UTF_8)).etag(tagged.tag())));
    }

    private Response report(Request request) {
        observatory.report(Parameters.whole(request.parameter("number"), "the number of a run"), roles.identity(request), RunReport.parse(body(request)));
        return Response.empty();
    }

    private Response samples(Request request) {
        String json = observatory.intake().take(body(request), roles.identity(request), System.currentTimeMillis()).json();
        return Response.bytes(200, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    private Response series(Request request) {
        String json = observatory.intake().takeSeries(body(request), roles.identity(request), System.currentTimeMillis()).json();
        return Response.bytes(200, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    private static String body(Request request) {
        return new String(request.body(), StandardCharsets.UTF_8);
    }
}
