package org.tamanoir.benchmarks.cluster.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.LabException;

class AttemptTest {
    private static final long MILLI = 1_000_000;
    /** Clocks of nanoseconds may wrap around. */
    private static final long HAPPENED = Long.MAX_VALUE - 100 * MILLI;

    private static Attempt served(long atMillis, long tookMillis, int backEnd) {
        return new Attempt(HAPPENED + atMillis * MILLI, HAPPENED + (atMillis + tookMillis) * MILLI, backEnd, null);
    }

    private static Attempt refused(long atMillis) {
        return new Attempt(HAPPENED + atMillis * MILLI, HAPPENED + (atMillis + 1) * MILLI, 0, "refused");
    }

    /** Wrong: the time of the first stream that was served (0.05 s), of the last refusal (0.70 s), or what is counted in the order of ends. */
    @Test
    void newStreamsAreServedFromTheFirstOneAfterTheLastBadOne() {
        List<Attempt> all = new ArrayList<>();
        for (int at = -500; at < 3000; at += 50) {
            all.add(at >= 0 && at % 100 == 0 && at <= 700 ? refused(at) : served(at, 3, 1));
        }
        Collections.shuffle(all, new Random(7));
        assertThat(Attempt.untilServed(all, HAPPENED)).isEqualTo(0.75, within(1e-6));
        assertThat(Attempt.failed(all, HAPPENED)).hasSize(8);
        // One that begins later and has to wait for a second is not served at once.
        all.add(served(1000, 1020, 1));
        assertThat(Attempt.untilServed(all, HAPPENED)).isEqualTo(1.0, within(0.0501));
        assertThat(Attempt.failed(all, HAPPENED)).as("it was late, and served").hasSize(8);
    }

    @Test
    void whatFailedBeforeIsNotHeldAgainstIt() {
        List<Attempt> all = List.of(refused(-300), served(-10, 3, 1), served(40, 3, 2));
        assertThat(Attempt.untilServed(all, HAPPENED)).isZero();
        assertThat(Attempt.failed(all, HAPPENED)).isEmpty();
        assertThat(Attempt.failed(List.of(new Attempt(HAPPENED - MILLI, HAPPENED + MILLI, 0, "reset")), HAPPENED)).as("under way when it happened").hasSize(1);
    }

    @Test
    void aClusterThatDoesNotComeBackGivesNoFigure() {
        assertThatThrownBy(() -> Attempt.untilServed(List.of(served(10, 3, 1), refused(60)), HAPPENED)).isInstanceOf(LabException.class)
                .hasMessageContaining("refused");
        assertThatThrownBy(() -> Attempt.untilServed(List.of(served(10, 900, 1)), HAPPENED)).hasMessageContaining("late");
    }

    @Test
    void aBackEndThatLeavesAndComesBackIsFollowed() {
        List<Attempt> all = List.of(served(-50, 3, 2), served(50, 3, 2), served(100, 3, 1), served(350, 3, 2), served(400, 3, 3));
        assertThat(Attempt.lastAt(all, HAPPENED, 2)).isEqualTo(0.35, within(1e-6));
        assertThat(Attempt.busiest(all)).isEqualTo(2);
        assertThat(Attempt.share(all, 2)).isEqualTo(0.6);
        assertThat(Attempt.lastAt(all, HAPPENED, 4)).isZero();
        assertThat(Attempt.firstAt(all, HAPPENED, 2)).isEqualTo(0.053, within(1e-6));
        assertThatThrownBy(() -> Attempt.firstAt(all, HAPPENED, 4)).hasMessageContaining("b4");
    }
}
