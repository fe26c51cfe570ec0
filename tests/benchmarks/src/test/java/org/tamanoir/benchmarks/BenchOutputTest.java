package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.cli.ExitCode;

class BenchOutputTest {
    private final StringWriter out = new StringWriter();

    private int print(List<Target> targets, List<String> failures) {
        return new BenchOutput(new PrintWriter(out), new PrintWriter(new StringWriter()), false).print(new Report(Map.of(), List.of(), targets, failures), table -> { });
    }

    @Test
    void whoMissesATargetOrHasARunWithoutAFigureDoesNotEndWell() {
        Target held = Target.atLeast("rate", 1.0, 0.9);
        assertThat(print(List.of(held, Target.atMost("delay", 2.0, 2.0)), List.of())).isEqualTo(ExitCode.DONE);
        assertThat(print(List.of(held, Target.atMost("delay", 2.1, 2.0)), List.of())).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString()).contains("MISSED delay");
        assertThat(print(List.of(held), List.of("round 2: nothing arrived"))).isEqualTo(ExitCode.FAILED);
        assertThat(print(List.of(held, Target.atMost("not asked for", null, 2.0)), List.of())).as("a part that was left out").isEqualTo(ExitCode.DONE);
    }
}
