package org.tamanoir.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names of the laboratory's namespaces, and how one goes. A name tells who made it: {@code tamanoir-PID-START-LAB-HOST}, where START is
 * the start time of the process in clock ticks since boot ({@code proc(5)}, field 22 of {@code stat}). A pid alone is used again by the
 * kernel; the pair is not. So leftovers of a dead run can be told from a laboratory in use.
 */
final class Namespaces {
    private static final Path DIRECTORY = Path.of("/run/netns");
    private static final Pattern NAME = Pattern.compile("tamanoir-(\\d+)-(\\d+)-\\d+-[a-z0-9-]+");
    private static final long OWN_PID = ProcessHandle.current().pid();

    private Namespaces() {
    }

    /** The name of a host of the {@code lab}-th laboratory of this process. */
    static String name(int lab, String host) {
        return "tamanoir-" + OWN_PID + "-" + startTime(OWN_PID) + "-" + lab + "-" + host;
    }

    /** All namespaces whose maker is dead. */
    static List<String> leftovers() {
        try (Stream<Path> names = Files.list(DIRECTORY)) {
            return names.map(path -> path.getFileName().toString()).filter(Namespaces::isLeftover).sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new LabException("cannot list " + DIRECTORY, e);
        }
    }

    static boolean exists(String name) {
        return Files.exists(DIRECTORY.resolve(name));
    }

    private static boolean isLeftover(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches() && startTime(Long.parseLong(matcher.group(1))) != Long.parseLong(matcher.group(2));
    }

    /** Clock ticks from boot to the start of a process, or -1 if there is none. */
    private static long startTime(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The second field is the program's name in brackets and may hold anything: count from the last bracket.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[19]);
        } catch (IOException e) {
            return -1;
        }
    }

    /**
     * Removes a namespace, with everything that runs in it: its interfaces, rules and counters go with it. Only this laboratory, or one
     * whose maker is dead, started anything there.
     */
    static void remove(String name) {
        if (!exists(name)) {
            return;
        }
        // Twice: a process that was killed may just have started another.
        for (int i = 0; i < 2; i++) {
            Command.run(List.of("ip", "netns", "pids", name)).output().lines().filter(line -> !line.isBlank())
                    .forEach(pid -> ProcessHandle.of(Long.parseLong(pid.strip())).ifPresent(ProcessHandle::destroyForcibly));
        }
        Command.run(List.of("ip", "netns", "delete", name));
    }
}
