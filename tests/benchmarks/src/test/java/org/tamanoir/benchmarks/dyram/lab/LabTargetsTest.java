package org.tamanoir.benchmarks.dyram.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class LabTargetsTest {
    private static final LabCase WARM = new LabCase(LossCase.NONE, false);
    private final LabPlan plan = new LabPlan(List.of(SystemKind.TAMANOIR_SITE, SystemKind.NORM), List.of(LossCase.NONE), 1, 0, 20_000_000, 50_000_000,
            3, 4, 60);
    private final Samples samples = new Samples();

    private void measured(LabCase which, SystemKind kind, double seconds, double cpu) {
        new LabFigures(seconds, 12, 12, 1.05, 1.05, 0, 30, cpu, 0, 0, 0, List.of()).addTo(samples, which, kind, plan.expected());
    }

    private boolean holds(String name) {
        return LabTargets.of(plan, samples).stream().filter(target -> target.name().contains(name)).findFirst().map(Target::holds).orElseThrow();
    }

    @Test
    void timeAndCpuAreHeldAgainstNormsInTheSameState() {
        measured(WARM, SystemKind.NORM, 3.5, 4);
        measured(WARM, SystemKind.TAMANOIR_SITE, 3.8, 7.9);
        assertThat(holds("none: time, of NORM's")).isTrue();
        assertThat(holds("none: CPU, of NORM's")).isTrue();
        assertThat(holds("none: complete after")).isTrue();
        assertThat(holds("none-cold: complete and identical")).as("nothing was measured").isFalse();

        measured(new LabCase(LossCase.NONE, true), SystemKind.TAMANOIR_SITE, 30, 30);
        assertThat(holds("none: time, of NORM's")).as("cold processes have rows of their own").isTrue();
    }

    @Test
    void aTargetIsMissedByALittleAndByNothingMeasured() {
        assertThat(holds("none: time, of NORM's")).isFalse();
        measured(WARM, SystemKind.NORM, 3.5, 4);
        measured(WARM, SystemKind.TAMANOIR_SITE, 3.9, 8.1);
        assertThat(holds("none: time, of NORM's")).isFalse();
        assertThat(holds("none: CPU, of NORM's")).isFalse();
    }
}
