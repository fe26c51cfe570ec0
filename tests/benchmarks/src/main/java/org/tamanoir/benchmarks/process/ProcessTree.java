package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A process and its descendants (nginx serves by its children), summed. Source: {@code proc(5)}. */
public final class ProcessTree {
    /** Ticks of user and system time in a second as {@code /proc} counts them: USER_HZ, 100 on every architecture that Debian has. */
    private static final double TICKS = 100;
    /** After this the peak is counted anew ({@code proc(5)}, clear_refs). */
    private static final String RESET_PEAK = "5";

    private final long root;

    public ProcessTree(long root) {
        this.root = root;
    }

    /** The pid of the process itself. */
    public long root() {
        return root;
    }

    /** Octets of resident memory now. A page that two processes share counts twice. */
    public long resident() {
        return sum(pid -> statusKilobytes(pid, "VmRSS:") * 1024);
    }

    /** The most octets of resident memory since {@link #resetPeak} or the start; the sum of each process's own peak. */
    public long peak() {
        return sum(pid -> statusKilobytes(pid, "VmHWM:") * 1024);
    }

    /** Makes the peak of now the peak. Needs root or the same user. */
    public void resetPeak() {
        pids().forEach(pid -> {
            try {
                Files.writeString(Path.of("/proc/" + pid + "/clear_refs"), RESET_PEAK);
            } catch (IOException e) {
                // It has ended, or is another user's: then the peak is that of its whole life, which is more and never less.
            }
        });
    }

    /** Seconds of CPU time, user and system, in steps of a hundredth. */
    public double cpuSeconds() {
        return sum(ProcessTree::ticks) / TICKS;
    }

    /** Lets all threads of the processes run on some CPUs only. @param cpus as {@code taskset -c} takes them: {@code 0}, {@code 0-1} */
    public void pin(String cpus) {
        pids().forEach(pid -> Pinning.pin(pid, cpus));
    }

    private long sum(ToLongFunction<Long> value) {
        return pids().boxed().mapToLong(value).sum();
    }

    private LongStream pids() {
        return LongStream.concat(LongStream.of(root),
                ProcessHandle.of(root).map(ProcessHandle::descendants).orElseGet(Stream::empty).mapToLong(ProcessHandle::pid));
    }

    private static long statusKilobytes(long pid, String field) {
        return lines(pid, "status").stream().filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.substring(field.length()).strip().split(" ")[0])).findFirst().orElse(0);
    }

    private static long ticks(long pid) {
        List<String> stat = lines(pid, "stat");
        if (stat.isEmpty()) {
            return 0;
        }
        // Fields 14 and 15, utime and stime; the name in field 2 may hold blanks, so count from its closing bracket.
        String[] fields = stat.get(0).substring(stat.get(0).lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private static List<String> lines(long pid, String file) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/" + file));
        } catch (IOException e) {
            return List.of();
        }
    }
}
