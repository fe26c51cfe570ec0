package org.tamanoir.benchmarks.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class RelayTargetsTest {
    private static final int STREAMS = 8;

    private static final RelayPlan PEERS = plan(RelayKind.compared(false), null);

    private final Samples samples = new Samples();

    @Test
    void theBetterPeerOfEachCaseCounts() {
        Figure.addRatios(samples, 1400, 1, Map.of(RelayKind.TAMANOIR, 10.0, RelayKind.HAPROXY_1M, 8.0, RelayKind.NGINX_1M, 5.0));
        assertThat(held(PEERS, "throughput")).as("a case is missing").containsOnly(false);
        Figure.addRatios(samples, 1400, STREAMS, Map.of(RelayKind.TAMANOIR, 9.0, RelayKind.HAPROXY_1M, 4.0, RelayKind.NGINX_1M, 10.0));
        assertThat(held(PEERS, "throughput")).as("1.25 and 0.9: 1.06 in the mean, 0.9 at least").containsExactly(true, false);
    }

    @Test
    void cpuTimeAndRoundTripsMayBeALittleMore() {
        Figure.addCpuRatios(samples, 1400, 1, Map.of(RelayKind.TAMANOIR, 1.0, RelayKind.HAPROXY_1M, 1.0));
        Figure.addCpuRatios(samples, 1400, STREAMS, Map.of(RelayKind.TAMANOIR, 1.2, RelayKind.HAPROXY_1M, 1.0));
        assertThat(held(PEERS, "CPU time")).as("1 and 1.2: 1.095").containsExactly(true);
        Figure.addTripRatios(samples, Map.of(RelayKind.TAMANOIR, 36.0, RelayKind.HAPROXY_1M, 40.0, RelayKind.NGINX_1M, 34.0));
        assertThat(held(PEERS, "round trip")).as("1.06 of nginx").containsExactly(false);
    }

    @Test
    void noCaseMayBeWorseThanBefore() {
        Figure.addRatios(samples, 1400, 1, Map.of(RelayKind.TAMANOIR, 9.5, RelayKind.BEFORE, 10.0));
        Figure.addRatios(samples, 1400, STREAMS, Map.of(RelayKind.TAMANOIR, 8.5, RelayKind.BEFORE, 10.0));
        assertThat(held(plan(RelayKind.compared(true), new Build("before", Path.of("other"))), "of before")).containsExactly(true, false, false);
        assertThat(held(plan(RelayKind.compared(false), null), "of before")).as("nothing to compare to").isEmpty();
    }

    private List<Boolean> held(RelayPlan plan, String name) {
        return RelayTargets.of(samples, plan).stream().filter(target -> target.name().contains(name)).map(Target::holds).toList();
    }

    private static RelayPlan plan(List<RelayKind> systems, Build against) {
        return new RelayPlan(false, systems, List.of(1400), List.of(1, STREAMS), 0, 1, Duration.ofSeconds(1), Placement.FREE, Placement.ONE, against);
    }
}
