package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.tamanoir.benchmarks.process.ProcessTree;

/**
 * CPU time of running JVMs since their start.
 *
 * @param total     seconds of all their threads
 * @param compilers seconds of the threads that are the JVM's own: compilers, collector, VM operations. One that has ended is missing: the JVM
 *                  ends compiler threads that it does not need, where there are more than two CPUs
 */
record JvmTime(double total, double compilers) {
    static final JvmTime NONE = new JvmTime(0, 0);
    /** How HotSpot names them; the kernel keeps 15 characters ({@code proc(5)}, comm). */
    private static final List<String> OWN = List.of("C1 Compiler", "C2 Compiler", "VM Thread", "VM Periodic", "GC Thread", "Sweeper");

    static JvmTime of(LongStream pids) {
        return pids.mapToObj(pid -> new JvmTime(new ProcessTree(pid).cpuSeconds(), compilers(pid))).reduce(NONE, JvmTime::plus);
    }

    /** Seconds of the processes that this one has started and that have ended ({@code proc(5)}, fields 16 and 17 of {@code stat}), in hundredths. */
    static double ofChildren() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            // The program's name in field 2 may hold blanks: count from its closing bracket.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / 100.0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JvmTime plus(JvmTime other) {
        return new JvmTime(total + other.total, compilers + other.compilers);
    }

    JvmTime minus(JvmTime earlier) {
        return new JvmTime(total - earlier.total, compilers - earlier.compilers);
    }

    private static double compilers(long pid) {
        double seconds = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path task : tasks) {
                if (OWN.stream().anyMatch(Files.readString(task.resolve("comm"))::startsWith)) {
                    seconds += Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]) / 1e9;
                }
            }
        } catch (IOException e) {
            // A thread that ends while it is read uses no more.
        }
        return seconds;
    }
}
