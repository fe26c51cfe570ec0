package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.tamanoir.services.qosinus.TransferPace.State;

/** What is left by the time that is left. */
class TransferPaceTest {
    private static final long SECOND = 1_000_000_000L;
    /** Of a clock whose numbers are near their end. */
    private static final long START = Long.MAX_VALUE - 5 * SECOND;

    private static TransferPace begun(long size, long seconds) {
        TransferPace pace = new TransferPace(size);
        pace.begin(START, START + seconds * SECOND, 0);
        return pace;
    }

    @Example
    void nothingIsAskedForBeforeTheFirstPacketAndAfterTheLast() {
        TransferPace pace = new TransferPace(1000);
        assertThat(pace.look(START, 0)).isEqualTo(State.WAITING);
        assertThat(pace.rate()).isZero();
        pace.begin(START, START + 10 * SECOND, 0);
        assertThat(pace.look(START, 0)).isEqualTo(State.RUNNING);
        assertThat(pace.rate()).as("a twentieth of the time is kept").isCloseTo(1000 / 9.5, within(0.1));
        assertThat(pace.look(START + 8 * SECOND, 1000)).isEqualTo(State.DONE);
        assertThat(pace.rate()).isZero();
        assertThat(pace.lateNanos()).isEqualTo(-2 * SECOND);
        assertThat(pace.look(START + 20 * SECOND, 5000)).as("more than the file").isEqualTo(State.DONE);
        assertThat(pace.carried()).isEqualTo(1000);
        assertThat(pace.lateNanos()).isEqualTo(-2 * SECOND);
    }

    @Example
    void whoFallsBehindIsRaisedInTheSamePeriodAndWhoIsAheadIsLoweredAfterThree() {
        TransferPace pace = begun(1000, 100);
        pace.look(START, 0);
        double first = pace.rate();
        pace.look(START + 10 * SECOND, 50);
        assertThat(pace.rate()).isCloseTo(950 / 85.0, within(0.01)).isGreaterThan(first);
        double raised = pace.rate();
        for (int i = 1; i < TransferPace.LOWER_PERIODS; i++) {
            pace.look(START + (10 + i) * SECOND, 500);
            assertThat(pace.rate()).as("period %d", i).isEqualTo(raised);
        }
        pace.look(START + 13 * SECOND, 500);
        assertThat(pace.rate()).isCloseTo(500 / 82.0, within(0.01));
    }

    @Example
    void aShortRestDoesNotLowerIt() {
        TransferPace pace = begun(1000, 100);
        pace.look(START, 0);
        double first = pace.rate();
        for (int i = 0; i < 4; i++) {
            pace.look(START + i * SECOND, 400);
            pace.look(START + i * SECOND, 400);
            pace.look(START + i * SECOND, 50);
        }
        assertThat(pace.rate()).isEqualTo(first);
    }

    @Example
    void whoIsLateAsksForWhatItAskedForAndIsDoneLate() {
        TransferPace pace = begun(1000, 10);
        pace.look(START, 0);
        pace.look(START + 9 * SECOND, 500);
        double before = pace.rate();
        assertThat(pace.look(START + 10 * SECOND, 600)).isEqualTo(State.LATE);
        assertThat(pace.rate()).isEqualTo(before);
        assertThat(pace.look(START + 12 * SECOND, 999)).isEqualTo(State.LATE);
        assertThat(pace.leftNanos(START + 12 * SECOND)).isEqualTo(-2 * SECOND);
        assertThat(pace.look(START + 13 * SECOND, 1000)).isEqualTo(State.DONE_LATE);
        assertThat(pace.lateNanos()).isEqualTo(3 * SECOND);
        assertThat(pace.rate()).isZero();
    }

    @Example
    void aDeadlineThatIsOverWhenItBeginsStillAsksForSomething() {
        TransferPace pace = new TransferPace(1000);
        pace.begin(START, START - 5 * SECOND, 0);
        assertThat(pace.look(START, 0)).isEqualTo(State.LATE);
        assertThat(pace.rate()).isEqualTo(10_000);
    }

    @Example
    void anEndOfBeforeARestartIsKept() {
        TransferPace pace = new TransferPace(1000);
        pace.restoreEnd(START, 3 * SECOND);
        assertThat(pace.look(START + SECOND, 0)).isEqualTo(State.DONE_LATE);
        assertThat(pace.lateNanos()).isEqualTo(3 * SECOND);
        assertThat(pace.carried()).isEqualTo(1000);
        TransferPace early = new TransferPace(1000);
        early.restoreEnd(START, -SECOND);
        assertThat(early.state()).isEqualTo(State.DONE);
        TransferPace exactly = new TransferPace(1000);
        exactly.restoreEnd(START, 0);
        assertThat(exactly.state()).isEqualTo(State.DONE);
    }

    /** Whoever always gets what is asked for is done in time, and asks for no more at the end than at the beginning. */
    @Property
    void whoGetsWhatItAsksForIsInTime(@ForAll @LongRange(min = 1_000_000, max = 1_000_000_000_000L) long size, @ForAll @LongRange(min = 1, max = 100_000) long seconds,
            @ForAll @IntRange(min = 20, max = 1000) int looks) {
        TransferPace pace = begun(size, seconds);
        pace.look(START, 0);
        double first = pace.rate();
        double carried = 0;
        long step = Math.max(1, seconds * SECOND / looks);
        for (long time = 0; pace.state() == State.RUNNING; time += step) {
            carried += pace.rate() * step / SECOND;
            pace.look(START + time + step, (long) Math.ceil(carried));
            assertThat(pace.rate()).isLessThanOrEqualTo(first * 1.03);
        }
        assertThat(pace.state()).isEqualTo(State.DONE);
    }
}
