package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.benchmarks.report.MeasuredAlike;

class KernelTargetsTest {
    @ParameterizedTest
    @EnumSource
    void eachCanBeMissed(Placement placement) {
        KernelPlan plan = new KernelPlan(EnumSet.allOf(Part.class), KernelPlan.DATAGRAMS, KernelPlan.FRAMES, List.of(), 1, Duration.ofSeconds(1),
                KernelPlan.CHANGES, placement);
        MeasuredAlike.assertThatEachCanBeMissed(samples -> KernelTargets.of(plan, samples));
    }
}
