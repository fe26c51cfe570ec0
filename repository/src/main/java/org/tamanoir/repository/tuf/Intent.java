package org.tamanoir.repository.tuf;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.tamanoir.anep.disk.Durable;

/**
 * A publication under way, as it is kept until all of it is done. It was checked before it was written down, and depends on nothing
 * but the bundle that comes first.
 *
 * @param role     whose metadata is published
 * @param metadata the file
 * @param bundle   SHA-256 of the bundle that must be in the catalogue: until it is, nothing has been published; null for none
 * @param retired  {@code NAME/VERSION} of what is no target any more
 */
record Intent(String role, byte[] metadata, String bundle, List<String> retired) {
    private static final ObjectMapper JSON = new ObjectMapper();

    static Optional<Intent> read(Path file) throws IOException {
        return Files.exists(file) ? Optional.of(JSON.readValue(file.toFile(), Intent.class)) : Optional.empty();
    }

    void write(Path file) throws IOException {
        MetadataFiles.make(file.toAbsolutePath().getParent());
        Durable.replace(file, JSON.writeValueAsBytes(this));
    }

    /** When this returns, the publication is done, or has never been. */
    static void remove(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            Durable.forceNames(file.toAbsolutePath().getParent());
        }
    }
}
