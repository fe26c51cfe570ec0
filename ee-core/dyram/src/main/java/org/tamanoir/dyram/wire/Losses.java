package org.tamanoir.dyram.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * Packets that are missed, as ranges of sequence numbers.
 *
 * @param ranges at most {@link #MOST}; sequence numbers count modulo 2^64
 */
public record Losses(List<Range> ranges) {
    /** Ranges of one packet: 24 octets each leave it under an Ethernet frame whatever the rest is. */
    public static final int MOST = 128;
    /** Packets of one range. */
    public static final int MOST_OF_A_RANGE = 0xFFFF;
    /** The greatest rank; further retries keep it. */
    public static final int MOST_RANK = 255;

    /**
     * Some packets in a row.
     *
     * @param first sequence number of the first
     * @param count 1 to 65,535
     * @param rank  how often they have been asked for before, 0 to 255
     */
    public record Range(long first, int count, int rank) {
        public Range {
            if (count < 1 || count > MOST_OF_A_RANGE || rank < 0 || rank > MOST_RANK) {
                throw new IllegalArgumentException("a range of " + count + " packets with rank " + rank);
            }
        }
    }

    public Losses {
        ranges = List.copyOf(ranges);
        if (ranges.isEmpty() || ranges.size() > MOST) {
            throw new IllegalArgumentException(ranges.size() + " ranges");
        }
    }

    /** One packet. */
    public static Losses of(long sequence, int rank) {
        return new Losses(List.of(new Range(sequence, 1, rank)));
    }

    /** How many packets these are. */
    public long packets() {
        return ranges.stream().mapToLong(Range::count).sum();
    }

    /** Gathers sequence numbers into ranges, and ranges into as many lists as are needed. */
    public static final class Builder {
        private final List<Range> ranges = new ArrayList<>();
        private long first;
        private int count;
        private int rank;

        /** The next one; in rising order they take the least room. */
        public void add(long sequence, int sequenceRank) {
            int bounded = Math.min(sequenceRank, MOST_RANK);
            if (count > 0 && sequence == first + count && bounded == rank && count < MOST_OF_A_RANGE) {
                count++;
                return;
            }
            close();
            first = sequence;
            count = 1;
            rank = bounded;
        }

        private void close() {
            if (count > 0) {
                ranges.add(new Range(first, count, rank));
                count = 0;
            }
        }

        public boolean isEmpty() {
            return count == 0 && ranges.isEmpty();
        }

        /** What was gathered, and begins anew. */
        public List<Losses> take() {
            close();
            List<Losses> all = new ArrayList<>();
            for (int from = 0; from < ranges.size(); from += MOST) {
                all.add(new Losses(ranges.subList(from, Math.min(ranges.size(), from + MOST))));
            }
            ranges.clear();
            return all;
        }
    }
}
