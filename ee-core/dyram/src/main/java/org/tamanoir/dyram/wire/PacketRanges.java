package org.tamanoir.dyram.wire;

import java.util.Arrays;

/** Ranges of packets, by index: in rising order, none touching another. Immutable. */
public final class PacketRanges {
    public static final PacketRanges NONE = new PacketRanges(new long[0]);

    /** First index of a range and the one after its last, range after range. */
    private final long[] bounds;

    private PacketRanges(long[] bounds) {
        this.bounds = bounds;
    }

    /** One range. @param end the index after the last */
    public static PacketRanges of(long first, long end) {
        return first < end ? new PacketRanges(new long[] {first, end}) : NONE;
    }

    /** How many ranges these are. */
    public int size() {
        return bounds.length / 2;
    }

    public boolean isEmpty() {
        return bounds.length == 0;
    }

    /** The first packet of a range. */
    public long first(int range) {
        return bounds[2 * range];
    }

    /** The packet after the last of a range. */
    public long end(int range) {
        return bounds[2 * range + 1];
    }

    /** How many packets these are. */
    public long packets() {
        long packets = 0;
        for (int i = 0; i < size(); i++) {
            packets += end(i) - first(i);
        }
        return packets;
    }

    public boolean contains(long index) {
        int found = Arrays.binarySearch(bounds, index);
        // A range begins at even places: at one is in it, at an odd one after it; between them it depends on what would come next.
        return found >= 0 ? found % 2 == 0 : (-found - 1) % 2 == 1;
    }

    /** What is in both. */
    public PacketRanges and(PacketRanges other) {
        Builder both = new Builder();
        for (int i = 0, j = 0; i < size() && j < other.size(); ) {
            both.add(Math.max(first(i), other.first(j)), Math.min(end(i), other.end(j)));
            if (end(i) < other.end(j)) {
                i++;
            } else {
                j++;
            }
        }
        return both.build();
    }

    /** What is in one of them. */
    public PacketRanges or(PacketRanges other) {
        Builder either = new Builder();
        for (int i = 0, j = 0; i < size() || j < other.size(); ) {
            if (j == other.size() || i < size() && first(i) <= other.first(j)) {
                either.add(first(i), end(i));
                i++;
            } else {
                either.add(other.first(j), other.end(j));
                j++;
            }
        }
        return either.build();
    }

    /** What is not before a packet. */
    public PacketRanges from(long index) {
        return and(of(index, Long.MAX_VALUE));
    }

    /** Some of the ranges. @param from the first of them @param most so many at most */
    public PacketRanges some(int from, int most) {
        int begin = Math.min(from, size());
        int end = Math.min(size(), begin + most);
        return begin == 0 && end == size() ? this : new PacketRanges(Arrays.copyOfRange(bounds, 2 * begin, 2 * end));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PacketRanges ranges && Arrays.equals(bounds, ranges.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bounds);
    }

    @Override
    public String toString() {
        return Arrays.toString(bounds);
    }

    /** Gathers ranges in the order of their first packets; those that overlap or touch become one. */
    public static final class Builder {
        private long[] bounds = new long[16];
        private int length;

        /** @param end the index after the last; a range of nothing is left out */
        public Builder add(long first, long end) {
            if (first >= end) {
                return this;
            }
            if (length > 0 && first <= bounds[length - 1]) {
                bounds[length - 1] = Math.max(bounds[length - 1], end);
                return this;
            }
            if (length == bounds.length) {
                bounds = Arrays.copyOf(bounds, 2 * length);
            }
            bounds[length++] = first;
            bounds[length++] = end;
            return this;
        }

        /** How many ranges these are so far. */
        public int size() {
            return length / 2;
        }

        public PacketRanges build() {
            return length == 0 ? NONE : new PacketRanges(Arrays.copyOf(bounds, length));
        }
    }
}
