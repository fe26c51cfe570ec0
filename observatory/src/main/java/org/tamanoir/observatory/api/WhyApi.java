package org.tamanoir.observatory.api;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.observatory.api.Roles.Role;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.store.SeriesStore.Kept;
import org.tamanoir.paths.cost.Evidence;
import org.tamanoir.paths.cost.Query;
import org.tamanoir.paths.cost.Sample;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.series.Series;
import org.tamanoir.paths.topology.Domain;
import org.tamanoir.paths.topology.Topology;
import org.tamanoir.paths.why.Ends;
import org.tamanoir.paths.why.Ends.End;
import org.tamanoir.paths.why.Ends.Found;
import org.tamanoir.paths.why.PathReason;
import org.tamanoir.paths.wire.StreamLine;

/** What slows transfers between two places, by the streams that theodolites saw and by what probes say. */
final class WhyApi {
    private static final double LAST_SECONDS = 3600;
    private static final double LONGEST_SECONDS = 366 * 86_400;
    private static final int LISTED = 20;
    private static final int MOST_LISTED = 1000;
    /** That one answer is made of. */
    private static final int MOST_LINES = 10_000;
    /** Of both connections. */
    private static final int MOST_MINUTES = 120;
    private static final long MILLIS = 1000;

    private final Observatory observatory;
    private final Roles roles;

    WhyApi(Observatory observatory, Roles roles) {
        this.observatory = observatory;
        this.roles = roles;
    }

    Route[] routes() {
        return new Route[] {Route.of("GET", "/v1/paths/{from}/{to}/why", this::why).guarded(roles.to(Role.READ)),
            Route.of("GET", "/v1/paths/{from}/{to}/series", this::series).guarded(roles.to(Role.READ))};
    }

    /** The name of a domain means all its hosts, also if a theodolite has the same name. */
    private End end(String name, Topology topology) {
        Domain domain = topology.domain(name);
        if (domain != null) {
            return new End(name, List.of(), domain);
        }
        String host = observatory.host(name);
        try {
            return new End(name, List.of(InetAddress.getAllByName(host)), topology.locate(host).domain());
        } catch (UnknownHostException e) {
            return new End(name, List.of(), topology.locate(host).domain());
        }
    }

    private Ends ends(Request request, Topology topology) {
        return new Ends(end(request.parameter("from"), topology), end(request.parameter("to"), topology));
    }

    private Response why(Request request) {
        double last = Parameters.number(request, "last", LAST_SECONDS, 1, LONGEST_SECONDS);
        int listed = (int) Parameters.number(request, "streams", LISTED, 1, MOST_LISTED);
        Topology topology = observatory.knowledge().topology();
        Ends ends = ends(request, topology);
        long now = System.currentTimeMillis();
        long begin = now - (long) (last * MILLIS);
        Found found = ends.find(observatory.streams().pairs(begin), topology);
        List<StreamLine> lines = observatory.streams().between(found.pairs(), begin, MOST_LINES);
        PathReason reason = PathReason.of(lines, listed);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("from", ends.from().name());
        answer.put("to", ends.to().name());
        answer.put("seconds", last);
        answer.put("rule", lines.isEmpty() ? ends.nothing(last) : "streams from " + found.rule());
        answer.put("complete", lines.size() < MOST_LINES);
        answer.put("streams", reason.streams());
        answer.put("octets", reason.octets());
        answer.put("causes", reason.causes());
        answer.put("worst", reason.worst() == null ? null : described(reason.worst()));
        answer.put("newest", reason.newest().stream().map(WhyApi::described).toList());
        answer.put("views", reason.views());
        answer.put("probes", probes(ends.from().name(), ends.to().name(), new Query(0, request.query("class").orElse(Plan.BEST_EFFORT), now, (long) (last * MILLIS), Map.of(), 0), now));
        return Response.json(answer);
    }

    /** What the kernel said of the stream between two places of which it said something last. */
    private Response series(Request request) {
        double last = Parameters.number(request, "last", LAST_SECONDS, 1, LONGEST_SECONDS);
        Topology topology = observatory.knowledge().topology();
        Ends ends = ends(request, topology);
        long begin = System.currentTimeMillis() - (long) (last * MILLIS);
        Found found = ends.find(observatory.series().pairs(begin), topology);
        Kept newest = observatory.series().newest(found.pairs(), begin);
        if (newest == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, String.format(Locale.ROOT, "no theodolite has recorded a stream from %s to %s in the last %.0f s", ends.from().name(), ends.to().name(), last));
        }
        List<Kept> minutes = observatory.series().of(newest.theodolite(), newest.boot(), newest.stream(), begin, MOST_MINUTES);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("rule", found.rule());
        answer.put("theodolite", newest.theodolite());
        answer.put("stream", newest.stream());
        answer.put("source", newest.source());
        answer.put("destination", newest.destination());
        Map<String, Object> legs = new LinkedHashMap<>();
        for (String leg : List.of("before", "after")) {
            List<Kept> own = new ArrayList<>(minutes.stream().filter(each -> each.leg().equals(leg)).toList());
            Collections.reverse(own);
            legs.put(leg, leg(own));
        }
        answer.put("legs", legs);
        return Response.json(answer);
    }

    /** @param minutes the oldest first */
    private static Map<String, Object> leg(List<Kept> minutes) {
        List<Long> times = new ArrayList<>();
        Map<String, List<Long>> columns = new LinkedHashMap<>();
        for (Series series : minutes.stream().map(Kept::series).filter(Objects::nonNull).toList()) {
            series.columns().keySet().forEach(name -> columns.computeIfAbsent(name, any -> new ArrayList<>(Collections.nCopies(times.size(), null))));
            for (long time : series.times()) {
                times.add(series.begins() + time);
            }
            columns.forEach((name, values) -> {
                long[] column = series.columns().get(name);
                for (int i = 0; i < series.times().length; i++) {
                    values.add(column == null ? null : (Long) column[i]);
                }
            });
        }
        List<Map<String, Object>> rollups = minutes.stream().map(each -> {
            Map<String, Object> minute = new LinkedHashMap<>();
            minute.put("time", each.time());
            minute.put("samples", each.samples());
            minute.put("columns", each.rollup());
            return minute;
        }).toList();
        return Map.of("times", times, "columns", columns, "minutes", rollups);
    }

    /** Of each metric the newest sample; or why there is none. */
    private Map<String, Object> probes(String from, String to, Query query, long now) {
        Map<String, Object> all = new LinkedHashMap<>();
        observatory.knowledge().evidence(from, to, query).forEach((metric, evidence) -> all.put(metric.toString(), described(evidence, now)));
        return all;
    }

    /** As on the wire, with its rate. */
    private static Map<String, Object> described(StreamLine line) {
        Map<String, Object> map = line.map();
        map.put("mbits", line.mbits());
        return map;
    }

    private static Map<String, Object> described(Evidence evidence, long now) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("known", evidence.isKnown());
        map.put("rule", evidence.rule());
        if (evidence.isKnown()) {
            Sample newest = evidence.samples().get(0);
            map.put("newest", newest.value());
            map.put("median", evidence.spread().median());
            map.put("unit", evidence.metric().unit());
            map.put("samples", evidence.samples().size());
            map.put("by", newest.tool() + " of " + newest.source());
            map.put("seconds", (now - newest.time()) / MILLIS);
        }
        return map;
    }
}
