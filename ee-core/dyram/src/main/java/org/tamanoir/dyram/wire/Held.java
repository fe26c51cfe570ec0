package org.tamanoir.dyram.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * Packets that are held, as ranges of sequence numbers: what fits one message. They rise from the first on, modulo 2^64, and none overlaps
 * another.
 *
 * @param ranges at most {@link #MOST}; may be none
 */
public record Held(List<Range> ranges) {
    /** Ranges of one packet: 16 octets each leave it under an Ethernet frame. */
    public static final int MOST = 64;

    /**
     * Some packets in a row.
     *
     * @param first sequence number of the first
     * @param count 1 to {@link SessionTerms#MOST_PACKETS}
     */
    public record Range(long first, long count) {
        public Range {
            if (count < 1 || count > SessionTerms.MOST_PACKETS) {
                throw new IllegalArgumentException("a range of " + count + " packets");
            }
        }
    }

    public Held {
        ranges = List.copyOf(ranges);
        if (ranges.size() > MOST) {
            throw new IllegalArgumentException(ranges.size() + " ranges");
        }
        long least = 0;
        for (Range range : ranges) {
            long from = range.first() - ranges.get(0).first();
            if (from < least || from > SessionTerms.MOST_PACKETS - range.count()) {
                throw new IllegalArgumentException("ranges out of order");
            }
            least = from + range.count();
        }
    }

    /** Ranges in as many parts as messages are needed: one at least. */
    public static List<Held> of(SessionTerms terms, PacketRanges ranges) {
        List<Held> parts = new ArrayList<>();
        int from = 0;
        do {
            PacketRanges some = ranges.some(from, MOST);
            List<Range> part = new ArrayList<>(some.size());
            for (int i = 0; i < some.size(); i++) {
                part.add(new Range(terms.sequence(some.first(i)), some.end(i) - some.first(i)));
            }
            parts.add(new Held(part));
            from += MOST;
        } while (from < ranges.size());
        return parts;
    }

    /** The same by index; null if some packet is none of this session. */
    public PacketRanges in(SessionTerms terms) {
        PacketRanges.Builder all = new PacketRanges.Builder();
        for (Range range : ranges) {
            long first = terms.index(range.first());
            if (first < 0 || range.count() > terms.packets() - first) {
                return null;
            }
            all.add(first, first + range.count());
        }
        return all.build();
    }
}
