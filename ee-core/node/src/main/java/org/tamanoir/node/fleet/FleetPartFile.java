package org.tamanoir.node.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.fleet.state.NodePart;

/**
 * {@code fleet.json} in a node's directory: the part that was in force last. A new one is written beside it before it is put in force, and takes its name when
 * it is: whenever the machine stops, the node starts again with the one or with the other.
 */
public final class FleetPartFile {
    private static final Logger LOG = LoggerFactory.getLogger(FleetPartFile.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int FORMAT = 1;

    private final Path file;
    private final Path next;
    private final Path revoked;

    /** @param directory of the node */
    public FleetPartFile(Path directory) {
        this.file = directory.resolve("fleet.json");
        this.next = directory.resolve("fleet.json.next");
        this.revoked = revocations(directory);
    }

    /** The list of what the fleet has revoked, in a directory where the trust store keeps all that it ever had; there is none until it revokes something. */
    public static Path revocations(Path directory) {
        return directory.resolve("fleet").resolve("revoked.txt");
    }

    /**
     * What was in force last.
     *
     * @return null for nothing
     * @throws AnepException EE-644 if it cannot be read; it is kept under another name
     */
    public StoredPart read() {
        try {
            return look();
        } catch (IOException e) {
            Path damaged = file.resolveSibling("fleet.json.damaged");
            try {
                Files.move(file, damaged, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException also) {
                e.addSuppressed(also);
            }
            throw new AnepException(ErrorCode.FLEET_PART_LOST, file + " cannot be read and is " + damaged.getFileName() + " now: " + AnepException.reason(e), e);
        }
    }

    /** The same for somebody who only looks. @throws IOException if it cannot be read, or is damaged */
    public StoredPart look() throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        JsonNode json = MAPPER.readTree(file.toFile());
        NodePart part = new NodePart(json.path("node").asText(), json.path("part"));
        if (json.path("format").asInt() != FORMAT || !part.values().isObject() || !part.sha256().equals(json.path("sha256").asText())) {
            throw new IOException("it is not what its digest says");
        }
        return new StoredPart(json.path("generation").asLong(), part);
    }

    /** Has a part ready. @throws AnepException EE-409 if the disk does not take it */
    public void prepare(StoredPart part) {
        ObjectNode json = MAPPER.createObjectNode().put("format", FORMAT).put("node", part.part().node()).put("generation", part.generation()).put("sha256", part.part().sha256());
        json.set("part", part.part().values());
        try {
            Durable.replace(next, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the disk does not take what the fleet says: " + AnepException.reason(e), e);
        }
    }

    /** The part that is ready is the one in force. */
    public void commit() {
        try {
            Durable.rename(next, file);
        } catch (IOException e) {
            LOG.error("{} what the fleet says is in force, and is lost when the node stops: {}", ErrorCode.STORAGE, e.toString());
        }
    }

    /** The part that is ready is not put in force. */
    public void discard() {
        try {
            Files.deleteIfExists(next);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed: {}", next, e.toString());
        }
    }

    /** Puts what the fleet has revoked where the trust store looks. @return whether that is new @throws AnepException EE-409 */
    public boolean revoke(List<String> lines) {
        StringBuilder text = new StringBuilder("# of the fleet; what the node has read once stays revoked until a line restores it\n");
        lines.forEach(line -> text.append(line).append('\n'));
        try {
            boolean same = Files.exists(revoked) ? Files.readString(revoked).contentEquals(text) : lines.isEmpty();
            if (!same) {
                Files.createDirectories(revoked.getParent());
                Durable.replace(revoked, text.toString());
            }
            return !same;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the disk does not take what the fleet revokes: " + AnepException.reason(e), e);
        }
    }
}
