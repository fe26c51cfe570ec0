package org.tamanoir.observatory.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.observatory.api.Roles.Role;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.store.Samples;
import org.tamanoir.paths.cost.Closeness;
import org.tamanoir.paths.cost.Estimate;
import org.tamanoir.paths.cost.Optimiser;
import org.tamanoir.paths.cost.Query;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.topology.Location;
import org.tamanoir.paths.wire.SampleLine;

/** What those ask who choose: costs of transfers, replicas in order, what is known of paths. The clock of a {@link Query} is this machine's. */
final class ConsumerApi {
    private static final double TOLERANCE_SECONDS = 3600;
    private static final double LONGEST_TOLERANCE = 366 * 86_400;
    private static final double MOST_OCTETS = 1e18;
    private static final int MSS = 1460;
    private static final int MOST_STREAMS = 64;
    private static final int MOST_SAMPLES = 10_000;
    private static final int SAMPLES = 20;
    private static final double MILLIS = 1000;

    private final Observatory observatory;
    private final Roles roles;

    ConsumerApi(Observatory observatory, Roles roles) {
        this.observatory = observatory;
        this.roles = roles;
    }

    Route[] routes() {
        Guard reader = roles.to(Role.READ);
        return new Route[] {
            Route.of("GET", "/v1/costs", this::costs).guarded(reader),
            Route.of("POST", "/v1/rank", this::rank).guarded(reader),
            Route.of("POST", "/v1/getNetworkCosts", this::networkCosts).guarded(reader),
            Route.of("POST", "/v1/getBestCeSes", this::bestCeSes).guarded(reader),
            Route.of("GET", "/v1/matrix", request -> matrix()).guarded(reader),
            Route.of("GET", "/v1/paths/{from}/{to}", this::path).guarded(reader),
            Route.of("GET", "/v1/doubts", request -> Response.json(observatory.knowledge().doubts())).guarded(reader)};
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    private static Query query(double octets, String qosClass, double toleranceSeconds, int streams) {
        if (!(toleranceSeconds >= 0 && toleranceSeconds <= LONGEST_TOLERANCE)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a tolerance is " + toleranceSeconds + "; it must be seconds, from 0 to a year");
        }
        return new Query(octets, qosClass, now(), (long) (toleranceSeconds * MILLIS), Map.of(), streams);
    }

    private Response costs(Request request) {
        Query query = query(Parameters.number(request, "size", 0, 0, MOST_OCTETS), request.query("class").orElse(Plan.BEST_EFFORT),
                Parameters.number(request, "tolerance", TOLERANCE_SECONDS, 0, LONGEST_TOLERANCE), (int) Parameters.number(request, "streams", 0, 0, MOST_STREAMS));
        return Response.json(costs(Parameters.text(request, "from"), Parameters.text(request, "to"), query, Parameters.number(request, "alpha", Closeness.ALPHA, 0, 1),
                (int) Parameters.number(request, "mss", MSS, 1, 65_535), request.query("forecast").map(Boolean::parseBoolean).orElse(false)));
    }

    private Map<String, Object> costs(String from, String to, Query query, double alpha, int mss, boolean forecast) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("from", from);
        answer.put("to", to);
        answer.put("size", query.octets());
        answer.put("class", query.qosClass());
        Map<String, Object> costs = new LinkedHashMap<>();
        observatory.knowledge().costs(from, to, query, alpha, mss, forecast).forEach((name, estimate) -> costs.put(name, described(estimate, name.equals("time") ? "s" : "")));
        answer.put("costs", costs);
        return answer;
    }

    private static Map<String, Object> described(Estimate estimate, String unit) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("value", estimate.value());
        map.put("error", estimate.error());
        map.put("unit", unit);
        map.put("known", estimate.isKnown());
        map.put("why", estimate.why());
        return map;
    }

    /**
     * Which replica is the best for whom.
     *
     * @param size      octets of the file; 0 if null
     * @param function  time, closeness or netcost; time if null
     * @param tolerance seconds; an hour if null
     * @param explain   whether each has its reasons
     */
    private record Ranking(Double size, List<String> replicas, List<String> destinations, String function, @JsonProperty("class") String qosClass, Double tolerance, Double alpha, Integer mss,
            Integer streams, Boolean explain) {
    }

    private Response rank(Request request) {
        Ranking wanted = request.json(Ranking.class);
        String function = otherwise(wanted.function(), "time");
        Query query = query(size(otherwise(wanted.size(), 0.0)), otherwise(wanted.qosClass(), Plan.BEST_EFFORT), otherwise(wanted.tolerance(), TOLERANCE_SECONDS), otherwise(wanted.streams(), 0));
        Map<String, List<Estimate>> ranked = observatory.knowledge().rank(list("replicas", wanted.replicas()), list("destinations", wanted.destinations()), query, function,
                otherwise(wanted.alpha(), Closeness.ALPHA), mss(otherwise(wanted.mss(), MSS)));
        if (ranked == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "there is no function '" + function + "'; there are time, closeness and netcost");
        }
        boolean explain = otherwise(wanted.explain(), false);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("function", function);
        Map<String, Object> all = new LinkedHashMap<>();
        ranked.forEach((destination, estimates) -> all.put(destination, estimates.stream().map(each -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("replica", each.from());
            one.put("value", each.value());
            one.put("error", each.error());
            one.put("known", each.isKnown());
            if (explain) {
                one.put("why", each.why());
            }
            return one;
        }).toList()));
        answer.put("ranked", all);
        return Response.json(answer);
    }

    private static double size(double octets) {
        if (!(octets >= 0 && octets <= MOST_OCTETS)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a size is " + octets + "; it must be octets, from 0 to " + MOST_OCTETS);
        }
        return octets;
    }

    private static int mss(int mss) {
        if (mss < 1) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "mss is " + mss + "; it must be 1 or more");
        }
        return mss;
    }

    private static <T> T otherwise(T given, T preset) {
        return given == null ? preset : given;
    }

    private static <T> List<T> list(String name, List<T> list) {
        if (list == null || list.stream().anyMatch(Objects::isNull)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, name + " is missing, or has an entry that is null");
        }
        return list;
    }

    /** DataGRID's function of this name (section 10.1). @param filesize MBy, of 10^6 octets @param timeTolerance seconds; an hour if null */
    private record NetworkCostsOf(@JsonProperty("SEid1") String seId1, @JsonProperty("SEid2") String seId2, Double filesize, Double timeTolerance) {
    }

    private Response networkCosts(Request request) {
        NetworkCostsOf wanted = request.json(NetworkCostsOf.class);
        if (wanted.seId1() == null || wanted.seId2() == null || wanted.filesize() == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "SEid1, SEid2 and filesize are needed");
        }
        long tolerance = query(0, Plan.BEST_EFFORT, otherwise(wanted.timeTolerance(), TOLERANCE_SECONDS), 0).tolerance();
        Optimiser.NetworkCosts[] costs = observatory.knowledge().networkCosts(wanted.seId1(), wanted.seId2(), wanted.filesize(), now(), tolerance);
        List<Map<String, Object>> answer = new ArrayList<>();
        for (Optimiser.NetworkCosts each : costs) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("cost", each.cost());
            one.put("error", each.error());
            one.put("known", each.why().isKnown());
            one.put("why", each.why().why());
            answer.add(one);
        }
        return Response.json(Map.of("networkCosts", answer));
    }

    /** DataGRID's function of this name. @param toolName of round trip, throughput and loss; any if null @param sizes weights of the files; all alike if null */
    private record BestCeSesOf(@JsonProperty("CElist") List<String> ceList, @JsonProperty("SEmx") List<List<String>> seMx, Double alpha, Double timeTolerance, List<String> toolName,
            List<Double> sizes) {
    }

    private Response bestCeSes(Request request) {
        BestCeSesOf wanted = request.json(BestCeSesOf.class);
        List<List<String>> seMx = list("SEmx", wanted.seMx());
        seMx.forEach(row -> list("a row of SEmx", row));
        long tolerance = query(0, Plan.BEST_EFFORT, otherwise(wanted.timeTolerance(), TOLERANCE_SECONDS), 0).tolerance();
        Optimiser.BestCeSes best = observatory.knowledge().bestCeSes(list("CElist", wanted.ceList()), seMx, otherwise(wanted.alpha(), Closeness.ALPHA), tolerance,
                otherwise(wanted.toolName(), List.of()), list("sizes", otherwise(wanted.sizes(), List.of())), now());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("BestCE", best.bestCe());
        answer.put("BestSE", best.bestSes());
        answer.put("err", best.err());
        answer.put("S", best.s());
        answer.put("stale", best.isStale());
        answer.put("why", best.why().stream().map(Estimate::why).toList());
        return Response.json(answer);
    }

    /** The newest sample of each session, with the domains of its ends. */
    private Response matrix() {
        Map<String, Location> known = new HashMap<>();
        List<Map<String, Object>> all = new ArrayList<>();
        for (SampleLine line : observatory.knowledge().newest()) {
            Map<String, Object> one = described(line);
            for (String end : List.of("from", "to")) {
                Location location = known.computeIfAbsent(end.equals("from") ? line.from() : line.to(), this::locate);
                if (location.isKnown()) {
                    one.put(end + "Domain", domain(location));
                }
            }
            all.add(one);
        }
        return Response.json(all);
    }

    /** Where an end is: a theodolite stands for the host that the plan names. */
    private Location locate(String end) {
        Plan plan = observatory.plan();
        return observatory.knowledge().topology().locate(plan != null && plan.theodolites().containsKey(end) ? plan.host(end) : end);
    }

    private static String domain(Location location) {
        return location.isKnown() ? location.domain().name() : null;
    }

    private static Map<String, Object> described(SampleLine line) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("session", line.session());
        map.put("from", line.from());
        map.put("to", line.to());
        map.put("class", line.qosClass());
        map.put("boot", line.boot());
        map.put("number", line.number());
        map.put("kind", line.kind().text());
        map.put("time", line.time());
        map.put("values", line.values());
        return map;
    }

    /** All of one path: where its ends are, what its sessions have found lately, and what it costs. {@code samples} of each session, the newest first. */
    private Response path(Request request) {
        String from = request.parameter("from");
        String to = request.parameter("to");
        int most = (int) Parameters.number(request, "samples", SAMPLES, 1, MOST_SAMPLES);
        Map<String, Object> answer = costs(from, to, query(Parameters.number(request, "size", 0, 0, MOST_OCTETS), request.query("class").orElse(Plan.BEST_EFFORT),
                Parameters.number(request, "tolerance", TOLERANCE_SECONDS, 0, LONGEST_TOLERANCE), 0), Closeness.ALPHA, MSS, false);
        Map<String, Object> domains = new LinkedHashMap<>();
        for (String end : List.of(from, to)) {
            Location location = locate(end);
            Map<String, Object> where = new LinkedHashMap<>();
            where.put("domain", domain(location));
            where.put("why", location.why());
            domains.put(end, where);
        }
        answer.put("domains", domains);
        Map<String, Object> sessions = new LinkedHashMap<>();
        for (SampleLine each : observatory.knowledge().newest()) {
            if (each.from().equals(from) && each.to().equals(to)) {
                sessions.put(each.session(), observatory.samples().series(each.session(), 0, Long.MAX_VALUE, most).stream().map(Samples.Kept::line).map(ConsumerApi::described).toList());
            }
        }
        answer.put("sessions", sessions);
        return Response.json(answer);
    }
}
