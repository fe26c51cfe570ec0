package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What all processors of this machine have done since its start, in clock ticks: the first line of {@code /proc/stat} ({@code proc(5)}).
 *
 * @param all  of them together
 * @param idle those in which nothing ran, waiting for devices included
 */
public record MachineTime(long all, long idle) {
    private static final int IDLE = 3;
    private static final int WAITING = 4;
    /** user, nice, system, idle, iowait, irq, softirq, steal; what follows is in these. */
    private static final int FIELDS = 8;

    /** Until now. */
    public static MachineTime now() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            String[] words = lines.findFirst().orElseThrow().strip().split(" +");
            long[] ticks = Stream.of(words).skip(1).limit(FIELDS).mapToLong(Long::parseLong).toArray();
            return new MachineTime(LongStream.of(ticks).sum(), ticks[IDLE] + ticks[WAITING]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The part of the time since then in which processors had nothing to do: 0 to 1. */
    public double idleSince(MachineTime earlier) {
        return all == earlier.all ? 0 : (double) (idle - earlier.idle) / (all - earlier.all);
    }
}
