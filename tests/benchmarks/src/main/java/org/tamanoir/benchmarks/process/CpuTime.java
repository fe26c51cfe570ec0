package org.tamanoir.benchmarks.process;

import java.io.IOException;
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
        LongStream.of(roots).flatMap(CpuTime::tree).forEach(now::read);
        return now;
    }

    private static LongStream tree(long root) {
        return LongStream.concat(LongStream.of(root),
                ProcessHandle.of(root).map(ProcessHandle::descendants).orElseGet(Stream::empty).mapToLong(ProcessHandle::pid));
    }

    private void read(long pid) {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path task : tasks) {
                threads.put(task, Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]));
            }
        } catch (IOException e) {
            // It ends while it is read: what it has used is lost, and it uses no more.
        }
    }

    /** Seconds from an earlier instant to this one. What a thread used that has ended in between is missing. */
    public double since(CpuTime earlier) {
        return threads.entrySet().stream().mapToLong(thread -> thread.getValue() - earlier.threads.getOrDefault(thread.getKey(), 0L)).sum() / 1e9;
    }
}
