package org.tamanoir.transfer;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A range of a file: what is sent, checked, synced and counted as one.
 *
 * @param offset octets before it, 0 or more
 * @param length octets, at least 1 and at most {@link #LARGEST}
 */
public record Extent(long offset, int length) implements Comparable<Extent> {
    /** One that takes 13 ms at 10 Gbit/s, 0.7 s at 100 Mbit/s: a loss costs little, and the words around it cost less. */
    public static final int PRESET = 8 << 20;
    public static final int SMALLEST = 64 << 10;
    public static final int LARGEST = 64 << 20;

    public Extent {
        if (offset < 0 || length < 1 || length > LARGEST || offset + length < 0) {
            throw new IllegalArgumentException("no extent: " + length + " octets from " + offset);
        }
    }

    /** The offset behind it. */
    public long end() {
        return offset + length;
    }

    /** It in parts of about the same length: so many, or fewer if they would be shorter than {@link #SMALLEST}. */
    public Stream<Extent> parts(int most) {
        int part = Math.max(SMALLEST, (length + most - 1) / most);
        return IntStream.range(0, (length + part - 1) / part).mapToObj(i -> new Extent(offset + (long) i * part, Math.min(part, length - i * part)));
    }

    @Override
    public int compareTo(Extent other) {
        return Long.compare(offset, other.offset);
    }
}
