package org.tamanoir.benchmarks.relay;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/**
 * What a node with monitoring and eight streams has to reach, in one run beside the peers; and, beside another build, that it is no worse in
 * any case. HAProxy counts with its default buffers, which are what people run, and with buffers of 1 MB, which are about a node's.
 */
final class RelayTargets {
    private static final int STREAMS = 8;
    private static final int SMALL = 256;
    private static final List<Integer> LARGE = List.of(8192, 60000);
    private static final double OF_HAPROXY = 1.0;
    private static final double OF_HAPROXY_1M = 0.8;
    private static final double OF_NGINX_1M = 0.6;
    /** No worse, with a tenth left for noise. The tenth is chosen and not measured. */
    private static final double OF_BEFORE = 0.9;
    private static final double PACKETS = 3_000_000;

    private RelayTargets() {
    }

    static List<Target> of(Samples samples, RelayPlan plan) {
        List<Target> targets = new ArrayList<>();
        for (int packet : LARGE) {
            targets.add(Target.atLeast(packet + " octets, 8 streams: throughput of haproxy",
                    samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.HAPROXY, packet, STREAMS)), OF_HAPROXY));
            targets.add(Target.atLeast(packet + " octets, 8 streams: throughput of haproxy-1m",
                    samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.HAPROXY_1M, packet, STREAMS)), OF_HAPROXY_1M));
            targets.add(Target.atLeast(packet + " octets, 8 streams: throughput of nginx-1m",
                    samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.NGINX_1M, packet, STREAMS)), OF_NGINX_1M));
        }
        targets.add(Target.atLeast(SMALL + " octets, 8 streams: packets a second",
                samples.median(Figure.packets(RelayKind.TAMANOIR, SMALL, STREAMS)), PACKETS));
        if (plan.systems().contains(RelayKind.BEFORE)) {
            addBefore(targets, samples, plan);
        }
        return targets;
    }

    private static void addBefore(List<Target> targets, Samples samples, RelayPlan plan) {
        for (int packet : plan.packets()) {
            for (int streams : plan.streams()) {
                targets.add(Target.atLeast(packet + " octets, " + streams + (streams == 1 ? " stream" : " streams") + ": throughput of before",
                        samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.BEFORE, packet, streams)), OF_BEFORE));
            }
        }
        targets.add(Target.atMost("round trip: p50 of before", samples.median(Figure.tripOfBefore()), 1 / OF_BEFORE));
    }
}
