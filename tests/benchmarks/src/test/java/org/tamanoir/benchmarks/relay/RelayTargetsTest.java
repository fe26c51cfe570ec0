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

    private final Samples samples = new Samples();

    @Test
    void aSlowerNodeMissesWhatItIsComparedTo() {
        Figure.addRatios(samples, 8192, STREAMS, Map.of(RelayKind.TAMANOIR, 7.9, RelayKind.HAPROXY, 7.0, RelayKind.HAPROXY_1M, 10.0, RelayKind.NGINX_1M, 10.0));
        assertThat(held(plan(RelayKind.compared(false), null), "8192 octets")).containsExactly(true, false, true);
        assertThat(held(plan(RelayKind.compared(false), null), "60000 octets")).as("not measured").containsOnly(false);
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
        return new RelayPlan(systems, List.of(1400), List.of(1, STREAMS), 1, Duration.ofSeconds(1), Placement.FREE, Placement.ONE, against);
    }
}
