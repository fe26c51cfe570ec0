package org.tamanoir.node.worker;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process and those below it take, as the kernel says (proc(5)). */
final class ProcessTree {
    private static final int MOST_DEPTH = 64;
    private static final int KILO = 1024;

    private ProcessTree() {
    }

    /** Octets of memory that are theirs and not a file's, without what is swapped out. What ends meanwhile counts for nothing. */
    static long memory(long pid) {
        return memory(Path.of("/proc", Long.toString(pid)), 0);
    }

    private static long memory(Path process, int depth) {
        long sum = own(process);
        if (depth == MOST_DEPTH) {
            return sum;
        }
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                for (String child : Files.readString(thread.resolve("children")).split(" ")) {
                    sum += child.isBlank() ? 0 : memory(Path.of("/proc", child), depth + 1);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return sum;
        }
        return sum;
    }

    private static long own(Path process) {
        long sum = 0;
        try {
            for (String line : Files.readAllLines(process.resolve("status"))) {
                if (line.startsWith("RssAnon:") || line.startsWith("RssShmem:")) {
                    sum += Long.parseLong(line.replaceAll("[^0-9]", "")) * KILO;
                }
            }
        } catch (IOException e) {
            return sum;
        }
        return sum;
    }
}
