package org.tamanoir.dyram.receiver;

import java.util.Arrays;

/**
 * The time that packets wait in queues: how much longer they are under way than the fastest. Two clocks that differ cancel out; the
 * fastest of some seconds is forgotten, so that clocks that drift do no harm (RFC 6817 section 3.4.2 does the same).
 */
final class DelayMeter {
    private static final int GENERATIONS = 6;
    private static final long GENERATION = 10_000_000_000L;
    private static final int SAMPLES = 4;

    private final int[] least = new int[GENERATIONS];
    private final int[] latest = new int[SAMPLES];
    private int generation;
    private long generationEnds = Long.MIN_VALUE;
    private int at;
    private int count;

    /** @param stamp the source's microseconds when it sent */
    void sample(long now, int stamp) {
        int way = (int) (now / 1_000) - stamp;
        if (generationEnds == Long.MIN_VALUE) {
            Arrays.fill(least, way);
            generationEnds = now + GENERATION;
        } else if (now > generationEnds) {
            generation = (generation + 1) % GENERATIONS;
            least[generation] = way;
            generationEnds = now + GENERATION;
        }
        // Differences, because a clock's microseconds wrap.
        if (way - least[generation] < 0) {
            least[generation] = way;
        }
        latest[at] = way;
        at = (at + 1) % SAMPLES;
        count = Math.min(count + 1, SAMPLES);
    }

    /** Microseconds; the least of the last samples, so that one late packet is no queue. */
    int queue() {
        int shortest = Integer.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            shortest = Math.min(shortest, Math.max(0, latest[i] - base()));
        }
        return count == 0 ? 0 : shortest;
    }

    private int base() {
        int base = least[0];
        for (int candidate : least) {
            if (candidate - base < 0) {
                base = candidate;
            }
        }
        return base;
    }
}
