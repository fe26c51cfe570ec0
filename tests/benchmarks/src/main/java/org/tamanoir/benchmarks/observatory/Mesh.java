package org.tamanoir.benchmarks.observatory;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tamanoir.paths.plan.Group;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Session;
import org.tamanoir.service.probe.Probes.Train;

/**
 * Domains with a theodolite and an access link each, all to all: 100 pings every minute, as the first plan of docs/observatory.md has them, and a flow of 10 s on each
 * path once a day.
 */
final class Mesh {
    static final String DESCRIPTION = "100 pings of 64 octets a minute and a flow of 10 s a day on each path";
    private static final Schedule OFTEN = new Schedule(Duration.ofMinutes(1), Duration.ZERO, false);
    private static final Schedule DAILY = new Schedule(Duration.ofDays(1), Duration.ofHours(4), true);
    private static final Measurement PING = Measurement.ofProbes(Measurement.Kind.ROUND_TRIP, 100, Duration.ofMillis(100), 64);
    private static final Measurement FLOW = Measurement.ofThroughput(Duration.ofSeconds(10), 4);
    /** IPv4, UDP and Ethernet around the payload of a probe. */
    private static final int PROBE_HEADERS = 28;
    private static final int ETHERNET = 38;
    private static final double SECONDS_A_DAY = 86_400;
    /** What a theodolite asks by itself: a POST a second at most, two polls of 25 s, a registration every 5 minutes (services/theodolite). */
    private static final double REQUESTS = 1 + 2 / 25.0 + 1 / 300.0;
    /** Both ends of a run are told, and one reports it. */
    private static final int REQUESTS_OF_A_RUN = 3;

    private final Plan plan;
    private final List<Session> sessions;

    Mesh(int domains) {
        Map<String, String> theodolites = new LinkedHashMap<>();
        IntStream.range(0, domains).forEach(i -> theodolites.put("t" + i, host(i)));
        Group all = Group.mesh(theodolites.keySet());
        plan = new Plan(1, theodolites, Map.of(), Map.of("ping", new Plan.Task(all, PING, OFTEN, List.of()), "flow", new Plan.Task(all, FLOW, DAILY, List.of())));
        sessions = plan.sessions();
    }

    static String host(int domain) {
        return "se.d" + domain + ".example";
    }

    /** The same as YAML, for an observatory. */
    static String yaml(int domains) {
        return "theodolites: {" + IntStream.range(0, domains).mapToObj(i -> "t" + i + ": " + host(i)).collect(Collectors.joining(", ")) + "}\n"
                + "groups: {all: {mesh: ['*']}}\ntests:\n  ping: {tool: round-trip, probes: 100, interval: 100ms}\n  flow: {tool: throughput, length: 10s, streams: 4}\n"
                + "schedules:\n  often: {repeat: 1m}\n  daily: {repeat: 24h, slip: 4h, sliprand: true}\n"
                + "tasks:\n  ping: {group: all, test: ping, schedule: often}\n  flow: {group: all, test: flow, schedule: daily}\n";
    }

    static String topology(int domains) {
        return "domains: {" + IntStream.range(0, domains).mapToObj(i -> "d" + i + ": {bottlenecks: [access" + i + "]}").collect(Collectors.joining(", ")) + "}\n"
                + "rules:\n" + IntStream.range(0, domains).mapToObj(i -> "  - {suffix: d" + i + ".example, domain: d" + i + "}\n").collect(Collectors.joining());
    }

    List<Session> flows() {
        return sessions.stream().filter(each -> each.test().kind().isExpensive()).toList();
    }

    List<Session> probes() {
        return sessions.stream().filter(each -> !each.test().kind().isExpensive()).toList();
    }

    static Set<String> bottlenecks(String theodolite) {
        return Set.of("access " + theodolite);
    }

    /** Samples that come on a day. */
    double samplesADay() {
        return sessions.stream().mapToDouble(each -> SECONDS_A_DAY / each.schedule().repeat().toSeconds()).sum();
    }

    /** Probes a second that a theodolite sends. */
    double probesSent() {
        return plan.sessionsOf("t0").stream().filter(each -> !each.test().kind().isExpensive()).mapToDouble(each -> each.test().probes() / (double) each.schedule().repeat().toSeconds()).sum();
    }

    /** Octets a second on an access link in one direction: its own probes there, and what comes back of those of the others. */
    double probeOctets() {
        int octets = Math.max(Train.LEAST_OCTETS, Math.min(Train.MOST_OCTETS, PING.octets() + PROBE_HEADERS)) + ETHERNET;
        return 2 * probesSent() * octets;
    }

    /** The part of the time in which a flow fills an access link in one direction. */
    double flowShare() {
        return flows().stream().filter(each -> each.from().equals("t0")).mapToDouble(each -> each.test().length().toMillis() / (double) each.schedule().repeat().toMillis()).sum();
    }

    /** Requests a second to the observatory, at most. */
    double requests() {
        return plan.theodolites().size() * REQUESTS + REQUESTS_OF_A_RUN * flows().size() / SECONDS_A_DAY;
    }

    int sessionCount() {
        return sessions.size();
    }
}
