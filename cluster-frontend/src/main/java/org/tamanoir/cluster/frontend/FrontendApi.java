package org.tamanoir.cluster.frontend;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.AccessRoles;
import org.tamanoir.http.AccessRoles.Role;
import org.tamanoir.http.Guard;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.identity.Identity;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.service.MapConfiguration;

/**
 * What back ends and operators ask a front-end, over HTTP. Back ends prove their name by a certificate, or show the token from everywhere; operators need
 * either from other machines.
 */
final class FrontendApi {
    private static final int WORKERS = 4;

    private final ClusterState cluster;
    private final boolean loopback;
    private final TlsSection tls;

    /**
     * @param loopback whether back ends may be at addresses of this machine alone
     * @param tls      who proves what by certificates; null for HTTP without TLS
     */
    FrontendApi(ClusterState cluster, boolean loopback, TlsSection tls) {
        this.tls = tls;
        this.cluster = cluster;
        this.loopback = loopback;
    }

    /**
     * Serves.
     *
     * @param token    null for nobody
     * @param identity for https; null for http
     * @param status what {@code GET /status} answers
     * @param scrape what {@code GET /metrics} answers
     * @throws AnepException EE-502
     */
    HttpServer start(InetSocketAddress address, String token, Identity identity, Supplier<Map<String, Object>> status, Supplier<String> scrape) {
        Guard backEnds = request -> checkBackEnd(request, token);
        List<AccessRoles.Grant> grants = List.of(new AccessRoles.Grant(Role.OPERATE, token, tls == null ? List.of() : tls.operators));
        Guard operators = new AccessRoles(() -> grants, () -> true).to(Role.OPERATE);
        HttpServer.Builder server = HttpServer.at(address).name("tamanoir-frontend-http").workers(WORKERS);
        if (identity != null) {
            server.tls(identity.sslContext(name -> false), false, Identity::names);
        }
        return server.route(new UpgradeApi(cluster).routes(operators))
                .route(Route.of("PUT", "/members/{name}", this::report).guarded(backEnds).body(ReportReader.MOST_OCTETS),
                        Route.of("DELETE", "/members/{name}", this::leave).guarded(backEnds),
                        Route.of("GET", "/status", request -> Response.json(status.get())).guarded(operators),
                        Route.of("GET", "/health", request -> Response.json(Map.of("status", "ok"))),
                        Route.of("GET", "/metrics", request -> Response.text(scrape.get())).guarded(operators))
                .start();
    }

    /** Whose certificate the name belongs to, and nobody else; for a name without one, the token. */
    private void checkBackEnd(Request request, String token) {
        String id = tls == null ? null : tls.backEnds.get(request.parameter("name"));
        if (id == null) {
            new AccessRoles(() -> List.of(new AccessRoles.Grant(Role.OPERATE, token, List.of())), () -> false).to(Role.OPERATE).check(request);
        } else if (!request.caller().names().contains(id)) {
            throw new AnepException(ErrorCode.NOT_AUTHORISED, "the back end " + request.parameter("name") + " is " + id + ", and this is "
                    + (request.caller().names().isEmpty() ? "nobody who shows a certificate" : request.caller().names().get(0)));
        }
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

    /** The part of a front-end's API that is about rolling upgrades; {@code docs/cluster.md} explains it. */
    static final class UpgradeApi {
        private final ClusterState cluster;

        UpgradeApi(ClusterState cluster) {
            this.cluster = cluster;
        }

        Route[] routes(Guard guard) {
            return new Route[] {
                Route.of("POST", "/upgrades", this::start).guarded(guard),
                Route.of("GET", "/upgrades", request -> Response.json(cluster.upgrade())).guarded(guard),
                Route.of("DELETE", "/upgrades", request -> Response.json(cluster.stopUpgrade())).guarded(guard)
            };
        }

        /**
         * What a request says.
         *
         * @param version null for the newest
         * @param drain   a time such as 30s; null for what fits
         */
        private record Wanted(String service, String version, String drain, boolean dryRun) {
        }

        private Response start(Request request) {
            Wanted wanted = request.json(Wanted.class);
            Duration drain = wanted.drain() == null ? null : MapConfiguration.parseDuration("drain", wanted.drain());
            return Response.json(cluster.startUpgrade(wanted.service(), wanted.version(), drain, wanted.dryRun()));
        }
    }
}
