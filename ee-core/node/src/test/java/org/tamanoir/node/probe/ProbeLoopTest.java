package org.tamanoir.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class ProbeLoopTest {
    private static final long MILLI = 1_000_000;
    private static final long WALL = 1_700_000_000_000_000_000L;

    /** Wrong: a thread that has to wait for a processor between the two clocks makes a step of milliseconds, which a round trip is then corrected by. */
    @Test
    void aThreadThatWaitsBetweenTwoClocksSeesNoStep() {
        Random random = new Random(7);
        long[] now = {0};
        LongSupplier steady = () -> now[0] += random.nextInt(3) == 0 ? 3 * MILLI : 200;
        LongSupplier wall = () -> WALL + (now[0] += 200);
        for (int i = 0; i < 10_000; i++) {
            assertThat(ProbeLoop.offset(steady, wall)).isCloseTo(WALL, within(RunningTrain.NOISE / 2));
        }
    }

    @Test
    void theCloserOfTwoLooksCountsWhereNoneIsClose() {
        long[] now = {0};
        int[] looks = {0};
        LongSupplier steady = () -> now[0] += looks[0]++ % 6 == 1 ? MILLI : 2 * MILLI;
        assertThat(ProbeLoop.offset(steady, () -> WALL + now[0])).isCloseTo(WALL, within(MILLI));
    }
}
