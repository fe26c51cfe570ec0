package org.tamanoir.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names that tell which process has made something that outlives a process: {@code tamanoir-PID-START-REST}, where START is the start time of the
 * process in clock ticks since boot ({@code proc(5)}, field 22 of {@code stat}). A pid alone is used again by the kernel; the pair is not. So
 * leftovers of a dead run can be told from what is in use.
 */
public final class MakerName {
    private static final Pattern NAME = Pattern.compile("tamanoir-(\\d+)-(\\d+)-\\d+(-[a-z0-9-]+)?");

    private MakerName() {
    }

    /** Of this process. @param rest a number, and perhaps {@code -} and a word */
    public static String of(String rest) {
        long pid = ProcessHandle.current().pid();
        return "tamanoir-" + pid + "-" + startTime(pid) + "-" + rest;
    }

    /** Whether it is such a name, and its maker is dead. */
    public static boolean isLeftover(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches() && startTime(Long.parseLong(matcher.group(1))) != Long.parseLong(matcher.group(2));
    }

    /** Clock ticks from boot to the start of a process, or -1 if there is none. */
    private static long startTime(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The second field is the program's name in brackets and may hold anything: count from the last bracket.
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
        } catch (IOException e) {
            return -1;
        }
    }
}
