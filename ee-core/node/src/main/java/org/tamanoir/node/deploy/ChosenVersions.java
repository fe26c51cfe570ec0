package org.tamanoir.node.deploy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Which version of each service was current last, by its hash, in {@code services.json}: so a restart neither forgets an upgrade nor takes
 * up again what an automatic return has left. For any thread.
 */
final class ChosenVersions {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenVersions.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private final Map<Integer, String> chosen = new TreeMap<>();
    private boolean saved = true;

    ChosenVersions(Path directory) {
        file = directory.resolve("services.json");
        try {
            Files.deleteIfExists(next());
        } catch (IOException e) {
            LOG.warn("cannot delete {}, which a crash has left: {}", next(), e.getMessage());
        }
        if (Files.exists(file)) {
            try {
                chosen.putAll(JSON.readValue(file.toFile(), new TypeReference<Map<Integer, String>>() { }));
            } catch (IOException e) {
                LOG.warn("{} cannot be read; the newest versions of the store are taken: {}", file, e.getMessage());
            }
        }
    }

    /** Where the next state is written before it takes the place of the one before. */
    private Path next() {
        return file.resolveSibling("services.json.part");
    }

    /** The hash of the version, or null. */
    synchronized String of(int typeId) {
        return chosen.get(typeId);
    }

    /** Everything that was chosen. */
    synchronized Map<Integer, String> all() {
        return Map.copyOf(chosen);
    }

    /** @param bundle null for none */
    synchronized void choose(int typeId, FoundBundle bundle) {
        String before = bundle == null ? chosen.remove(typeId) : chosen.put(typeId, bundle.sha256());
        saved &= bundle == null ? before == null : bundle.sha256().equals(before);
    }

    /**
     * When this returns the choice survives a crash.
     *
     * @throws AnepException EE-409
     */
    synchronized void save() {
        if (saved) {
            return;
        }
        try {
            Path next = next();
            JSON.writerWithDefaultPrettyPrinter().writeValue(next.toFile(), chosen);
            force(next);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            force(file.getParent());
            saved = true;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
