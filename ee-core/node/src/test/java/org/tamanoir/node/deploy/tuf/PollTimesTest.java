package org.tamanoir.node.deploy.tuf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LongSummaryStatistics;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Every 2 s or so; after failures later and later, and not together. */
class PollTimesTest {
    private final PollTimes times = new PollTimes(new SplittableRandom(7));

    @Test
    void areSpreadAroundTwoSeconds() {
        LongSummaryStatistics waits = LongStream.range(0, 2_000).map(i -> times.succeeded()).summaryStatistics();
        assertThat(waits.getMin()).isBetween(1_500L, 1_520L);
        assertThat(waits.getMax()).isBetween(2_480L, 2_500L);
        assertThat(waits.getAverage()).isBetween(1_950.0, 2_050.0);
    }

    @Test
    void haveABoundThatDoublesAfterEachFailureAndAnyTimeBelowIt() {
        long[] bounds = {2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000};
        for (long bound : bounds) {
            LongSummaryStatistics waits = new LongSummaryStatistics();
            for (int i = 0; i < 500; i++) {
                PollTimes each = new PollTimes(new SplittableRandom(bound + i));
                for (long before : bounds) {
                    if (before == bound) {
                        break;
                    }
                    each.failed();
                }
                waits.accept(each.failed());
            }
            assertThat(waits.getMin()).isBetween(1L, bound / 20);
            assertThat(waits.getMax()).isBetween(bound * 9 / 10, bound);
        }
        for (int i = 0; i < 100; i++) {
            times.failed();
        }
        assertThat(times.failed()).isLessThanOrEqualTo(PollTimes.LONGEST);
        assertThat(times.succeeded()).isLessThanOrEqualTo(2_500);
        assertThat(times.failed()).isLessThanOrEqualTo(2_000);
    }

    @Test
    void askForRootsAtTheStartEachMinuteAndAfterAFailure() {
        assertThat(times.areRootsDue(0)).isTrue();
        times.askedForRoots(0);
        times.succeeded();
        assertThat(times.areRootsDue(59_999)).isFalse();
        assertThat(times.areRootsDue(60_000)).isTrue();
        times.failed();
        assertThat(times.areRootsDue(1)).isTrue();
    }
}
