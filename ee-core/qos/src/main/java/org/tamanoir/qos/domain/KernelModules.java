package org.tamanoir.qos.domain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Which kinds of queues the kernel has or can load, found without changing anything. */
public final class KernelModules {
    private final Path system;

    /** @param system the root of the file system: {@code /} */
    public KernelModules(Path system) {
        this.system = system;
    }

    /** Whether there is fq_codel (RFC 8290): as a module, built in, or loaded. */
    public boolean hasFairQueue() {
        Path modules = system.resolve("lib/modules").resolve(System.getProperty("os.version"));
        return Stream.of("modules.builtin", "modules.dep").anyMatch(list -> holds(modules.resolve(list), List.of("/sch_fq_codel.ko")))
                || holds(system.resolve("proc/kallsyms"), List.of(" fq_codel_enqueue", " fq_codel_init"));
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
