package org.tamanoir.transfer.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StreamCountTest {
    /** How many it uses in the second half of some rounds, on average. */
    private static double settled(StreamCount count, IntToDoubleFunction link, int rounds) {
        double average = 0;
        for (int i = 0; i < rounds; i++) {
            int now = count.round(link.applyAsDouble(count.count()));
            average += i < rounds / 2 ? 0 : now / (rounds / 2.0);
        }
        return average;
    }

    /** Each stream carries what a window lets it, until the link is full. */
    private static IntToDoubleFunction link(double each, double all) {
        return streams -> Math.min(streams * each, all);
    }

    @Test
    void asFewAsCarryWhatTheMostDo() {
        assertThat(settled(new StreamCount(8), link(10, 55), 200)).as("five and a half fill the link").isBetween(5.5, 6.5);
        assertThat(settled(new StreamCount(8), link(10, 1000), 200)).as("each counts").isGreaterThan(7.9);
        assertThat(settled(new StreamCount(8), link(100, 100), 200)).as("one fills it").isCloseTo(1, within(1e-9));
    }

    /** Wrong: streams that are given up, one after the other, for a few percent each. */
    @Test
    void threePercentLessAreNotEnough() {
        assertThat(settled(new StreamCount(8), streams -> 100 - 3 * (8 - streams), 200)).isGreaterThan(7.9);
    }

    /** A copy of ten seconds is five rounds. */
    @Test
    void allAtFirst() {
        StreamCount count = new StreamCount(8);
        for (int i = 0; i < 4; i++) {
            assertThat(count.round(50)).isEqualTo(8);
        }
    }

    @Test
    void moreAgainWhenTheWayHasChanged() {
        StreamCount count = new StreamCount(8);
        assertThat(settled(count, link(100, 100), 100)).isCloseTo(1, within(1e-9));
        assertThat(settled(count, link(10, 100), 100)).isGreaterThan(7.5);
    }

    /** Wrong: each step compared with the one before it, so that noise leads down, a stream at a time, to a part of what the way carries. */
    @Test
    @Tag("seeded")
    void noiseDoesNotLeadItAstray() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        double average = settled(new StreamCount(8), streams -> streams * 10 * (1 + 0.1 * random.nextGaussian()), 2000);
        assertThat(average).as("seed %d", seed).isGreaterThan(7.2);
    }

    @Test
    void aBoundOfOneIsKept() {
        assertThat(settled(new StreamCount(1), link(10, 1000), 20)).isCloseTo(1, within(1e-9));
    }
}
