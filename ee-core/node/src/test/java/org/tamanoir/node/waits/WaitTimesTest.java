package org.tamanoir.node.waits;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import org.junit.jupiter.api.Test;

class WaitTimesTest {
    private static HistogramSnapshot snapshot(WaitTimes times) {
        return (HistogramSnapshot) times.collector().collect();
    }

    @Test
    void aTimeIsInOneClassicBucketAndInOneNativeOneOfNineParts() {
        WaitTimes times = WaitTimes.of("tamanoir_test_seconds", "Test.", 0.001, 0.01, 1);
        times.took(5_000_000);
        times.took(-1);
        HistogramSnapshot.HistogramDataPointSnapshot point = snapshot(times).getDataPoints().get(0);
        assertThat(point.getCount()).isEqualTo(2);
        assertThat(point.getSum()).isEqualTo(0.005);
        assertThat(point.getClassicBuckets().stream().map(bucket -> bucket.getUpperBound() + " " + bucket.getCount())).containsExactly("0.001 1", "0.01 1", "1.0 0", "Infinity 0");
        assertThat(point.getNativeSchema()).isEqualTo(3);
        assertThat(point.getNativeZeroCount()).as("less than 0 counts as 0").isEqualTo(1);
        assertThat(point.getNativeBucketsForPositiveValues()).hasSize(1);
        double bound = Math.pow(2, point.getNativeBucketsForPositiveValues().getBucketIndex(0) / 8.0);
        assertThat(bound).isBetween(0.005, 0.005 * 1.091);
    }

    @Test
    void whoeverChoosesLabelsMakesNoNumberOfSeries() {
        WaitTimes times = WaitTimes.by("service", "tamanoir_test_seconds", "Test.", 1);
        for (int i = 0; i < 1000; i++) {
            times.took("name" + i, 1);
            times.took("name0", 1);
        }
        HistogramSnapshot snapshot = snapshot(times);
        assertThat(snapshot.getDataPoints()).hasSize(65);
        assertThat(snapshot.getDataPoints().stream().filter(point -> point.getLabels().get("service").equals("other")).findFirst().orElseThrow().getCount()).isEqualTo(1000 - 64);
        assertThat(snapshot.getDataPoints().stream().filter(point -> point.getLabels().get("service").equals("name0")).findFirst().orElseThrow().getCount()).isEqualTo(1001);
    }
}
