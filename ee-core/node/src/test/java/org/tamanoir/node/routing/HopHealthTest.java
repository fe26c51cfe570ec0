package org.tamanoir.node.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.HopCheck;
import org.tamanoir.node.routing.HopHealth.State;

/** When a next hop counts as dead: soon enough for those who would wait for it, and not because a path is long or loses datagrams. */
class HopHealthTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1000 * MILLI;

    private final HopHealth health = new HopHealth(-7);
    private long now = 5;

    private void answers(HopCheck says) {
        health.answered(says, health.ask(), now);
    }

    /** A hop that is asked as a node does it, over a path with a delay and losses, and that stops at some moment. */
    @Property(tries = 500)
    void aHopThatStopsIsLeftWithinASecondAndNoneIsLeftBefore(@ForAll long seed) {
        Random random = new Random(seed);
        long roundTrip = random.nextLong(2 * SECOND);
        long stops = roundTrip + random.nextLong(20 * SECOND);
        HopHealth hop = new HopHealth(random.nextLong());
        record Answer(long number, long at) {
        }
        Deque<Answer> under = new ArrayDeque<>();
        boolean lostBefore = false;
        long left = -1;
        long last = -1;
        for (long at = 0; at < stops + roundTrip + 3 * SECOND; at += HopHealth.PERIOD) {
            while (!under.isEmpty() && under.peek().at() <= at) {
                Answer answer = under.poll();
                hop.answered(HopCheck.OPEN, answer.number(), answer.at());
                last = answer.at();
            }
            if (hop.state(at) == State.DOWN && left < 0) {
                left = at;
            }
            long number = hop.ask();
            // Never two lost in a row.
            boolean lost = !lostBefore && random.nextInt(3) == 0;
            lostBefore = lost;
            if (!lost && at + roundTrip / 2 < stops) {
                under.add(new Answer(number, at + roundTrip));
            }
        }
        if (last < 0) {
            assertThat(hop.state(stops)).isEqualTo(State.UNKNOWN);
        } else {
            assertThat(left - last).as("after the last answer").isBetween(HopHealth.SILENCE, HopHealth.SILENCE + HopHealth.PERIOD);
        }
    }

    @Test
    void aHopThatNeverAnsweredIsJudgedByUseAlone() {
        for (int i = 0; i < 100; i++) {
            health.ask();
            now += HopHealth.PERIOD;
        }
        health.refused(now);
        assertThat(health.state(now)).isEqualTo(State.UNKNOWN);
        health.failed("refused", now);
        assertThat(health.state(now)).isEqualTo(State.FAILED);
        assertThat(health.report(now).because()).contains("failed by use 1 time: refused");
        assertThat(health.state(now + HopHealth.LEAVE)).isEqualTo(State.UNKNOWN);
    }

    @Test
    void itIsLeftAloneForLongerEachTimeAndForHalfAMinuteAtMostAndNoLongerOnceItWasReached() {
        long[] seconds = {1, 2, 4, 8, 16, 30, 30};
        for (long expected : seconds) {
            health.failed("refused", now);
            assertThat(health.state(now + expected * SECOND - 1)).isEqualTo(State.FAILED);
            now += expected * SECOND;
            assertThat(health.state(now)).isEqualTo(State.UNKNOWN);
        }
        health.failed("refused", now);
        health.reached();
        assertThat(health.state(now)).isEqualTo(State.UNKNOWN);
        health.failed("refused", now);
        assertThat(health.state(now + SECOND)).as("the first failure again").isEqualTo(State.UNKNOWN);
    }

    /** A program may still answer datagrams when it takes no connections: use goes before checks. */
    @Test
    void anAnswerDoesNotUndoAFailureButAComeBackDoes() {
        answers(HopCheck.OPEN);
        health.failed("refused", now);
        answers(HopCheck.OPEN);
        assertThat(health.state(now)).isEqualTo(State.FAILED);
        now += 10 * SECOND;
        health.failed("refused", now);
        assertThat(health.state(now)).isEqualTo(State.DOWN);
        answers(HopCheck.OPEN);
        assertThat(health.state(now)).isEqualTo(State.UP);
    }

    @Test
    void aHopThatStopsSaysSoAndOneThatDoesNotListenIsDownAtOnce() {
        answers(HopCheck.DRAINING);
        assertThat(health.state(now)).isEqualTo(State.DRAINING);
        answers(HopCheck.OPEN);
        assertThat(health.state(now)).isEqualTo(State.UP);
        health.refused(now);
        assertThat(health.state(now)).isEqualTo(State.DOWN);
        assertThat(health.report(now).because()).startsWith("has answered no check for 0.8 s");
    }

    @Test
    void onlyAnswersToOwnQuestionsCount() {
        health.answered(HopCheck.OPEN, -6, now);
        assertThat(health.state(now)).as("nothing was asked").isEqualTo(State.UNKNOWN);
        long number = health.ask();
        for (long wrong : new long[] {0, number + 1, number - 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            health.answered(HopCheck.DRAINING, wrong, now);
        }
        assertThat(health.state(now)).isEqualTo(State.UNKNOWN);
        for (int i = 0; i < 40; i++) {
            health.ask();
        }
        health.answered(HopCheck.DRAINING, number, now);
        assertThat(health.state(now)).as("an answer of long ago").isEqualTo(State.UNKNOWN);
    }
}
