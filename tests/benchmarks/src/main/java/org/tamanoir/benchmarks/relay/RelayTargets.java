package org.tamanoir.benchmarks.relay;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

/** What a node with monitoring and eight streams has to reach, in one run beside the peers. */
final class RelayTargets {
    private static final int STREAMS = 8;
    private static final int SMALL = 256;
    private static final List<Integer> LARGE = List.of(8192, 60000);
    private static final double OF_HAPROXY = 1.0;
    private static final double OF_NGINX_1M = 0.6;
    private static final double PACKETS = 3_000_000;

    private RelayTargets() {
    }

    static List<Target> of(Samples samples) {
        List<Target> targets = new ArrayList<>();
        for (int packet : LARGE) {
            targets.add(Target.atLeast(packet + " octets, 8 streams: throughput of haproxy",
                    samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.HAPROXY, packet, STREAMS)), OF_HAPROXY));
            targets.add(Target.atLeast(packet + " octets, 8 streams: throughput of nginx-1m",
                    samples.median(Figure.ratio(RelayKind.TAMANOIR, RelayKind.NGINX_1M, packet, STREAMS)), OF_NGINX_1M));
        }
        targets.add(Target.atLeast(SMALL + " octets, 8 streams: packets a second",
                samples.median(Figure.packets(RelayKind.TAMANOIR, SMALL, STREAMS)), PACKETS));
        return targets;
    }
}
