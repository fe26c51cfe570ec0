package org.tamanoir.cli.tuf;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.client.Update;
import org.tamanoir.tuf.format.Bounds;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.MetaFile;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Snapshot;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.sign.RootDraft;

/** What a repository has published by TUF, and how to publish more there. */
public final class MetadataServer {
    private final HttpFetch http;

    /** @param http of the repository, with a token if one is needed */
    public MetadataServer(HttpFetch http) {
        this.http = http;
    }

    /** A file of metadata; empty if there is none. */
    Optional<byte[]> file(String name, int most) {
        try {
            return Optional.of(http.bytes("/tuf/" + name, most));
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.NO_METADATA) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Whether it publishes by TUF: it has a first root. */
    public boolean isActive() {
        return file("1.root.json", Bounds.ROOT).isPresent();
    }

    /** What the newest snapshot names. Nothing of it is verified. @throws AnepException EE-429 if there is none */
    Snapshot snapshot() {
        byte[] timestamp = file(RoleName.TIMESTAMP + ".json", Bounds.TIMESTAMP).orElseThrow(() -> new AnepException(ErrorCode.NO_METADATA,
                http.base() + " has a root and no targets: whoever signs them publishes them with 'repository tuf publish'"));
        return Metadata.snapshot(named(RoleName.SNAPSHOT, Metadata.timestamp(timestamp).signed().snapshot(), Bounds.SNAPSHOT)).signed();
    }

    /** What a role says. Nothing of it is verified. */
    Metadata<Targets> targets(String role, MetaFile named) {
        return Metadata.targets(named(role, named, Bounds.TARGETS));
    }

    private byte[] named(String role, MetaFile named, int most) {
        String name = named.version() + "." + role + ".json";
        return file(name, most).orElseThrow(() -> new AnepException(ErrorCode.METADATA_MISMATCH, http.base() + " names " + name + " and does not have it"));
    }

    /** Everything that it has published, verified from a root on. @throws AnepException EE-420 to EE-424, EE-429 */
    public Catalogue verified(TrustedSet root) {
        Update update = new Update(root, Instant.now());
        for (Update.Ask ask = update.next(); ask != null; ask = update.next()) {
            Optional<byte[]> octets = file(ask.file(), ask.most());
            if (octets.isPresent()) {
                update.got(octets.get());
            } else {
                update.missing();
            }
        }
        return update.catalogue();
    }

    /** The roots after one that is known, verified. */
    TrustedSet roots(TrustedSet known) {
        TrustedSet last = known;
        for (int i = 0; i < 1_000; i++) {
            Optional<byte[]> next = file(last.root().version() + 1 + ".root.json", Bounds.ROOT);
            if (next.isEmpty()) {
                break;
            }
            last = last.withRoot(next.get());
        }
        return last;
    }

    /** Has the repository make keys for timestamp and snapshot, by the role. */
    public Map<String, Key> makeKeys() {
        JsonNode made = http.post("/tuf/keys", Map.of());
        Map<String, Key> keys = new LinkedHashMap<>();
        for (String role : new String[] {RoleName.TIMESTAMP, RoleName.SNAPSHOT}) {
            JsonNode key = made.path(role).path("key");
            RootDraft draft = new RootDraft(Instant.now());
            draft.addKey(role, new Key(made.path(role).path("id").asText(), key.path("keytype").asText(), key.path("scheme").asText(),
                    key.path("keyval").path("public").asText(), null));
            Key read = Metadata.root(draft.octets()).signed().role(role).keys().get(0);
            if (read.key() == null) {
                throw new AnepException(ErrorCode.BAD_METADATA, http.base() + " has made a key of a kind that is not known here");
            }
            keys.put(role, Key.of(read.key()).orElseThrow());
        }
        return keys;
    }

    /** Publishes a root. @throws AnepException what the repository says */
    public void putRoot(byte[] octets) {
        http.put("/tuf/root", octets, 1 << 16);
    }

    /**
     * Publishes what a role says next.
     *
     * @param file that it lists and that is not there yet; null for none
     * @throws AnepException what the repository says
     */
    public void putRole(String role, byte[] metadata, Path file) {
        Path body = null;
        try {
            body = Files.createTempFile("tamanoir-role", ".part");
            if (file != null) {
                Files.copy(file, body, StandardCopyOption.REPLACE_EXISTING);
            }
            try (FileChannel channel = FileChannel.open(body, StandardOpenOption.APPEND)) {
                ByteBuffer octets = ByteBuffer.wrap(metadata);
                while (octets.hasRemaining()) {
                    channel.write(octets);
                }
            }
            http.put("/tuf/roles/" + HttpFetch.segment(role) + "?metadata=" + metadata.length + (file == null ? "" : "&file=1"), body);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what is to be published cannot be put together: " + AnepException.reason(e), e);
        } finally {
            if (body != null) {
                body.toFile().delete();
            }
        }
    }
}
