package org.tamanoir.benchmarks.soak;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** How long packets of both transports took, in nanoseconds, by the mark of the part of the run in which they were sent. Mark 0 is not counted. */
public final class Delays {
    private static final long HIGHEST = Duration.ofMinutes(2).toNanos();

    /**
     * One part of the run.
     *
     * @param all     of every packet
     * @param opening of the first packets of streams alone: they wait for connections to be made as well
     */
    public record Part(int mark, Histogram all, Histogram opening) {
    }

    private final Map<Integer, Part> parts = new TreeMap<>();

    /** A histogram of delays in nanoseconds. */
    public static Histogram empty() {
        return new Histogram(HIGHEST, 3);
    }

    void record(int mark, boolean first, long nanos) {
        if (mark != 0) {
            Part part = parts.computeIfAbsent(mark, unused -> new Part(mark, empty(), empty()));
            long value = Math.max(0, Math.min(nanos, HIGHEST));
            part.all.recordValue(value);
            if (first) {
                part.opening.recordValue(value);
            }
        }
    }

    List<Part> parts() {
        return List.copyOf(parts.values());
    }
}
