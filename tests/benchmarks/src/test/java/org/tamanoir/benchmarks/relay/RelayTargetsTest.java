package org.tamanoir.benchmarks.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.MeasuredAlike;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class RelayTargetsTest {
    private static RelayPlan plan(boolean tls, boolean before) {
        return new RelayPlan(tls, tls ? RelayKind.comparedByTls(before) : RelayKind.compared(before), List.of(256, 8192), List.of(1, 8), 0, 1,
                Duration.ofSeconds(1), Placement.FREE, Placement.ONE, null);
    }

    @Test
    void eachCanBeMissed() {
        for (boolean before : new boolean[] {false, true}) {
            MeasuredAlike.assertThatEachCanBeMissed(samples -> RelayTargets.of(samples, plan(false, before)));
            MeasuredAlike.assertThatEachCanBeMissed(samples -> RelayTargets.of(samples, plan(true, before)));
            DatagramComparison.Plan datagrams = new DatagramComparison.Plan(DatagramComparison.Plan.compared(before), DatagramComparison.PACKETS, 0, 1,
                    Duration.ofSeconds(1), null);
            MeasuredAlike.assertThatEachCanBeMissed(samples -> DatagramComparison.targets(samples, datagrams));
        }
    }

    /** One cell in which one peer is ahead of all. */
    @Test
    void theBetterPeerOfTheWorstCellDecides() {
        Samples samples = new Samples();
        for (int packet : List.of(256, 8192)) {
            for (int streams : List.of(1, 8)) {
                boolean worst = packet == 8192 && streams == 1;
                Figure.addRatios(samples, packet, streams, Map.of(RelayKind.TAMANOIR, 2.0, RelayKind.HAPROXY_1M, 1.0, RelayKind.NGINX_1M, worst ? 2.2 : 1.0));
            }
        }
        List<Target> targets = RelayTargets.of(samples, plan(false, false));
        assertThat(targets.get(0).name()).contains("geometric mean over 4 cases");
        assertThat(targets.get(0).holds()).isTrue();
        assertThat(targets.get(1).value()).isEqualTo(1 / 1.1);
        assertThat(targets.get(1).isMissed()).isTrue();
    }
}
