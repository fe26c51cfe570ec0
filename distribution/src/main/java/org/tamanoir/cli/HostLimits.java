package org.tamanoir.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.paths.advisor.KernelLimits;
import org.tamanoir.paths.advisor.KernelLimits.Triple;

/**
 * The kernel's limits of the windows of TCP, and a file of sysctl.d(5) that raises them for good. The file remembers what they were, so that it can be taken back,
 * by whomever and after any number of starts of the machine.
 */
final class HostLimits {
    private static final String WAS = "# was ";
    private static final String IS = " = ";
    private static final String FILE = "etc/sysctl.d/60-tamanoir-windows.conf";

    private final Path root;

    /** @param root of the file system, another one than {@code /} for tests */
    HostLimits(Path root) {
        this.root = root;
    }

    Path file() {
        return root.resolve(FILE);
    }

    /** What holds now. @throws AnepException EE-407 if this is no Linux, or a namespace that cannot see them */
    KernelLimits today() {
        return new KernelLimits(Triple.parse(read("net.ipv4.tcp_rmem")), Triple.parse(read("net.ipv4.tcp_wmem")), Long.parseLong(read("net.core.rmem_max")),
                Long.parseLong(read("net.core.wmem_max")));
    }

    private Path path(String key) {
        return root.resolve("proc/sys").resolve(key.replace('.', '/'));
    }

    private String read(String key) {
        // In one read: the kernel has nothing more to say after the first.
        try (BufferedReader file = Files.newBufferedReader(path(key))) {
            return String.join(" ", file.readLine().strip().split("\\s+"));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the kernel does not say " + key + ": " + AnepException.reason(e), e);
        }
    }

    private void set(String key, String value) {
        try {
            Files.writeString(path(key), value);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, key + " cannot be set, which needs root: " + AnepException.reason(e), e);
        }
    }

    /**
     * Sets limits, now and at each start of the machine. If one cannot be set all are as they were.
     *
     * @param lines as sysctl.d has them
     * @param why   stands in the file
     * @throws AnepException EE-409 if this user may not
     */
    void apply(List<String> lines, String why) {
        Map<String, String> was = was();
        Map<String, String> set = settings();
        Map<String, String> before = new LinkedHashMap<>();
        for (String line : lines) {
            String key = line.substring(0, line.indexOf(IS));
            before.put(key, read(key));
            was.putIfAbsent(key, before.get(key));
            set.put(key, line.substring(line.indexOf(IS) + IS.length()));
        }
        List<String> text = new ArrayList<>(List.of("# By 'tamanoir host check --apply': " + why + ".", "# 'tamanoir host check --undo' takes it back."));
        was.forEach((key, value) -> text.add(WAS + key + IS + value));
        set.forEach((key, value) -> text.add(key + IS + value));
        byte[] old = Files.exists(file()) ? content().getBytes(StandardCharsets.UTF_8) : null;
        write((String.join("\n", text) + "\n").getBytes(StandardCharsets.UTF_8));
        List<String> done = new ArrayList<>();
        try {
            for (String key : before.keySet()) {
                set(key, set.get(key));
                done.add(key);
            }
        } catch (AnepException e) {
            done.forEach(key -> set(key, before.get(key)));
            if (old == null) {
                delete();
            } else {
                write(old);
            }
            throw e;
        }
    }

    /** Takes everything back that was applied, but what somebody has set otherwise since. @return what it is again; nothing if nothing was applied */
    Map<String, String> undo() {
        Map<String, String> again = new LinkedHashMap<>();
        Map<String, String> set = settings();
        was().forEach((key, value) -> {
            if (read(key).equals(set.get(key))) {
                set(key, value);
                again.put(key, value);
            }
        });
        delete();
        return again;
    }

    /** Whether the file is there. */
    boolean isApplied() {
        return Files.exists(file());
    }

    private Map<String, String> was() {
        return pairs(WAS);
    }

    private Map<String, String> settings() {
        return pairs("net.");
    }

    /** Settings of lines that begin so. */
    private Map<String, String> pairs(String beginning) {
        Map<String, String> found = new LinkedHashMap<>();
        if (isApplied()) {
            content().lines().filter(line -> line.startsWith(beginning) && line.contains(IS)).map(line -> line.startsWith(WAS) ? line.substring(WAS.length()) : line)
                    .forEach(line -> found.put(line.substring(0, line.indexOf(IS)), line.substring(line.indexOf(IS) + IS.length())));
        }
        return found;
    }

    private String content() {
        try {
            return Files.readString(file());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'" + file() + "' cannot be read: " + AnepException.reason(e), e);
        }
    }

    private void write(byte[] content) {
        try {
            Files.createDirectories(file().getParent());
            Durable.replace(file(), content);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'" + file() + "' cannot be written, which needs root: " + AnepException.reason(e), e);
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(file());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'" + file() + "' cannot be removed, which needs root: " + AnepException.reason(e), e);
        }
    }
}
