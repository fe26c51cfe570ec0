package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Timers of a process that did not run for a while. Times in milliseconds. */
class StallTest {
    private final Stall stall = new Stall();

    private boolean isLate(double now, double due) {
        return stall.isLate((long) (now * 1e6), (long) (due * 1e6));
    }

    @Test
    void aTimerThatIsALittleLateIsInTime() {
        assertThat(isLate(1_000, 1_000)).isFalse();
        assertThat(isLate(1_002.9, 1_000)).isFalse();
        assertThat(isLate(5_000, 0)).as("at once").isFalse();
        assertThat(stall.deadline(7)).isEqualTo(7);
    }

    /** A pause of 50 ms: what is due waits 50 ms more, for the answers that came meanwhile, and goes then. */
    @Test
    void afterAPauseEverythingWaitsAsLongAgain() {
        assertThat(isLate(1_050, 1_000)).isTrue();
        assertThat(isLate(1_060, 1_055)).as("another timer").isTrue();
        assertThat(stall.deadline(1_000_000_000L)).isEqualTo(1_100_000_000L);
        assertThat(isLate(1_099, 1_000)).isTrue();
        assertThat(isLate(1_101, 1_000)).isFalse();
    }

    @Test
    void aLongPauseMakesNobodyWaitForMoreThanAQuarterOfASecond() {
        assertThat(isLate(60_000, 1_000)).isTrue();
        assertThat(isLate(60_249, 1_000)).isTrue();
        assertThat(isLate(60_251, 1_000)).isFalse();
    }
}
