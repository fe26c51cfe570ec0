package org.tamanoir.services.monitoring;

import java.util.Arrays;

/**
 * Loss, duplicates and order of one flow by its sequence numbers, in the words of RFC 4737: a packet is in order if its number is at
 * least the next expected one, which then becomes its number plus one; otherwise it is reordered, unless it came before.
 *
 * <p>The last {@value #WINDOW} numbers are remembered, one bit each (512 octets). A packet further behind than that, or more than
 * {@value #MAX_GAP} ahead, cannot be placed: it is a stray, and two strays that follow each other by number are a source that counts
 * anew, as in RFC 3550 appendix A.1. So no packet can make the loss jump by more than {@value #MAX_GAP}.
 */
final class SequenceTracker {
    /** Numbers remembered behind the highest one; a power of two. */
    static final int WINDOW = 4096;
    /** The largest gap that is loss: about three seconds of 64-octet packets at 3 Gbit/s. */
    static final int MAX_GAP = 1 << 24;

    private final FlowCounters counters;
    private final long[] seen = new long[WINDOW / Long.SIZE];
    private boolean begun;
    private long lowest;
    private long nextExpected;
    private boolean hasStray;
    private long afterStray;

    SequenceTracker(FlowCounters counters) {
        this.counters = counters;
    }

    /** Counts a packet; numbers are 64 bits wide and may wrap. */
    void count(long sequence) {
        counters.sequenced++;
        if (!begun) {
            begin(sequence);
            return;
        }
        // Differences, not numbers, are compared: RFC 1982 with 64 bits.
        long ahead = sequence - nextExpected;
        if (ahead >= 0 && ahead <= MAX_GAP) {
            inOrder(sequence, ahead);
        } else if (ahead < 0 && ahead >= -WINDOW) {
            behind(sequence, -ahead);
        } else {
            stray(sequence);
            return;
        }
        hasStray = false;
    }

    private void begin(long sequence) {
        begun = true;
        hasStray = false;
        lowest = sequence;
        nextExpected = sequence + 1;
        Arrays.fill(seen, 0);
        see(sequence);
    }

    private void inOrder(long sequence, long skipped) {
        if (skipped > 0) {
            counters.discontinuities++;
            counters.lost += skipped;
            forget(skipped);
        }
        nextExpected = sequence + 1;
        see(sequence);
    }

    private void behind(long sequence, long distance) {
        if (isSeen(sequence)) {
            counters.duplicates++;
            return;
        }
        see(sequence);
        counters.reordered++;
        counters.furthest = Math.max(counters.furthest, distance);
        if (sequence - lowest >= 0) {
            counters.lost--;
        } else {
            counters.lost += lowest - sequence - 1;
            lowest = sequence;
        }
    }

    private void stray(long sequence) {
        counters.strays++;
        if (hasStray && sequence == afterStray) {
            counters.restarts++;
            begin(sequence);
        } else {
            hasStray = true;
            afterStray = sequence + 1;
        }
    }

    /** Clears the places of the numbers that were skipped: older ones had them. */
    private void forget(long skipped) {
        if (skipped >= WINDOW) {
            Arrays.fill(seen, 0);
            return;
        }
        for (long i = 0; i < skipped; i++) {
            long number = nextExpected + i;
            seen[word(number)] &= ~bit(number);
        }
    }

    private void see(long sequence) {
        seen[word(sequence)] |= bit(sequence);
    }

    private boolean isSeen(long sequence) {
        return (seen[word(sequence)] & bit(sequence)) != 0;
    }

    private static int word(long sequence) {
        return (int) (sequence & WINDOW - 1) / Long.SIZE;
    }

    private static long bit(long sequence) {
        return 1L << sequence;
    }
}
