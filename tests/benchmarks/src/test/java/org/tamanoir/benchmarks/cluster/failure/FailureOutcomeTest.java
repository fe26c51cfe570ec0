package org.tamanoir.benchmarks.cluster.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Target;

class FailureOutcomeTest {
    private static FailureOutcome outcome(double until, List<String> lost) {
        FailureOutcome outcome = new FailureOutcome();
        for (String kind : List.of(Event.KILLED, Event.DRAINED, Event.POWER_CUT)) {
            outcome.add(new Event(kind, 100, lost, until, 0.5, 12, lost, 4, 0.4, 0.1));
        }
        return outcome;
    }

    @Test
    void eachTargetCanBeMissedAndNothingMeasuredIsNoZero() {
        assertThat(new FailureOutcome().targets()).hasSize(5).allSatisfy(target -> assertThat(target.value()).as(target.name()).isNull());
        assertThat(outcome(0.4, List.of()).targets()).allMatch(Target::holds);
        assertThat(outcome(30, List.of("reset")).targets()).allMatch(Target::isMissed);
    }

    /** Wrong: a median, behind which a slow round hides. */
    @Test
    void theSlowestRoundCounts() {
        FailureOutcome outcome = outcome(0.4, List.of());
        outcome.add(new Event(Event.KILLED, 100, List.of(), 1.6, 0, 12, List.of(), 4, 0.4, 0.1));
        outcome.add(new Event(Event.KILLED, 100, List.of(), 0.4, 0, 12, List.of(), 4, 0.4, 0.1));
        assertThat(outcome.targets().get(0).value()).isEqualTo(1.6);
        assertThat(outcome.targets().get(0).isMissed()).isTrue();
    }
}
