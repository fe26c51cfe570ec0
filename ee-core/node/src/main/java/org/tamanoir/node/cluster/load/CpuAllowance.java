package org.tamanoir.node.cluster.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many processors this process may use at once: those that it may run on, or less if a quota of its control group or of one above it says so
 * ({@code cpu.max} of cgroup v2, {@code cpu.cfs_quota_us} of v1).
 */
final class CpuAllowance {
    private static final String MAX = "max";

    private final Path groups;
    private final Path hierarchy;

    /** @param root of the file system: {@code /}, or a directory that stands for it */
    CpuAllowance(Path root) {
        this.groups = root.resolve("proc/self/cgroup");
        this.hierarchy = root.resolve("sys/fs/cgroup");
    }

    /**
     * @param processors that it may run on
     * @return more than 0 and at most that
     */
    double cpus(int processors) {
        double cpus = processors;
        try {
            for (String line : Files.readAllLines(groups)) {
                // cgroups(7): hierarchy, controllers, path.
                String[] parts = line.split(":", 3);
                if (parts.length == 3 && (parts[1].isEmpty() || Arrays.asList(parts[1].split(",")).contains("cpu"))) {
                    cpus = Math.min(cpus, smallest(mounts(parts[1]), parts[2]));
                }
            }
        } catch (IOException e) {
            // Without control groups there are no quotas.
            return processors;
        }
        return cpus;
    }

    private List<Path> mounts(String controllers) {
        return controllers.isEmpty() ? List.of(hierarchy, hierarchy.resolve("unified"))
                : List.of(hierarchy.resolve(controllers), hierarchy.resolve("cpu"));
    }

    /** Of the group and all above it; a container may see the upper ones only. */
    private static double smallest(List<Path> mounts, String group) {
        double smallest = Double.MAX_VALUE;
        for (Path mount : mounts) {
            for (Path directory : upTo(mount, group)) {
                smallest = Math.min(smallest, quota(directory));
            }
        }
        return smallest;
    }

    private static List<Path> upTo(Path mount, String group) {
        List<Path> directories = new ArrayList<>();
        Path directory = mount.resolve(group.replaceFirst("^/+", "")).normalize();
        while (directory.startsWith(mount)) {
            directories.add(directory);
            directory = directory.getParent();
        }
        return directories;
    }

    private static double quota(Path directory) {
        try {
            if (Files.isReadable(directory.resolve("cpu.max"))) {
                String[] words = text(directory.resolve("cpu.max")).split(" ");
                return words[0].equals(MAX) ? Double.MAX_VALUE : ratio(words[0], words[1]);
            }
            if (Files.isReadable(directory.resolve("cpu.cfs_quota_us"))) {
                return ratio(text(directory.resolve("cpu.cfs_quota_us")), text(directory.resolve("cpu.cfs_period_us")));
            }
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            // A group that goes away while it is read has no quota any more.
            return Double.MAX_VALUE;
        }
        return Double.MAX_VALUE;
    }

    /** A quota of v1 that is not set is -1. */
    private static double ratio(String quota, String period) {
        double microseconds = Double.parseDouble(quota);
        return microseconds <= 0 ? Double.MAX_VALUE : microseconds / Double.parseDouble(period);
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file).strip();
    }
}
