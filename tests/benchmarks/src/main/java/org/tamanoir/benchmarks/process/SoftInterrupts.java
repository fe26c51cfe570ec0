package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * CPU time of the kernel's threads for soft interrupts, from {@code schedstat} ({@code proc(5)}): they do what is not done at once when a
 * packet is sent. The rest of what a packet costs the kernel is charged to the process that sends or receives it.
 */
public final class SoftInterrupts {
    private static final Path PROC = Path.of("/proc");

    private final List<Path> threads = new ArrayList<>();

    public SoftInterrupts() {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (read(process.resolve("comm")).startsWith("ksoftirqd/")) {
                    threads.add(process.resolve("schedstat"));
                }
            }
        } catch (IOException e) {
            // They are not to be seen from here, and count for nothing.
            threads.clear();
        }
    }

    /** Nanoseconds since the start of the machine, of all CPUs. */
    public long nanos() {
        return threads.stream().map(SoftInterrupts::read).filter(ran -> !ran.isEmpty()).mapToLong(ran -> Long.parseLong(ran.split(" ")[0])).sum();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
