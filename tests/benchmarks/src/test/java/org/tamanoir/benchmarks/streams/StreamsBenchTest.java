package org.tamanoir.benchmarks.streams;

import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.MeasuredAlike;

class StreamsBenchTest {
    @Test
    void eachTargetCanBeMissed() {
        MeasuredAlike.assertThatEachCanBeMissed(StreamsBench::targets);
    }
}
