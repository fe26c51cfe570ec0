package org.tamanoir.observatory.api;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.observatory.api.Roles.Role;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.publish.PathMetrics;
import org.tamanoir.observatory.publish.Publication;
import org.tamanoir.observatory.publish.Pscheduler;
import org.tamanoir.paths.wire.SampleLine;

/** All that an observatory answers. */
public final class Api {
    private final Observatory observatory;
    private final Roles roles;
    private final List<Publication> publications;

    public Api(Observatory observatory, Roles roles, List<Publication> publications) {
        this.observatory = observatory;
        this.roles = roles;
        this.publications = publications;
    }

    public Route[] routes() {
        Route[] own = {
            Route.of("GET", "/health", request -> health()),
            Route.of("GET", "/metrics", request -> metrics()).guarded(roles.to(Role.READ)),
            Route.of("GET", "/metrics/paths", request -> prometheus(PathMetrics.text(observatory.knowledge().newest(), System.currentTimeMillis()))).guarded(roles.to(Role.READ)),
            Route.of("POST", "/v1/pscheduler", this::pscheduler).guarded(roles.to(Role.REPORT)),
            Route.of("PUT", "/v1/pscheduler", this::pscheduler).guarded(roles.to(Role.REPORT))};
        return Stream.of(own, new TheodoliteApi(observatory, roles).routes(), new OperatorApi(observatory, roles).routes(), new ConsumerApi(observatory, roles).routes(),
                new WhyApi(observatory, roles).routes()).flatMap(Stream::of).toArray(Route[]::new);
    }

    private Response health() {
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("status", observatory.problem() == null ? "up" : "degraded");
        health.put("database", observatory.database().product());
        if (observatory.problem() != null) {
            health.put("problem", observatory.problem());
        }
        for (Publication each : publications) {
            health.put(each.name(), each.problem() == null ? "up" : each.problem());
        }
        return Response.json(health);
    }

    /** 204 also for what holds nothing that is known here: pScheduler would post it again and again. */
    private Response pscheduler(Request request) {
        SampleLine line = Pscheduler.parse(new String(request.body(), StandardCharsets.UTF_8));
        if (line != null) {
            observatory.intake().takeForeign(line, roles.identity(request), System.currentTimeMillis());
        }
        return Response.empty();
    }

    private static Response prometheus(String text) {
        return Response.bytes(200, "text/plain; version=0.0.4; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    /** The Prometheus text format, version 0.0.4. */
    private Response metrics() {
        StringBuilder text = new StringBuilder();
        metric(text, "tamanoir_observatory_samples_kept_total", "counter", "Samples that were kept.", observatory.intake().kept());
        metric(text, "tamanoir_observatory_samples_known_total", "counter", "Samples that came again.", observatory.intake().known());
        metric(text, "tamanoir_observatory_samples_refused_total", "counter", "Lines that were no samples, or another's.", observatory.intake().refused());
        metric(text, "tamanoir_observatory_samples_doubted_total", "counter", "Samples that are kept and cannot be true.", observatory.knowledge().doubted());
        metric(text, "tamanoir_observatory_theodolites", "gauge", "Theodolites that have registered.", observatory.theodolites().all().size());
        metric(text, "tamanoir_observatory_waiting", "gauge", "Requests that wait for news.", observatory.waiting());
        metric(text, "tamanoir_observatory_runs", "gauge", "Runs that have their slot now.", observatory.slots().view().running().size());
        metric(text, "tamanoir_observatory_plan_version", "gauge", "Version of the plan; 0 for none.", observatory.plan() == null ? 0 : observatory.plan().version());
        metric(text, "tamanoir_observatory_database_up", "gauge", "Whether the database can be used.", observatory.problem() == null ? 1 : 0);
        metric(text, "tamanoir_observatory_database_bytes", "gauge", "Size of the database; -1 if it cannot be asked.", observatory.database().octets());
        metric(text, "tamanoir_observatory_publications_behind", "gauge", "Samples that the slowest publication has not given yet.", publications.stream().mapToLong(Publication::behind).max().orElse(0));
        return prometheus(text.toString());
    }

    private static void metric(StringBuilder text, String name, String type, String help, long value) {
        text.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(' ').append(type).append('\n').append(name).append(' ').append(value).append('\n');
    }
}
