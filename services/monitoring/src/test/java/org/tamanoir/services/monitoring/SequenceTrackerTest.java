package org.tamanoir.services.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SequenceTrackerTest {
    private static FlowCounters count(long... sequences) {
        FlowCounters counters = new FlowCounters();
        SequenceTracker tracker = new SequenceTracker(counters);
        for (long sequence : sequences) {
            tracker.count(sequence);
        }
        return counters;
    }

    @Test
    void aGapIsLossUntilThePacketComesLate() {
        FlowCounters gap = count(1, 2, 5);
        assertThat(gap.lost).isEqualTo(2);
        assertThat(gap.discontinuities).isEqualTo(1);
        FlowCounters late = count(1, 2, 5, 3);
        assertThat(late.lost).isEqualTo(1);
        assertThat(late.reordered).isEqualTo(1);
        assertThat(late.furthest).isEqualTo(3);
        assertThat(late.duplicates).isZero();
    }

    @Test
    void aPacketThatComesAgainIsADuplicateAndNotReordered() {
        FlowCounters counters = count(1, 2, 3, 2, 3);
        assertThat(counters.duplicates).isEqualTo(2);
        assertThat(counters.reordered).isZero();
        assertThat(counters.lost).isZero();
    }

    @Test
    void aPacketFromBeforeTheFirstMovesTheBeginning() {
        FlowCounters counters = count(10, 7, 9);
        assertThat(counters.lost).as("only 8 is missing").isEqualTo(1);
        assertThat(counters.reordered).isEqualTo(2);
    }

    @Test
    void numbersMayWrap() {
        FlowCounters counters = count(-2, -1, 1, 0, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1);
        assertThat(counters.lost).isZero();
        assertThat(counters.reordered).isEqualTo(1);
        assertThat(counters.restarts).as("the jump to the largest number").isEqualTo(1);
    }

    @Test
    void aSourceThatCountsAnewIsNoLoss() {
        FlowCounters counters = count(LongStream.concat(LongStream.range(1_000_000, 1_010_000), LongStream.range(0, 100)).toArray());
        assertThat(counters.restarts).isEqualTo(1);
        assertThat(counters.strays).isEqualTo(2);
        assertThat(counters.lost).isZero();
        assertThat(counters.duplicates).isZero();
    }

    @Test
    void oneWildNumberChangesNothing() {
        FlowCounters counters = count(1, 2, 1L << 40, 3, 4);
        assertThat(counters.strays).isEqualTo(1);
        assertThat(counters.lost).isZero();
        assertThat(counters.restarts).isZero();
    }

    /** A network that drops, doubles and delays by less than the window, against sets that remember everything. */
    @Property(tries = 300)
    void agreesWithAModelThatRemembersEverything(@ForAll Random random, @ForAll @IntRange(min = 1, max = 20_000) int sent,
            @ForAll @IntRange(max = SequenceTracker.WINDOW / 2) int spread, @ForAll @IntRange(max = 30) int faultPercent) {
        long first = random.nextLong();
        List<long[]> arrivals = new ArrayList<>();
        for (int i = 0; i < sent; i++) {
            int fault = random.nextInt(100) < faultPercent ? random.nextInt(3) : -1;
            if (fault != 0) {
                arrivals.add(new long[] {i + (fault == 2 && spread > 0 ? random.nextInt(spread) : 0), first + i});
            }
            if (fault == 1) {
                arrivals.add(new long[] {i + (spread > 0 ? random.nextInt(spread) : 0), first + i});
            }
        }
        arrivals.sort((a, b) -> Long.compare(a[0], b[0]));

        Set<Long> distinct = new HashSet<>();
        long highest = Long.MIN_VALUE;
        long lowest = Long.MAX_VALUE;
        long duplicates = 0;
        long reordered = 0;
        for (long[] arrival : arrivals) {
            long number = arrival[1] - first;
            if (!distinct.add(number)) {
                duplicates++;
            } else if (number < highest) {
                reordered++;
            }
            highest = Math.max(highest, number);
            lowest = Math.min(lowest, number);
        }
        FlowCounters counters = count(arrivals.stream().mapToLong(arrival -> arrival[1]).toArray());
        assertThat(counters.strays).isZero();
        assertThat(counters.duplicates).isEqualTo(duplicates);
        assertThat(counters.reordered).isEqualTo(reordered);
        assertThat(counters.lost).isEqualTo(distinct.isEmpty() ? 0 : highest - lowest + 1 - distinct.size());
    }

    @Property(tries = 200)
    void hostileNumbersCannotMakeNonsense(@ForAll Random random) {
        FlowCounters counters = new FlowCounters();
        SequenceTracker tracker = new SequenceTracker(counters);
        long near = 0;
        for (int i = 1; i <= 5_000; i++) {
            near = random.nextInt(4) == 0 ? random.nextLong() : near + random.nextInt(20_000) - 5_000;
            tracker.count(near);
            assertThat(counters.lost).isBetween(0L, (long) i * SequenceTracker.MAX_GAP);
        }
        assertThat(counters.duplicates + counters.reordered + counters.strays).isLessThanOrEqualTo(counters.sequenced);
    }
}
