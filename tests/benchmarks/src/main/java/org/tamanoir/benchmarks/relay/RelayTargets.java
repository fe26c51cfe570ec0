package org.tamanoir.benchmarks.relay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/**
 * What a node with monitoring has to reach beside the peers with buffers of its own size, 1 MB; and, beside another build, that it is no
 * worse in any case. Peers with default buffers have no target there: most of a lead over them is buffer size.
 */
final class RelayTargets {
    private static final List<RelayKind> PEERS = List.of(RelayKind.HAPROXY_1M, RelayKind.NGINX_1M);
    private static final List<RelayKind> TLS_PEERS = List.of(RelayKind.HAPROXY, RelayKind.HAPROXY_1M, RelayKind.NGINX, RelayKind.NGINX_1M);
    private static final double LEAST_OF_BEST_BY_TLS = 0.9;
    private static final double MEAN_OF_BETTER = 1.05;
    private static final double LEAST_OF_BETTER = 0.95;
    private static final double CPU_OF_HAPROXY = 1.1;
    private static final double TRIP_OF_BETTER = 1.05;
    /** No worse, with a tenth left for noise. The tenth is chosen and not measured. */
    private static final double OF_BEFORE = 0.9;

    private RelayTargets() {
    }

    static List<Target> of(Samples samples, RelayPlan plan) {
        List<Target> targets = new ArrayList<>();
        if (plan.tls()) {
            addByTls(targets, samples, plan);
        } else {
            addPlain(targets, samples, plan);
        }
        if (plan.systems().contains(RelayKind.BEFORE)) {
            addBefore(targets, samples, plan);
        }
        return targets;
    }

    /** Where every octet is encrypted once and decrypted once, a peer's buffers decide little: all of them count. */
    private static void addByTls(List<Target> targets, Samples samples, RelayPlan plan) {
        for (int packet : plan.packets()) {
            List<Double> rates = new ArrayList<>();
            plan.streams().forEach(streams -> rates.add(ofBetter(TLS_PEERS, peer -> Figure.ratio(RelayKind.TAMANOIR, peer, packet, streams), samples, Collections::min)));
            targets.add(Target.atLeast(packet + " octets by TLS: throughput of the best of " + TLS_PEERS + ", least over " + plan.streams() + " streams",
                    rates.contains(null) ? null : Collections.min(rates), LEAST_OF_BEST_BY_TLS));
        }
    }

    private static void addPlain(List<Target> targets, Samples samples, RelayPlan plan) {
        List<Double> rates = cases(plan, (packet, streams) -> ofBetter(PEERS, peer -> Figure.ratio(RelayKind.TAMANOIR, peer, packet, streams), samples,
                Collections::min));
        List<Double> cpu = cases(plan, (packet, streams) -> samples.median(Figure.cpuRatio(RelayKind.HAPROXY_1M, packet, streams)));
        String over = " over " + rates.size() + (rates.size() == 1 ? " case" : " cases");
        targets.add(Target.atLeast("throughput of the better of haproxy-1m and nginx-1m, geometric mean" + over, geometricMean(rates),
                MEAN_OF_BETTER));
        targets.add(Target.atLeast("throughput of the better of haproxy-1m and nginx-1m, least" + over,
                rates.contains(null) ? null : Collections.min(rates), LEAST_OF_BETTER));
        targets.add(Target.atMost("CPU time of haproxy-1m, geometric mean" + over, geometricMean(cpu), CPU_OF_HAPROXY));
        targets.add(Target.atMost("round trip: p50 of the better of haproxy-1m and nginx-1m", ofBetter(PEERS, Figure::tripRatio, samples, Collections::max),
                TRIP_OF_BETTER));
    }

    private static List<Double> cases(RelayPlan plan, BiFunction<Integer, Integer, Double> value) {
        List<Double> values = new ArrayList<>();
        plan.packets().forEach(packet -> plan.streams().forEach(streams -> values.add(value.apply(packet, streams))));
        return values;
    }

    /** The median against the better peer: the one beside which the node looks worse. Null unless both were measured. */
    private static Double ofBetter(List<RelayKind> peers, Function<RelayKind, Samples.Key> ratio, Samples samples, Function<List<Double>, Double> worse) {
        List<Double> medians = new ArrayList<>();
        peers.forEach(peer -> medians.add(samples.median(ratio.apply(peer))));
        return medians.contains(null) ? null : worse.apply(medians);
    }

    /** Null if a case is missing: a mean over what happened to work would hide a case that did not. */
    private static Double geometricMean(List<Double> values) {
        return values.contains(null) ? null : Math.exp(values.stream().mapToDouble(Math::log).average().orElseThrow());
    }

    private static void addBefore(List<Target> targets, Samples samples, RelayPlan plan) {
        for (int packet : plan.packets()) {
            for (int streams : plan.streams()) {
                targets.add(Target.atLeast(packet + " octets, " + streams + (streams == 1 ? " stream" : " streams") + ": throughput of before",
                        samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.BEFORE, packet, streams)), OF_BEFORE));
            }
        }
        targets.add(Target.atMost("round trip: p50 of before", samples.median(Figure.tripRatio(RelayKind.BEFORE)), 1 / OF_BEFORE));
    }
}
