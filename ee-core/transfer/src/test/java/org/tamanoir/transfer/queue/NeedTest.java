package org.tamanoir.transfer.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NeedTest {
    private static final long START = 1_700_000_000_000L;
    private static final long SIZE = 1_000_000_000;
    private final Need need = new Need();

    private static TransferRequest request(long by, long rate) {
        return new TransferRequest(List.of("tam://a:1/x"), "tam://b:1/x", List.of(), List.of(), 8, 1 << 20, List.of(), List.of(), false, false, 0, by, rate, false);
    }

    /** What is asked for in so many seconds, going at one rate. */
    private long asked(TransferRequest request, double rate, int from, int seconds) {
        long asked = 0;
        for (int second = from; second < from + seconds; second++) {
            asked += need.look(request, (long) (SIZE - rate * second), rate, START + second * 1_000L);
        }
        return asked;
    }

    /** Wrong: one that would be there in time all the same, or has no time, and takes a better class from others. */
    @Test
    void whoIsFastEnoughAsksForNothing() {
        assertThat(asked(request(START + 100_000, 0), 10_000_001, 0, 99)).isZero();
        assertThat(asked(request(0, 0), 1, 0, 99)).isZero();
        assertThat(asked(request(0, 5_000_000), 5_000_000, 0, 99)).isZero();
    }

    /** Wrong: one that asks at the first hiccup, for too little to catch up, or again each second. */
    @Test
    void whoIsTooSlowAsksForWhatItLacksOnce() {
        TransferRequest request = request(START + 100_000, 0);
        assertThat(asked(request, 8_000_000, 0, 4)).isZero();
        assertThat(need.look(request, SIZE, 20_000_000, START + 4_000)).as("a second that is fast again").isZero();
        long asked = asked(request, 8_000_000, 5, 5);
        assertThat(asked).isBetween((long) (1.1 * (SIZE - 8_000_000 * 9) / 91), (long) (1.3 * SIZE / 90));
        assertThat(asked(request, 8_000_000, 10, 5)).isZero();
        assertThat(asked(request, 8_000_000, 60, 5)).as("what it has got was not enough").isGreaterThan(asked);
        assertThat(asked(request, 8_000_000, 101, 50)).as("when its time is over").isZero();
    }

    @Test
    void aRateIsNeededFromTheBeginning() {
        assertThat(asked(request(0, 50_000_000), 10_000_000, 0, 10)).isBetween(57_499_990L, 57_500_000L);
    }
}
