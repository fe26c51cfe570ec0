package org.tamanoir.cluster.frontend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.engine.Engine.EngineStatus;
import org.tamanoir.cluster.member.Event;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.cluster.member.Refusal;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.cluster.upgrade.Progress;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report.Service;

/** What {@code GET /status} shows; {@code docs/cluster.md} explains the fields. */
final class StatusView {
    private final ClusterState cluster;
    private final Engine engine;
    private final ControlLoop loop;

    StatusView(ClusterState cluster, Engine engine, ControlLoop loop) {
        this.cluster = cluster;
        this.engine = engine;
        this.loop = loop;
    }

    /** @param first fields that stand before all others */
    Map<String, Object> of(Map<String, Object> first) {
        Map<String, Object> status = new LinkedHashMap<>(first);
        EngineStatus now = engine.status();
        Map<String, Object> director = new LinkedHashMap<>();
        director.put("engine", engine.name());
        director.put("why", now.why());
        director.put("role", now.role());
        director.put("carries", now.carries() && loop.problem() == null);
        director.put("problem", loop.problem() != null ? loop.problem() : now.problem());
        status.put("director", director);
        status.put("pools", pools());
        status.put("upgrade", upgrade(cluster.lastUpgrade()));
        status.put("events", cluster.events().stream().map(StatusView::event).toList());
        status.put("refused", cluster.refusals().stream().map(StatusView::refusal).toList());
        return status;
    }

    private static Map<String, Object> upgrade(Progress progress) {
        if (progress == null) {
            return null;
        }
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("service", progress.service());
        one.put("version", progress.version());
        one.put("state", progress.state());
        one.put("text", progress.line());
        return one;
    }

    private List<Map<String, Object>> pools() {
        List<Member> members = cluster.members();
        Map<String, Integer> weights = cluster.weights();
        Set<String> alive = engine.alive();
        List<Counters> counters = engine.counters();
        List<Map<String, Object>> pools = new ArrayList<>();
        for (Pool pool : cluster.configuration().pools()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", pool.name());
            one.put("addresses", pool.addresses().stream().map(Addresses::text).toList());
            one.put("port", pool.port());
            one.put("method", pool.method());
            one.put("scheduler", pool.scheduler());
            one.put("affinity", cluster.affinity(pool));
            one.put("backEnds", members.stream().filter(member -> member.pool().equals(pool.name()))
                    .map(member -> backEnd(member, weights.get(member.name()), alive, counters)).toList());
            pools.add(one);
        }
        return pools;
    }

    private static Map<String, Object> backEnd(Member member, Integer weight, Set<String> alive, List<Counters> counters) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("name", member.name());
        one.put("address", Addresses.text(member.address()));
        one.put("port", member.port());
        one.put("standing", member.out() ? "OUT" : member.standing());
        one.put("why", member.why());
        one.put("answers", alive.contains(member.name()));
        one.put("weight", weight);
        one.put("heardMillis", millisSince(member.heard()));
        one.put("load", member.load());
        one.put("services", member.services().stream().map(Service::name).toList());
        one.put("virtual", counters.stream().filter(each -> each.server().name().equals(member.name())).map(StatusView::counted).toList());
        return one;
    }

    private static Map<String, Object> counted(Counters counters) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("address", Addresses.text(counters.service().address()));
        one.put("transport", counters.service().transport());
        one.put("connections", counters.connections());
        one.put("active", counters.active());
        one.put("inactive", counters.inactive());
        one.put("inPackets", counters.inPackets());
        one.put("outPackets", counters.outPackets());
        one.put("inOctets", counters.inOctets());
        one.put("outOctets", counters.outOctets());
        one.put("connectionRate", counters.connectionRate());
        one.put("inOctetRate", counters.inOctetRate());
        one.put("outOctetRate", counters.outOctetRate());
        return one;
    }

    private static Map<String, Object> event(Event event) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("agoMillis", millisSince(event.at()));
        one.put("backEnd", event.member());
        one.put("what", event.what());
        one.put("text", event.text());
        return one;
    }

    private static Map<String, Object> refusal(Refusal refusal) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("backEnd", refusal.name());
        one.put("text", refusal.text());
        one.put("count", refusal.count());
        one.put("lastMillis", millisSince(refusal.last()));
        return one;
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
