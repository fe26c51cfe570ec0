package org.tamanoir.node.deploy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;

/** A JSON file of the node's directory that is replaced as a whole, and survives a crash once it is written. One thread at a time. */
final class DurableJson {
    private static final Logger LOG = LoggerFactory.getLogger(DurableJson.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    DurableJson(Path file) {
        this.file = file;
        try {
            Files.deleteIfExists(Durable.part(file));
        } catch (IOException e) {
            LOG.warn("cannot delete {}, which a crash has left: {}", Durable.part(file), e.getMessage());
        }
    }

    /**
     * What the file says, or another value if there is no file.
     *
     * @throws IOException if it cannot be read as that type
     */
    <T> T read(TypeReference<T> type, T otherwise) throws IOException {
        return Files.exists(file) ? JSON.readValue(file.toFile(), type) : otherwise;
    }

    /** @throws AnepException EE-409 if the disk does not take it; the file is as it was then */
    void write(Object value) {
        try {
            Durable.replace(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(value));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
