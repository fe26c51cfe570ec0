package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.lab.LabException;

/**
 * A control group with processes that may use so much processor time and no more: the kernel's own bandwidth control (sched-bwc of the kernel's
 * documentation), a quota in each period of 100 ms. It goes when it is closed, when this process ends without that, and, after a kill -9, when the next one
 * is made. By then its processes must have ended.
 */
public final class CpuGroup implements AutoCloseable {
    /** What the kernel has counted since the group was made. @param periods with processes that wanted to run @param throttled those in which they had to wait */
    public record Throttling(long periods, long throttled) {
    }

    private static final int PERIOD_MICROS = 100_000;
    /** The kernel takes no quota below a millisecond. */
    private static final int LEAST_MICROS = 1_000;
    private static final AtomicInteger COUNT = new AtomicInteger();
    /** As the namespaces of a laboratory: who made it, and when that process had begun; a pid alone is used again. */
    private static final Pattern NAME = Pattern.compile("tamanoir-(\\d+)-(\\d+)-\\d+");
    private static final int PATIENCE_MILLIS = 5_000;
    private static final int POLL_MILLIS = 20;

    private final CpuHierarchy hierarchy;
    private final Path directory;
    private final Thread onExit = new Thread(this::remove, "remove the control group");

    private CpuGroup(CpuHierarchy hierarchy, Path directory) {
        this.hierarchy = hierarchy;
        this.directory = directory;
    }

    /** Makes one without a limit. @throws LabException (EE-504) if this machine has none to give; the message names the remedy */
    public static CpuGroup open() {
        CpuHierarchy hierarchy = CpuHierarchy.find(Path.of("/"));
        sweep(hierarchy.directory());
        long pid = ProcessHandle.current().pid();
        CpuGroup group = new CpuGroup(hierarchy, hierarchy.directory().resolve("tamanoir-" + pid + "-" + startTime(pid) + "-" + COUNT.incrementAndGet()));
        try {
            Files.createDirectory(group.directory);
        } catch (IOException e) {
            throw new LabException("cannot make the control group " + group.directory, e);
        }
        Runtime.getRuntime().addShutdownHook(group.onExit);
        return group;
    }

    /** Takes a process in, with all its threads; what it starts from now on is in too. */
    public void add(long pid) {
        write("cgroup.procs", Long.toString(pid));
    }

    /** @param cpus that its processes may use together: 0.2 is a fifth of one, the least is 0.01 */
    public void limit(double cpus) {
        long quota = Math.max(LEAST_MICROS, Math.round(cpus * PERIOD_MICROS));
        if (hierarchy.second()) {
            write("cpu.max", quota + " " + PERIOD_MICROS);
        } else {
            write("cpu.cfs_period_us", Integer.toString(PERIOD_MICROS));
            write("cpu.cfs_quota_us", Long.toString(quota));
        }
    }

    /** Takes the limit off. */
    public void unlimited() {
        if (hierarchy.second()) {
            write("cpu.max", "max");
        } else {
            write("cpu.cfs_quota_us", "-1");
        }
    }

    public Throttling throttling() {
        Map<String, Long> stat = new HashMap<>();
        try {
            Files.readAllLines(directory.resolve("cpu.stat")).stream().map(line -> line.split(" ")).forEach(words -> stat.put(words[0], Long.parseLong(words[1])));
        } catch (IOException e) {
            throw new LabException("cannot read the control group " + directory, e);
        }
        return new Throttling(stat.getOrDefault("nr_periods", 0L), stat.getOrDefault("nr_throttled", 0L));
    }

    private void write(String file, String value) {
        try {
            Files.writeString(directory.resolve(file), value);
        } catch (IOException e) {
            throw new LabException("the kernel does not take '" + value + "' for " + directory.resolve(file) + ": " + e.getMessage(), e);
        }
    }

    /** @throws LabException if processes are left in it after five seconds */
    private void remove() {
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        while (!removed(directory)) {
            if (System.nanoTime() - end > 0) {
                throw new LabException("the control group " + directory + " has processes that do not end");
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LabException("interrupted", e);
            }
        }
    }

    private static boolean removed(Path directory) {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (DirectoryNotEmptyException e) {
            return false;
        } catch (IOException e) {
            // EBUSY: a process that has been killed is still in it.
            return !Files.exists(directory);
        }
    }

    /** Those of processes that no longer exist; one whose own processes still run stays for the next time. */
    private static void sweep(Path parent) {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, "tamanoir-*")) {
            for (Path group : groups) {
                Matcher name = NAME.matcher(group.getFileName().toString());
                if (name.matches() && startTime(Long.parseLong(name.group(1))) != Long.parseLong(name.group(2))) {
                    removed(group);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Clock ticks from boot to the start of a process (proc(5), field 22 of stat), or -1 if there is none. */
    private static long startTime(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
        } catch (IOException e) {
            return -1;
        }
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException e) {
            // This program is ending, and the hook does the same.
        }
    }
}
