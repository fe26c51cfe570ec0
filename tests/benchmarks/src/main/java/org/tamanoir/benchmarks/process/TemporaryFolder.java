package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A folder that goes with everything in it. */
public final class TemporaryFolder implements AutoCloseable {
    private final Path path;

    public TemporaryFolder() {
        try {
            path = Files.createTempDirectory("tamanoir-bench");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A folder in it, made if it is not there. */
    public Path folder(String name) {
        try {
            return Files.createDirectories(path.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try (var files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + path, e);
        }
    }
}
