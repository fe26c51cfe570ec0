package org.tamanoir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Standard input as a file, for a command that has to know the size and read it more than once: written into a directory of its own in
 * {@code TMPDIR}, preset /tmp, which nobody else can look into, and removed with it.
 */
final class StandardInput implements AutoCloseable {
    /** Octets that are read at a time. */
    private static final int BUFFER = 1 << 18;

    private final Path directory;
    private final Path file;

    private StandardInput(Path directory, Path file) {
        this.directory = directory;
        this.file = file;
    }

    /**
     * Reads until the end.
     *
     * @param name of the file, one part of a path
     * @param err  where a terminal is shown how much has come
     * @throws AnepException EE-408 for a name that no file can have, EE-409 if what comes cannot be kept
     */
    static StandardInput read(InputStream in, String name, PrintWriter err) {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.codePoints().anyMatch(each -> each == '/' || Character.isISOControl(each))) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "--name: '" + name.replaceAll("\\p{Cntrl}", "?") + "' cannot be the name of a file");
        }
        String place = System.getenv().getOrDefault("TMPDIR", System.getProperty("java.io.tmpdir"));
        StandardInput input = null;
        try {
            Path directory = Files.createTempDirectory(Path.of(place), "tamanoir-input");
            input = new StandardInput(directory, directory.resolve(name));
            // For a signal before the command has an answer to it; in this order, the last one first.
            directory.toFile().deleteOnExit();
            input.file.toFile().deleteOnExit();
            copy(in, input.file, err);
            return input;
        } catch (IOException e) {
            if (input != null) {
                input.close();
            }
            throw new AnepException(ErrorCode.STORAGE, "standard input cannot be kept in '" + place + "': "
                    + AnepException.reason(e) + "; TMPDIR names another directory", e);
        }
    }

    private static void copy(InputStream in, Path file, PrintWriter err) throws IOException {
        LongAdder octets = new LongAdder();
        Progress progress = new Progress(err, octets::sum, 0);
        try (progress; OutputStream out = Files.newOutputStream(file)) {
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                octets.add(read);
            }
        }
    }

    Path file() {
        return file;
    }

    /** Removes it. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            // It is tried again when the process ends.
        }
    }
}
