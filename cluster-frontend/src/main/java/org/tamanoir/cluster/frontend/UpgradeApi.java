package org.tamanoir.cluster.frontend;

import java.time.Duration;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.service.MapConfiguration;

/** The part of a front-end's API that is about rolling upgrades; {@code docs/cluster.md} explains it. */
final class UpgradeApi {
    private final Cluster cluster;

    UpgradeApi(Cluster cluster) {
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
