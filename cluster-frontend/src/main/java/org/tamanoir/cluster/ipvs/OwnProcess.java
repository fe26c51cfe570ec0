package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Processes as proc(5) tells of them: whether one is the one that was started, and not another that has its pid by now. */
final class OwnProcess {
    private OwnProcess() {
    }

    /** When a process started, in clock ticks after boot; -1 if there is none. */
    static long started(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The second field is the program's name in brackets and may hold anything: count from the last bracket.
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
        } catch (IOException e) {
            return -1;
        }
    }

    /** Whether a process is a keepalived with this configuration: its command line names the file, and no other's does. */
    static boolean runs(long pid, Path configuration) {
        try {
            List<String> words = Arrays.asList(Files.readString(Path.of("/proc/" + pid + "/cmdline")).split("\0"));
            return !words.isEmpty() && Path.of(words.get(0)).endsWith("keepalived") && words.contains("--use-file=" + configuration);
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** What keepalived has written into a pid file; -1 if there is none. */
    static long pid(Path file) {
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    /** An identifier of this boot of the machine: pids and start times begin anew with another. */
    static String boot() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
