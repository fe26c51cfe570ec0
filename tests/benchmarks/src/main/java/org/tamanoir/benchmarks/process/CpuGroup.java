package org.tamanoir.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MakerName;
import org.tamanoir.lab.Waiting;

/**
 * A control group with processes that may use so much processor time and no more: the kernel's own bandwidth control (sched-bwc of the kernel's
 * documentation), a quota in each period of 100 ms. It goes when it is closed, when this process ends without that, and, after a kill -9, when the next one
 * is made. By then its processes must have ended.
 */
public final class CpuGroup implements AutoCloseable {
    private static final int PERIOD_MICROS = 100_000;
    /** The kernel takes no quota below a millisecond. */
    private static final int LEAST_MICROS = 1_000;
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int POLL_MILLIS = 20;
    /** As the kernel has it: fifteen octets. */
    private static final Pattern COMPILER = Pattern.compile("C[12] CompilerThre.*");

    /**
     * Where this machine has control groups that share out processor time (cgroups(7)): the hierarchy of the controller cpu of version 1, or that of
     * version 2, in which the controller must be on for the children of its root.
     *
     * @param directory that a group is made in
     * @param second    whether it is version 2
     */
    record Hierarchy(Path directory, boolean second) {
        private static final String CONTROLLER = "cpu";

        /** @throws LabException (EE-504) that says what is missing */
        static Hierarchy find(Path root) {
            List<String[]> mounts = lines(root.resolve("proc/self/mounts")).map(line -> line.split(" ")).filter(words -> words.length > 3).toList();
            for (String[] mount : mounts) {
                // DEVICE DIRECTORY TYPE OPTIONS
                if (mount[2].equals("cgroup") && has(mount[3])) {
                    return new Hierarchy(own(root, below(root, mount[1])), false).writable();
                }
            }
            for (String[] mount : mounts) {
                Path directory = below(root, mount[1]);
                if (mount[2].equals("cgroup2") && lines(directory.resolve("cgroup.subtree_control")).anyMatch(line -> has(line.replace(' ', ',')))) {
                    return new Hierarchy(directory, true).writable();
                }
            }
            throw new LabException(ErrorCode.MISSING_TOOL + " no control group can cap processor time here: version 1 needs its controller cpu mounted, version 2 "
                    + "'echo +cpu > /sys/fs/cgroup/cgroup.subtree_control'");
        }

        private static boolean has(String controllers) {
            return Arrays.asList(controllers.split(",")).contains(CONTROLLER);
        }

        /** The group of this process in the hierarchy of version 1, so that what it is held to holds for its children as well; the root if that is not seen. */
        private static Path own(Path root, Path hierarchy) {
            return lines(root.resolve("proc/self/cgroup")).map(line -> line.split(":", 3)).filter(parts -> parts.length == 3 && has(parts[1]))
                    .map(parts -> hierarchy.resolve(parts[2].replaceFirst("^/+", ""))).filter(Files::isDirectory).findFirst().orElse(hierarchy);
        }

        private Hierarchy writable() {
            if (!Files.isWritable(directory)) {
                throw new LabException(ErrorCode.MISSING_TOOL + " no control group can be made in " + directory
                        + ": run it as root, where that is not read-only");
            }
            return this;
        }

        private static Path below(Path root, String absolute) {
            return root.resolve(absolute.substring(1));
        }

        private static Stream<String> lines(Path file) {
            try {
                return Files.readAllLines(file).stream();
            } catch (IOException e) {
                return Stream.empty();
            }
        }
    }

    private final Hierarchy hierarchy = Hierarchy.find(Path.of("/"));
    private final Path directory = hierarchy.directory().resolve(MakerName.of(Integer.toString(COUNT.incrementAndGet())));
    private final Thread onExit = new Thread(this::remove, "remove the control group");

    private CpuGroup() {
        sweep(hierarchy.directory());
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            throw new LabException("cannot make the control group " + directory, e);
        }
        Runtime.getRuntime().addShutdownHook(onExit);
    }

    /** Makes one without a limit. @throws LabException (EE-504) if this machine has none to give; the message names the remedy */
    public static CpuGroup open() {
        return new CpuGroup();
    }

    Path directory() {
        return directory;
    }

    /** Takes a process in, with all its threads; what it starts from now on is in too. */
    public void add(long pid) {
        write("cgroup.procs", Long.toString(pid));
    }

    /**
     * Takes the compilers of a JVM out, which would use a third of a small cap for minutes. In version 2 they stay in: there a group that is not a threaded one
     * has all threads of a process.
     */
    public void releaseCompilers(long pid) {
        if (!hierarchy.second()) {
            threads("/proc/" + pid + "/task").filter(thread -> COMPILER.matcher(name(thread)).matches()).forEach(thread -> write(hierarchy.directory().resolve("tasks"), thread));
        }
    }

    private static Stream<String> threads(String directory) {
        String[] threads = new File(directory).list();
        return Stream.of(threads == null ? new String[0] : threads);
    }

    private static String name(String thread) {
        return Hierarchy.lines(Path.of("/proc", thread, "comm")).findFirst().orElse("");
    }

    /** What the threads that are in it have used. */
    public CpuTime time() {
        return CpuTime.ofThreads(Hierarchy.lines(directory.resolve(hierarchy.second() ? "cgroup.threads" : "tasks")).mapToLong(Long::parseLong));
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
        write(hierarchy.second() ? "cpu.max" : "cpu.cfs_quota_us", hierarchy.second() ? "max" : "-1");
    }

    private void write(String file, String value) {
        write(directory.resolve(file), value);
    }

    private static void write(Path file, String value) {
        try {
            Files.writeString(file, value);
        } catch (IOException e) {
            throw new LabException("the kernel does not take '" + value + "' for " + file + ": " + e.getMessage(), e);
        }
    }

    /** @throws LabException if processes are left in it after five seconds */
    private void remove() {
        Waiting.until(PATIENCE, POLL_MILLIS, () -> removed(directory), gone -> gone,
                gone -> "the control group " + directory + " has processes that do not end");
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
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, group -> MakerName.isLeftover(group.getFileName().toString()))) {
            groups.forEach(CpuGroup::removed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
