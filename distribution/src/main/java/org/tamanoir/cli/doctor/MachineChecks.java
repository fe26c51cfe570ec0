package org.tamanoir.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.node.offload.KernelHelp;

/** This machine, whatever runs on it. */
public final class MachineChecks {
    /** A stream has two connections, and a node some files besides. */
    private static final long DESCRIPTORS = 8_192;
    private static final int OLDEST_JAVA = 17;

    private MachineChecks() {
    }

    public static List<Finding> look() {
        List<Finding> findings = new ArrayList<>(List.of(java(), Clock.look()));
        findings.addAll(kernel(KernelHelp.look()));
        findings.add(descriptors(limit("Max open files")));
        findings.add(lockedMemory(limit("Max locked memory"), System.getProperty("os.version")));
        return findings;
    }

    private static Finding java() {
        int version = Runtime.version().feature();
        String found = "Java " + Runtime.version() + ", heap of at most " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB";
        return version < OLDEST_JAVA ? Finding.wrong("java", found, "install openjdk-17-jre-headless") : Finding.ok("java", found);
    }

    /** What is missing, and what it costs. */
    static List<Finding> kernel(KernelHelp help) {
        List<Finding> findings = new ArrayList<>();
        if (help.datagrams() == null && help.connections() == null) {
            findings.add(Finding.ok("kernel", "light rules run in the kernel, for UDP and TCP"));
        }
        if (help.datagrams() != null) {
            findings.add(Finding.warn("kernel", "light rules over UDP run in the node, at several times the cost of a packet", help.datagrams()));
        }
        if (help.connections() != null) {
            findings.add(Finding.warn("kernel", "light TCP streams (port 3323) are not forwarded", help.connections()));
        }
        return findings;
    }

    static Finding descriptors(long most) {
        String found = most == Long.MAX_VALUE ? "open files without a limit" : most + " open files";
        return most < DESCRIPTORS ? Finding.warn("limits", found + ": enough for about " + Math.max(0, most - 200) / 2 + " streams",
                "raise it: ulimit -n 65536, or LimitNOFILE=65536 in the unit") : Finding.ok("limits", found);
    }

    /**
     * Only BPF programs and their maps have ever been counted as locked memory here, and since Linux 5.11 they are counted with the control group.
     *
     * @param most    octets
     * @param release of the kernel, such as 6.1.0-35-amd64
     */
    static Finding lockedMemory(long most, String release) {
        String found = most == Long.MAX_VALUE ? "locked memory without a limit" : (most >> 10) + " KiB of locked memory";
        Matcher version = Pattern.compile("(\\d+)\\.(\\d+).*").matcher(release);
        boolean counts = version.matches() && Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2)) < 5_011;
        if (!counts) {
            return Finding.ok("limits", found + ", which nothing here needs: Linux " + release + " does not count BPF as that");
        }
        return most == Long.MAX_VALUE ? Finding.ok("limits", found)
                : Finding.warn("limits", found + ": Linux " + release + " counts BPF as that, and may refuse the kernel path",
                        "take the limit away: LimitMEMLOCK=infinity in the unit, or ulimit -l unlimited; or kernel: {use: off}");
    }

    /** The hard limit of this process, which programs that it starts may use. */
    private static long limit(String name) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (line.startsWith(name)) {
                    String hard = line.substring(name.length()).strip().split("\\s+")[1];
                    return hard.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(hard);
                }
            }
        } catch (IOException e) {
            // Not Linux: there is no such limit to be read.
        }
        return Long.MAX_VALUE;
    }
}
