package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.LabException;

/**
 * Where this machine has control groups that share out processor time (cgroups(7)): the hierarchy of the controller cpu of version 1, or that of
 * version 2, in which the controller must be on for the children of its root.
 *
 * @param directory that a group is made in
 * @param second    whether it is version 2
 */
record CpuHierarchy(Path directory, boolean second) {
    private static final String CONTROLLER = "cpu";

    /** @throws LabException (EE-504) that says what is missing */
    static CpuHierarchy find(Path root) {
        List<String[]> mounts = lines(root.resolve("proc/self/mounts")).stream().map(line -> line.split(" ")).filter(words -> words.length > 3).toList();
        for (String[] mount : mounts) {
            // DEVICE DIRECTORY TYPE OPTIONS
            if (mount[2].equals("cgroup") && Arrays.asList(mount[3].split(",")).contains(CONTROLLER)) {
                return new CpuHierarchy(own(root, below(root, mount[1])), false).writable();
            }
        }
        for (String[] mount : mounts) {
            Path directory = below(root, mount[1]);
            if (mount[2].equals("cgroup2") && words(directory.resolve("cgroup.subtree_control")).contains(CONTROLLER)) {
                return new CpuHierarchy(directory, true).writable();
            }
        }
        throw new LabException(ErrorCode.MISSING_TOOL + " no control group can cap processor time here: version 1 needs its controller cpu mounted, version 2 "
                + "'echo +cpu > /sys/fs/cgroup/cgroup.subtree_control'");
    }

    /** The group of this process in the hierarchy of version 1, so that what it is held to holds for its children as well; the root if that is not seen. */
    private static Path own(Path root, Path hierarchy) {
        return lines(root.resolve("proc/self/cgroup")).stream().map(line -> line.split(":", 3)).filter(parts -> parts.length == 3
                && Arrays.asList(parts[1].split(",")).contains(CONTROLLER)).map(parts -> hierarchy.resolve(parts[2].replaceFirst("^/+", "")))
                .filter(Files::isDirectory).findFirst().orElse(hierarchy);
    }

    private CpuHierarchy writable() {
        if (!Files.isWritable(directory)) {
            throw new LabException(ErrorCode.MISSING_TOOL + " no control group can be made in " + directory + ": run it as root, where that is not read-only");
        }
        return this;
    }

    private static Path below(Path root, String absolute) {
        return root.resolve(absolute.substring(1));
    }

    private static List<String> words(Path file) {
        return lines(file).stream().flatMap(line -> Stream.of(line.split(" "))).toList();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }
}
