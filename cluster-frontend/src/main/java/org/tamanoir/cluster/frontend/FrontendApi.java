package org.tamanoir.cluster.frontend;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.ReportReader;

/** What back ends and operators ask a front-end, over HTTP. Back ends need the token from everywhere, operators from other machines. */
final class FrontendApi {
    private static final int WORKERS = 4;

    private final Cluster cluster;
    private final boolean loopback;

    /** @param loopback whether back ends may be at addresses of this machine alone */
    FrontendApi(Cluster cluster, boolean loopback) {
        this.cluster = cluster;
        this.loopback = loopback;
    }

    /**
     * Serves.
     *
     * @param status what {@code GET /status} answers
     * @param scrape what {@code GET /metrics} answers
     * @throws AnepException EE-502
     */
    HttpServer start(InetSocketAddress address, String token, Supplier<Map<String, Object>> status, Supplier<String> scrape) {
        TokenCheck backEnds = TokenCheck.always(token);
        TokenCheck operators = TokenCheck.unlessLocal(token);
        return HttpServer.at(address).name("tamanoir-frontend-http").workers(WORKERS).route(new UpgradeApi(cluster).routes(operators))
                .route(Route.of("PUT", "/members/{name}", this::report).guarded(backEnds).body(ReportReader.MOST_OCTETS),
                        Route.of("DELETE", "/members/{name}", this::leave).guarded(backEnds),
                        Route.of("GET", "/status", request -> Response.json(status.get())).guarded(operators),
                        Route.of("GET", "/health", request -> Response.json(Map.of("status", "ok"))),
                        Route.of("GET", "/metrics", request -> Response.text(scrape.get())).guarded(operators))
                .start();
    }

    private Response report(Request request) {
        Report report = ReportReader.read(request.body(), loopback);
        if (!report.name().equals(request.parameter("name"))) {
            throw new AnepException(ErrorCode.BAD_REPORT, "name is " + report.name() + ", and the path names " + request.parameter("name"));
        }
        return Response.json(cluster.report(report));
    }

    private Response leave(Request request) {
        String instance = request.query("instance").orElseThrow(() -> new AnepException(ErrorCode.BAD_REPORT, "say which: ?instance=HEX"));
        return Response.json(Map.of("left", cluster.leave(request.parameter("name"), instance)));
    }
}
