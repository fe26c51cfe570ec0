package org.tamanoir.cluster.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.check.Check.Result;
import org.tamanoir.cluster.check.Check.State;

/** Checks by a clock that is not real, against back ends that do what the test says. */
class CheckTest {
    private static final long MILLISECOND = 1_000_000;
    private static final long ANSWER = MILLISECOND;
    private static final long TIMEOUT = 500 * MILLISECOND;

    private final Random random = new Random(7);
    private long now;

    private Check check() {
        return new Check(CheckSettings.DEFAULT, random, now);
    }

    /** Runs checks until a state comes. @return when it came, or -1 if it has not by then */
    private long until(Check check, State state, long end, LongFunction<Result> backEnd) {
        while (check.due() <= end) {
            now = Math.max(now, check.due());
            check.begins(now);
            Result result = backEnd.apply(now);
            now += result == Result.TIMEOUT ? TIMEOUT : ANSWER;
            check.ended(now, result);
            if (check.state() == state) {
                return now;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @EnumSource(value = Result.class, names = {"BAD", "TIMEOUT", "REFUSED"})
    void aBackEndThatEndsAtAnyMomentIsDownInTime(Result end) {
        Check check = check();
        long latest = 0;
        for (int i = 0; i < 1_000; i++) {
            assertThat(until(check, State.UP, now + 2_000 * MILLISECOND, time -> Result.GOOD)).isNotNegative();
            until(check, State.UNKNOWN, now + random.nextInt(1_000) * MILLISECOND, time -> Result.GOOD);
            // It ends between two checks.
            long ended = now;
            State down = end == Result.REFUSED ? State.REFUSED : State.SILENT;
            latest = Math.max(latest, until(check, down, now + 5_000 * MILLISECOND, time -> end) - ended);
        }
        long promise = switch (end) {
            case REFUSED -> 502;
            case BAD -> 603;
            default -> 1_500;
        };
        assertThat(latest / MILLISECOND).as("milliseconds").isBetween(promise / 2, promise);
    }

    @Test
    void oneFailureIsNoEndAndOneSuccessNoReturn() {
        Check check = check();
        assertThat(until(check, State.UP, now + 300 * MILLISECOND, time -> Result.GOOD)).as("the first two come quickly").isNotNegative();
        for (Result once : new Result[] {Result.BAD, Result.TIMEOUT}) {
            check.begins(now);
            assertThat(check.ended(now, once)).isFalse();
            check.begins(now);
            assertThat(check.ended(now, Result.GOOD)).isFalse();
        }
        assertThat(check.state()).isEqualTo(State.UP);
        check.begins(now);
        assertThat(check.ended(now, Result.REFUSED)).isTrue();
        check.begins(now);
        assertThat(check.ended(now, Result.GOOD)).isFalse();
        check.begins(now);
        assertThat(check.ended(now, Result.TIMEOUT)).as("a machine that has lost its program stays so").isFalse();
        assertThat(check.state()).isEqualTo(State.REFUSED);
    }

    @Test
    void aBackEndThatNeverAnswersIsNeverUp() {
        Check check = check();
        assertThat(until(check, State.UP, now + 60_000 * MILLISECOND, time -> random.nextBoolean() ? Result.TIMEOUT : Result.BAD)).isNegative();
        assertThat(check.state()).isEqualTo(State.SILENT);
    }

    /** However quick the answers are: the period bounds what a check costs. */
    @Test
    void checksComeOncePeriodAndNotInStep() {
        int[] asked = new int[1];
        Check check = check();
        until(check, State.REFUSED, now + 100_000 * MILLISECOND, time -> {
            asked[0]++;
            return Result.GOOD;
        });
        assertThat(asked[0]).isBetween(200, 223);
    }
}
