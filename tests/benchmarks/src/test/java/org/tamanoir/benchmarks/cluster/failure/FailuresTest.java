package org.tamanoir.benchmarks.cluster.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.cluster.failure.Failures.Event;
import org.tamanoir.benchmarks.cluster.failure.Failures.Kind;
import org.tamanoir.benchmarks.report.Target;

class FailuresTest {
    private static Failures outcome(double until, List<String> lost) {
        Failures outcome = new Failures(line -> { });
        for (Kind kind : Kind.values()) {
            outcome.add(new Event(kind, 100, lost, until, 0.5, 12, lost, 4, 0.4, 0.1));
        }
        return outcome;
    }

    @Test
    void eachTargetCanBeMissedAndNothingMeasuredIsNoZero() {
        assertThat(new Failures(line -> { }).targets()).hasSize(5).allSatisfy(target -> assertThat(target.value()).as(target.name()).isNull());
        assertThat(outcome(0.4, List.of()).targets()).allMatch(Target::holds);
        assertThat(outcome(30, List.of("reset")).targets()).allMatch(Target::isMissed);
    }

    /** Wrong: a median, behind which a slow round hides. */
    @Test
    void theSlowestRoundCounts() {
        Failures outcome = outcome(0.4, List.of());
        outcome.add(new Event(Kind.KILLED, 100, List.of(), 1.6, 0, 12, List.of(), 4, 0.4, 0.1));
        outcome.add(new Event(Kind.KILLED, 100, List.of(), 0.4, 0, 12, List.of(), 4, 0.4, 0.1));
        assertThat(outcome.targets().get(0).value()).isEqualTo(1.6);
        assertThat(outcome.targets().get(0).isMissed()).isTrue();
    }
}
