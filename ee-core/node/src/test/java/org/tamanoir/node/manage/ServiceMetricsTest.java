package org.tamanoir.node.manage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Metrics;

/** Series of services by their labels: told apart, bounded, taken away, and together over versions. */
class ServiceMetricsTest {
    private final ServicesCollector collector = new ServicesCollector();

    private MetricSnapshot only() {
        List<MetricSnapshot> all = collector.collect().stream().toList();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    @Test
    void seriesOfOneNameAreToldApartByLabelsAndVersions() {
        ServiceMetrics older = collector.open("cache", "1.0.0");
        older.counter("answers", "Answers.", Map.of("from", "here"), () -> 3);
        older.counter("answers", "Answers.", Map.of("from", "there"), () -> 4);
        ServiceMetrics newer = collector.open("cache", "1.1.0");
        newer.counter("answers", "Answers.", Map.of("from", "here"), () -> 5);
        assertThat(only().getMetadata().getName()).isEqualTo("tamanoir_cache_answers");
        assertThat(only().getDataPoints()).extracting(point -> point.getLabels().get("version") + " " + point.getLabels().get("from") + " " + ((CounterDataPointSnapshot) point).getValue())
                .containsExactlyInAnyOrder("1.0.0 here 3.0", "1.0.0 there 4.0", "1.1.0 here 5.0");
        older.remove("answers", Map.of("from", "there"));
        older.remove("answers", Map.of("from", "nowhere"));
        collector.close(newer);
        assertThat(only().getDataPoints()).hasSize(1);
        older.remove("answers", Map.of("from", "here"));
        assertThat(collector.collect().stream()).isEmpty();
    }

    /** Wrong: a stranger whose names make series without end, and one that is refused and counts all the same. */
    @Test
    void aServiceHasSoManySeriesAndNoMore() {
        ServiceMetrics metrics = collector.open("cache", "1.0.0");
        for (int i = 0; i < Metrics.MOST_SERIES; i++) {
            int value = i;
            metrics.gauge("neighbours", "Of a neighbour.", Map.of("of", "n" + i), () -> value);
        }
        assertThatThrownBy(() -> metrics.gauge("neighbours", "Of a neighbour.", Map.of("of", "more"), () -> 0)).hasMessageContaining("at most 200");
        assertThatThrownBy(() -> metrics.gauge("other", "Another.", () -> 0)).hasMessageContaining("at most 200");
        metrics.remove("neighbours", Map.of("of", "n7"));
        assertThatThrownBy(() -> metrics.gauge("neighbours", "Of a neighbour.", Map.of("of", "n8"), () -> 0)).hasMessageContaining("registered already");
        metrics.gauge("neighbours", "Of a neighbour.", Map.of("of", "more"), () -> 1000);
        assertThat(only().getDataPoints()).hasSize(Metrics.MOST_SERIES).extracting(point -> ((GaugeDataPointSnapshot) point).getValue()).contains(1000.0).doesNotContain(7.0);
    }

    @Test
    void whatIsNoNameOrTheNodesOwnIsRefusedAndAMetricThatFailsIsLeftOut() {
        ServiceMetrics metrics = collector.open("cache", "1.0.0");
        for (String label : new String[] {"version", "instance", "Upper", "a-b", ""}) {
            assertThatThrownBy(() -> metrics.counter("answers", "Answers.", Map.of(label, "x"), () -> 1)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("label '" + label + "'");
        }
        metrics.counter("answers", "Answers.", () -> 1);
        assertThatThrownBy(() -> metrics.gauge("answers", "Answers.", Map.of("from", "here"), () -> 1)).hasMessageContaining("as something else");
        metrics.counter("broken", "Broken.", () -> {
            throw new IllegalStateException("on purpose");
        });
        assertThat(only().getMetadata().getName()).isEqualTo("tamanoir_cache_answers");
    }
}
