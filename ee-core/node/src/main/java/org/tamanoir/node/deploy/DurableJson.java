package org.tamanoir.node.deploy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A JSON file of the node's directory that is replaced as a whole, and survives a crash once it is written. One thread at a time. */
final class DurableJson {
    private static final Logger LOG = LoggerFactory.getLogger(DurableJson.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    DurableJson(Path file) {
        this.file = file;
        try {
            Files.deleteIfExists(next());
        } catch (IOException e) {
            LOG.warn("cannot delete {}, which a crash has left: {}", next(), e.getMessage());
        }
    }

    /** Where the next state is written before it takes the place of the one before. */
    private Path next() {
        return file.resolveSibling(file.getFileName() + ".part");
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
            Path next = next();
            JSON.writerWithDefaultPrettyPrinter().writeValue(next.toFile(), value);
            force(next);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            force(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
