package org.tamanoir.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The namespaces of laboratories on this machine. Each has a {@link MakerName}: {@code tamanoir-PID-START-LAB-HOST}. */
final class Namespaces {
    private static final Path DIRECTORY = Path.of("/run/netns");

    private Namespaces() {
    }

    /** All namespaces whose maker is dead. */
    static List<String> leftovers() {
        try (Stream<Path> names = Files.list(DIRECTORY)) {
            return names.map(path -> path.getFileName().toString()).filter(MakerName::isLeftover).sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new LabException("cannot list " + DIRECTORY, e);
        }
    }

    static boolean exists(String name) {
        return Files.exists(DIRECTORY.resolve(name));
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
