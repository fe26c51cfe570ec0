package org.tamanoir.benchmarks.relay;

import static org.tamanoir.benchmarks.relay.RelayKind.BEFORE;
import static org.tamanoir.benchmarks.relay.RelayKind.HAPROXY;
import static org.tamanoir.benchmarks.relay.RelayKind.HAPROXY_1M;
import static org.tamanoir.benchmarks.relay.RelayKind.NGINX;
import static org.tamanoir.benchmarks.relay.RelayKind.NGINX_1M;
import static org.tamanoir.benchmarks.relay.RelayKind.TAMANOIR;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.tamanoir.benchmarks.relay.RelayCase.Metric;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/**
 * What a node with monitoring has to reach beside the peers with buffers of its own size, 1 MB; and, beside another build, that it is no
 * worse in any case. Peers with default buffers have no target there: most of a lead over them is buffer size.
 */
final class RelayTargets {
    private static final List<RelayKind> PEERS = List.of(HAPROXY_1M, NGINX_1M);
    private static final List<RelayKind> TLS_PEERS = List.of(HAPROXY, HAPROXY_1M, NGINX, NGINX_1M);
    private static final double LEAST_OF_BEST_BY_TLS = 0.9;
    private static final double MEAN_OF_BETTER = 1.05;
    private static final double LEAST_OF_BETTER = 0.95;
    private static final double CPU_OF_HAPROXY = 1.1;
    private static final double TRIP_OF_BETTER = 1.05;
    private static final double DATAGRAMS_OF_NGINX = 1.05;
    /** No worse, with a tenth left for noise. The tenth is chosen and not measured. */
    private static final double OF_BEFORE = 0.9;

    private final Samples samples;
    private final RelayPlan plan;
    private final List<Target> targets = new ArrayList<>();

    private RelayTargets(Samples samples, RelayPlan plan) {
        this.samples = samples;
        this.plan = plan;
    }

    static List<Target> of(Samples samples, RelayPlan plan) {
        RelayTargets all = new RelayTargets(samples, plan);
        switch (plan.transport()) {
            case TCP -> all.addPlain();
            case TLS -> all.addByTls();
            case UDP -> all.addEach(NGINX, DATAGRAMS_OF_NGINX);
        }
        all.addEach(BEFORE, OF_BEFORE);
        return all.targets;
    }

    /** Where every octet is encrypted once and decrypted once, a peer's buffers decide little: all of them count. */
    private void addByTls() {
        for (int packet : plan.packets()) {
            List<Double> rates = streams().stream().filter(what -> what.packet() == packet)
                    .map(what -> ofBetter(what, TLS_PEERS, Collections::min)).toList();
            targets.add(Target.atLeast(packet + " octets by TLS: throughput of the best of " + TLS_PEERS + ", least over "
                    + plan.streams() + " streams", over(rates, Collections::min), LEAST_OF_BEST_BY_TLS));
        }
    }

    private void addPlain() {
        List<Double> rates = streams().stream().map(what -> ofBetter(what, PEERS, Collections::min)).toList();
        List<Double> cpu = streams().stream().map(what -> samples.median(what.ratio(TAMANOIR, Metric.CPU, HAPROXY_1M))).toList();
        String better = " of the better of haproxy-1m and nginx-1m";
        String over = " over " + rates.size() + (rates.size() == 1 ? " case" : " cases");
        targets.add(Target.atLeast("throughput" + better + ", geometric mean" + over, over(rates, RelayTargets::mean), MEAN_OF_BETTER));
        targets.add(Target.atLeast("throughput" + better + ", least" + over, over(rates, Collections::min), LEAST_OF_BETTER));
        targets.add(Target.atMost("CPU time of haproxy-1m, geometric mean" + over, over(cpu, RelayTargets::mean), CPU_OF_HAPROXY));
        plan.cases().stream().filter(what -> what.work().isTrips()).forEach(what -> targets.add(Target.atMost(
                "round trip: p50" + better, ofBetter(what, PEERS, Collections::max), TRIP_OF_BETTER)));
    }

    private List<RelayCase> streams() {
        return plan.cases().stream().filter(what -> !what.work().isTrips()).toList();
    }

    /** The median against the better peer: the one beside which the node looks worse. Null unless all were measured. */
    private Double ofBetter(RelayCase what, List<RelayKind> peers, Function<List<Double>, Double> worse) {
        return over(peers.stream().map(peer -> samples.median(what.ratio(TAMANOIR, peer))).toList(), worse);
    }

    /** Null if a case is missing: a mean over what happened to work would hide a case that did not. */
    private static Double over(List<Double> values, Function<List<Double>, Double> one) {
        return values.stream().anyMatch(value -> value == null) ? null : one.apply(values);
    }

    private static double mean(List<Double> values) {
        return Math.exp(values.stream().mapToDouble(Math::log).average().orElseThrow());
    }

    /** In every case by itself. */
    private void addEach(RelayKind other, double least) {
        if (!plan.systems().contains(other)) {
            return;
        }
        for (RelayCase what : plan.cases()) {
            Double ratio = samples.median(what.ratio(TAMANOIR, other));
            String compared = ": " + what.work().mainInWords() + " of " + other;
            targets.add(what.work().isTrips() ? Target.atMost("round trip" + compared, ratio, 1 / least)
                    : Target.atLeast(what + compared, ratio, least));
        }
    }
}
