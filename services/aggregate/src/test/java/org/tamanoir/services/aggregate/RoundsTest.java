package org.tamanoir.services.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.services.aggregate.Aggregate.Settings;
import org.tamanoir.services.aggregate.Rounds.Answer;

class RoundsTest {
    private static final long WAIT = 1_000_000;
    private final ServiceCounters totals = new ServiceCounters(10);

    private Rounds rounds(int children) {
        return new Rounds(new Settings(children, WAIT, 4, 99, false), totals, 1);
    }

    private static Reading value(long round, long source, long value) {
        return Reading.of(Kind.INTEGER, 1, round, source, value);
    }

    private static List<Reading> results(Rounds rounds) {
        List<Reading> results = new ArrayList<>();
        for (Reading result = rounds.poll(); result != null; result = rounds.poll()) {
            results.add(result);
        }
        return results;
    }

    @Test
    void aRoundIsCompleteWhenAllChildrenHaveContributed() {
        Rounds rounds = rounds(3);
        assertThat(rounds.add(value(1, 10, 5), 0)).isEqualTo(Answer.TAKEN);
        assertThat(rounds.add(value(1, 11, -7), 10_000)).isEqualTo(Answer.TAKEN);
        assertThat(rounds.hasResults()).isFalse();
        assertThat(rounds.add(value(1, 12, 9), 20_000)).isEqualTo(Answer.TAKEN);
        assertThat(results(rounds)).containsExactly(new Reading(Kind.INTEGER, 0, 1, 0, 1, 1, 99, 20, 3, -7, 9, 0, 7));
        assertThat(rounds.open()).isZero();
    }

    @Test
    void theReadingsMaySayHowManyThereAre() {
        Rounds rounds = rounds(0);
        rounds.add(value(1, 10, 5), 0);
        rounds.add(value(1, 11, 5).siblings(2), 0);
        assertThat(results(rounds)).extracting(Reading::count).containsExactly(2L);
    }

    @Test
    void whatIsLateIsCountedAndNotAdded() {
        Rounds rounds = rounds(2);
        rounds.add(value(1, 10, 5), 0);
        rounds.expire(WAIT - 1);
        assertThat(rounds.hasResults()).isFalse();
        rounds.expire(WAIT);
        assertThat(results(rounds)).containsExactly(new Reading(Kind.INTEGER, Reading.PARTIAL, 1, 0, 1, 1, 99, 1000, 1, 5, 5, 0, 5));
        assertThat(rounds.add(value(1, 11, 6), WAIT + 1)).isEqualTo(Answer.LATE);
        assertThat(rounds.add(value(1, 10, 5), WAIT + 1)).isEqualTo(Answer.LATE);
        rounds.expire(10 * WAIT);
        assertThat(rounds.hasResults()).isFalse();
    }

    @Test
    void aSourceContributesOnce() {
        Rounds rounds = rounds(2);
        rounds.add(value(1, 10, 5), 0);
        assertThat(rounds.add(value(1, 10, 5), 0)).isEqualTo(Answer.DUPLICATE);
        assertThat(rounds.add(value(1, 10, 1_000), 0)).isEqualTo(Answer.DUPLICATE);
        rounds.add(value(1, 11, 6), 0);
        assertThat(results(rounds)).extracting(Reading::sumRest).containsExactly(11L);
    }

    @Test
    void whereNobodyKnowsHowManyThereAreTimeDecidesAndNothingIsMissing() {
        Rounds rounds = rounds(0);
        rounds.add(value(1, 10, 5), 0);
        rounds.add(value(1, 11, 6), WAIT / 2);
        rounds.expire(WAIT);
        assertThat(results(rounds)).containsExactly(new Reading(Kind.INTEGER, 0, 1, 0, 1, 1, 99, 1000, 2, 5, 6, 0, 11));
    }

    @Test
    void aNodeAboveOthersWaitsForLongerThanTheyDo() {
        Rounds rounds = rounds(0);
        rounds.add(value(1, 10, 5), 0);
        assertThat(rounds.untilDeadline(0)).isEqualTo(WAIT);
        Fold below = new Fold(Kind.INTEGER);
        below.add(value(1, 11, 6));
        rounds.add(below.result(1, 1, 98, 1, WAIT / 1000, 0), WAIT / 2);
        rounds.expire(WAIT);
        assertThat(rounds.hasResults()).isFalse();
        assertThat(rounds.untilDeadline(WAIT)).as("two waits after the first value came to a node").isEqualTo(WAIT / 2);
        rounds.expire(3 * WAIT / 2);
        assertThat(results(rounds)).extracting(Reading::level, Reading::micros).containsExactly(tuple(2, 2 * WAIT / 1000));
        rounds.add(value(2, 10, 5), 2 * WAIT);
        assertThat(rounds.untilDeadline(2 * WAIT)).as("it has learned").isEqualTo(2 * WAIT);
    }

    @Test
    void newerRoundsPushOldOnesOut() {
        Rounds rounds = rounds(2);
        for (long round = 1; round <= 6; round++) {
            rounds.add(value(round, 10, round), 0);
        }
        assertThat(results(rounds)).extracting(Reading::round).containsExactly(1L, 2L);
        assertThat(rounds.open()).isEqualTo(4);
        assertThat(rounds.add(value(2, 11, 0), 0)).isEqualTo(Answer.LATE);
        assertThat(rounds.add(value(3, 11, 0), 0)).isEqualTo(Answer.TAKEN);
        assertThat(rounds.add(value(-1, 10, 0), 0)).as("rounds are unsigned").isEqualTo(Answer.TAKEN);
        assertThat(results(rounds)).extracting(Reading::round).containsExactly(3L, 4L, 5L, 6L);
        assertThat(rounds.add(value(7, 10, 0), 0)).isEqualTo(Answer.LATE);
    }

    @Test
    void memoryIsBounded() {
        Rounds rounds = rounds(1000);
        for (long source = 0; source < 10; source++) {
            assertThat(rounds.add(value(1, source, 1), 0)).isEqualTo(Answer.TAKEN);
        }
        assertThat(rounds.add(value(1, 10, 1), 0)).isEqualTo(Answer.FULL);
        assertThat(rounds.add(value(2, 10, 1), 0)).isEqualTo(Answer.FULL);
        rounds.expire(WAIT);
        assertThat(rounds.add(value(2, 10, 1), WAIT)).isEqualTo(Answer.TAKEN);
        for (long round = 3; round < 100; round++) {
            rounds.add(value(round, 1, 1), WAIT);
        }
        assertThat(rounds.open()).isEqualTo(4);
        assertThat(results(rounds)).as("those that nobody takes").hasSize(4);
        assertThat(totals.lost.sum()).isEqualTo(1 + 94 - 4);
        assertThat(totals.openRounds.get()).isEqualTo(4);
    }

    @Test
    void aRoundHasOneKind() {
        Rounds rounds = rounds(2);
        rounds.add(value(1, 10, 5), 0);
        assertThat(rounds.add(Reading.of(Kind.DOUBLE, 1, 1, 11, 0), 0)).isEqualTo(Answer.OTHER_KIND);
        assertThat(rounds.add(value(1, 11, 6), 0)).as("it may correct itself").isEqualTo(Answer.TAKEN);
        assertThat(results(rounds)).hasSize(1);
    }
}
