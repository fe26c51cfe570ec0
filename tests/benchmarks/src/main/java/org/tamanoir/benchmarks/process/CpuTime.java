package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Processor time of processes and their descendants at an instant, to the nanosecond: {@code schedstat} of each thread ({@code proc(5)}), where
 * {@code stat} counts hundredths of a second.
 */
public final class CpuTime {
    private final Map<Path, Long> threads = new HashMap<>();

    private CpuTime() {
    }

    /** Now. Processes that are no more count for nothing. */
    public static CpuTime of(long... roots) {
        CpuTime now = new CpuTime();
        LongStream.of(roots).flatMap(root -> new ProcessTree(root).pids()).forEach(now::read);
        return now;
    }

    /** The same of threads alone, by their numbers. */
    static CpuTime ofThreads(LongStream threads) {
        CpuTime now = new CpuTime();
        threads.forEach(thread -> now.readThread(Path.of("/proc", Long.toString(thread))));
        return now;
    }

    private void read(long pid) {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            tasks.forEach(this::readThread);
        } catch (IOException e) {
            // It ends while it is read: what it has used is lost, and it uses no more.
        }
    }

    private void readThread(Path thread) {
        try {
            threads.put(thread, Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]));
        } catch (IOException e) {
            // The same.
        }
    }

    /** Seconds from an earlier instant to this one. What a thread used that has ended in between is missing. */
    public double since(CpuTime earlier) {
        return threads.entrySet().stream().mapToLong(thread -> thread.getValue() - earlier.threads.getOrDefault(thread.getKey(), 0L)).sum() / 1e9;
    }

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
}
