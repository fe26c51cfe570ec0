package org.tamanoir.benchmarks.compression;

import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.MeasuredAlike;

class CompressionBenchTest {
    @Test
    void eachTargetCanBeMissed() {
        CompressionBench.Plan plan = new CompressionBench.Plan(1, 8192, 1);
        MeasuredAlike.assertThatEachCanBeMissed(samples -> CompressionBench.targets(samples, plan));
    }
}
