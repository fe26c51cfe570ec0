package org.tamanoir.node.tcpstate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.tcpstate.History.Points;

class HistoryTest {
    private static final long STEP = 100_000_000;
    /** A day at 0.1 s. */
    private static final int DAY = 864_000;

    @Test
    void itGoesBackToTheBeginningInBoundedMemoryAndItsRatesAreRight() {
        long[] taken = new long[1];
        History history = new History(octets -> {
            taken[0] += octets;
            return true;
        });
        for (int i = 0; i <= DAY; i++) {
            history.add(i * STEP, 125_000L * i, 7, 20_000);
        }
        Points points = history.points(DAY * STEP);
        assertThat(points.ago().length).isBetween(History.MOST * 2 / 3, History.MOST);
        assertThat(history.octets()).isEqualTo(taken[0]).isEqualTo(History.MOST * 32);
        assertThat(points.ago()[points.ago().length - 1]).isZero();
        assertThat(points.ago()[0]).as("the oldest point").isGreaterThan(0.1 * DAY * 0.9);
        assertThat(Arrays.stream(points.bitsPerSecond()).allMatch(rate -> rate == 10_000_000)).isTrue();
        for (int i = 1; i < points.ago().length; i++) {
            assertThat(points.ago()[i - 1] - points.ago()[i]).as("from %s s ago on", points.ago()[i]).isLessThanOrEqualTo(0.21 + points.ago()[i] / 20);
        }
        assertThat(points.tripMillis()[0]).isCloseTo(20, within(1e-9));
    }

    @Test
    void withoutMemoryItKeepsWhatItHasRoomFor() {
        History none = new History(octets -> false);
        none.add(0, 0, 0, 0);
        assertThat(none.octets()).isZero();
        assertThat(none.points(0).ago()).isEmpty();
        int[] asked = new int[1];
        History little = new History(octets -> asked[0]++ == 0);
        for (int i = 0; i < 1000; i++) {
            little.add(i * STEP, 1000L * i, 0, 0);
        }
        assertThat(little.points(999 * STEP).ago()).hasSizeBetween(10, 30);
        assertThat(little.octets()).isEqualTo(30 * 32);
    }
}
