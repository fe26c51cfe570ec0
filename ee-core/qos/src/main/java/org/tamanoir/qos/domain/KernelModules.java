package org.tamanoir.qos.domain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.qos.domain.Domain.Queue;

/** Which kinds of queues the kernel has or can load, found without changing anything. */
public final class KernelModules {
    private final Path system;

    /** @param system the root of the file system: {@code /} */
    public KernelModules(Path system) {
        this.system = system;
    }

    /** The kinds that there are. */
    public Set<Queue.Kind> queues() {
        return Arrays.stream(Queue.Kind.values()).filter(this::has).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether there is one: as a module, built in, or loaded. What is in every kernel with queues is taken to be there. */
    private boolean has(Queue.Kind kind) {
        if (kind == Queue.Kind.PFIFO || kind == Queue.Kind.BFIFO) {
            return true;
        }
        Path modules = system.resolve("lib/modules").resolve(System.getProperty("os.version"));
        return Stream.of("modules.builtin", "modules.dep").anyMatch(list -> holds(modules.resolve(list), List.of("/sch_" + kind.text() + ".ko")))
                || holds(system.resolve("proc/kallsyms"), List.of(" " + kind.text() + "_enqueue", " " + kind.text() + "_init"));
    }

    /** Whether a line of a file holds one of some texts; false if there is no such file. */
    private static boolean holds(Path file, List<String> texts) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> texts.stream().anyMatch(line::contains));
        } catch (IOException e) {
            return false;
        }
    }
}
