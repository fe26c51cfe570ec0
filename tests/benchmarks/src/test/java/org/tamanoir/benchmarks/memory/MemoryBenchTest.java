package org.tamanoir.benchmarks.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

class MemoryBenchTest {
    private static Stream<Arguments> bounds() {
        return Stream.of(Arguments.of(MemoryBench.stalled("first-node", "resident-growth"), 64, 65), Arguments.of(MemoryBench.idle("resident"), 256, 257),
                Arguments.of(MemoryBench.stalled("second-node", "resident-growth"), 64, 65), Arguments.of(MemoryBench.START, 1.5, 1.6));
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void aTargetIsMissedBeyondItsBound(Key key, double good, double bad) {
        Samples holding = new Samples();
        holding.add(key, good);
        assertThat(MemoryBench.targets(holding)).filteredOn(Target::holds).hasSize(1);
        Samples missing = new Samples();
        missing.add(key, bad);
        assertThat(MemoryBench.targets(missing)).filteredOn(Target::isMissed).hasSize(1);
    }

    @Test
    void whatIsNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(MemoryBench.targets(new Samples())).hasSize(4).noneMatch(Target::holds).noneMatch(Target::isMissed);
    }
}
