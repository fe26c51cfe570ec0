package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.tamanoir.lab.Command;

/**
 * A process and its descendants (nginx serves by its children), summed. Source: {@code proc(5)}.
 *
 * @param root the pid of the process itself
 */
public record ProcessTree(long root) {
    /** Ticks of user and system time in a second as {@code /proc} counts them: USER_HZ, 100 on every architecture that Debian has. */
    private static final double TICKS = 100;
    /** After this the peak is counted anew ({@code proc(5)}, clear_refs). */
    private static final String RESET_PEAK = "5";

    /** All CPUs of this machine, as {@code taskset -c} takes them. */
    public static String allCpus() {
        int count = Runtime.getRuntime().availableProcessors();
        return count == 1 ? "0" : "0-" + (count - 1);
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

    /** Lets all threads of the processes run on some CPUs only; one that has just ended is no error. @param cpus as {@code taskset -c} takes them */
    public void pin(String cpus) {
        pids().forEach(pid -> Command.tryRun(List.of("taskset", "--all-tasks", "--cpu-list", "--pid", cpus, Long.toString(pid)), null,
                Duration.ofSeconds(10)));
    }

    private long sum(LongUnaryOperator value) {
        return pids().map(value).sum();
    }

    LongStream pids() {
        return LongStream.concat(LongStream.of(root),
                ProcessHandle.of(root).map(ProcessHandle::descendants).orElseGet(Stream::empty).mapToLong(ProcessHandle::pid));
    }

    private static long statusKilobytes(long pid, String field) {
        return lines(pid, "status").stream().filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.substring(field.length()).strip().split(" ")[0])).findFirst().orElse(0);
    }

    private static long ticks(long pid) {
        // Fields 14 and 15, utime and stime; the name in field 2 may hold blanks, so count from its closing bracket.
        return lines(pid, "stat").stream().map(stat -> stat.substring(stat.lastIndexOf(')') + 2).split(" "))
                .mapToLong(fields -> Long.parseLong(fields[11]) + Long.parseLong(fields[12])).sum();
    }

    private static List<String> lines(long pid, String file) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/" + file));
        } catch (IOException e) {
            return List.of();
        }
    }
}
