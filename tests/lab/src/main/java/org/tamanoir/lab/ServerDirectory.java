package org.tamanoir.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directory of a server that goes with it: when it is closed, or when this program ends without having done so. */
final class ServerDirectory implements AutoCloseable {
    private final Path path;
    private final Runnable end;
    private final Thread onExit;

    /** @param end ends the server, if it runs */
    ServerDirectory(String name, Runnable end) throws IOException {
        this.path = Files.createTempDirectory("tamanoir-" + name);
        this.end = end;
        this.onExit = new Thread(this::clear, "clear " + name);
        Runtime.getRuntime().addShutdownHook(onExit);
    }

    Path path() {
        return path;
    }

    private synchronized void clear() {
        end.run();
        if (Files.exists(path)) {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot remove " + path, e);
            }
        }
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException e) {
            // This program is ending, and the hook has done the same or waits for it.
        }
    }
}
