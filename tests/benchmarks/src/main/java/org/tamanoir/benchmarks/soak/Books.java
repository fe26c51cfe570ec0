package org.tamanoir.benchmarks.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Reads what the processes of a soak have written. */
final class Books {
    private Books() {
    }

    static <T> T read(Path file, Class<T> type) {
        try {
            return new ObjectMapper().readValue(file.toFile(), type);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
