package org.tamanoir.benchmarks.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.relay.RelayPlan.Placement;
import org.tamanoir.benchmarks.report.MeasuredAlike;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class RelayTargetsTest {
    private static RelayPlan plan(Transport transport, boolean before) {
        return new RelayPlan(transport, RelayKind.compared(transport, before), List.of(256, 8192), List.of(1, 8), 0, 1,
                Duration.ofSeconds(1), Placement.FREE, Placement.ONE, null, null);
    }

    @Test
    void eachCanBeMissed() {
        for (boolean before : new boolean[] {false, true}) {
            for (Transport transport : Transport.values()) {
                MeasuredAlike.assertThatEachCanBeMissed(samples -> RelayTargets.of(samples, plan(transport, before)));
            }
        }
    }

    /** One cell in which one peer is ahead of all. */
    @Test
    void theBetterPeerOfTheWorstCellDecides() {
        Samples samples = new Samples();
        RelayPlan plan = plan(Transport.TCP, false);
        for (RelayCase what : plan.cases()) {
            boolean worst = what.packet() == 8192 && what.streams() == 1;
            samples.add(what.ratio(RelayKind.TAMANOIR, RelayKind.HAPROXY_1M), 2);
            samples.add(what.ratio(RelayKind.TAMANOIR, RelayKind.NGINX_1M), worst ? 1 / 1.1 : 2);
        }
        List<Target> targets = RelayTargets.of(samples, plan);
        assertThat(targets.get(0).name()).contains("geometric mean over 4 cases");
        assertThat(targets.get(0).holds()).isTrue();
        assertThat(targets.get(1).value()).isEqualTo(1 / 1.1);
        assertThat(targets.get(1).isMissed()).isTrue();
    }
}
