package org.tamanoir.benchmarks.soak;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** How long packets took, in nanoseconds, by the mark of the part of the run in which they were sent. Mark 0 is not counted. */
public final class Delays {
    private static final long HIGHEST = Duration.ofMinutes(2).toNanos();
    private static final int DIGITS = 3;

    /**
     * One part of the run as it travels between processes.
     *
     * @param all     of every packet, a compressed {@link Histogram}
     * @param opening of the first packets of streams alone: they wait for connections to be made as well
     */
    public record Part(int mark, byte[] all, byte[] opening) {
        /** Every packet, of both transports. */
        public Histogram allDelays() {
            return decode(all);
        }

        /** The first packets of streams. */
        public Histogram openingDelays() {
            return decode(opening);
        }
    }

    private record Pair(Histogram all, Histogram opening) {
        Pair() {
            this(empty(), empty());
        }
    }

    private final Map<Integer, Pair> parts = new TreeMap<>();

    /** A histogram of delays in nanoseconds. */
    public static Histogram empty() {
        return new Histogram(HIGHEST, DIGITS);
    }

    void record(int mark, boolean first, long nanos) {
        if (mark == 0) {
            return;
        }
        Pair part = parts.computeIfAbsent(mark, unused -> new Pair());
        long value = Math.max(0, Math.min(nanos, HIGHEST));
        part.all.recordValue(value);
        if (first) {
            part.opening.recordValue(value);
        }
    }

    List<Part> parts() {
        List<Part> list = new ArrayList<>();
        parts.forEach((mark, part) -> list.add(new Part(mark, encode(part.all), encode(part.opening))));
        return list;
    }

    /** As it travels between processes. */
    static byte[] encode(Histogram histogram) {
        ByteBuffer octets = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        byte[] encoded = new byte[histogram.encodeIntoCompressedByteBuffer(octets)];
        octets.get(0, encoded);
        return encoded;
    }

    /** @throws IllegalArgumentException if {@link #encode} did not make it */
    static Histogram decode(byte[] octets) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(octets), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("no histogram", e);
        }
    }
}
