package org.tamanoir.repository.store.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.repository.store.BundleFacts;

/** What is known of bundles, in a directory, by their SHA-256: so an index is made when the registry is away. All of it can be had from the bundles again. */
final class Facts {
    private static final Logger LOG = LoggerFactory.getLogger(Facts.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path directory;
    private final Map<String, BundleFacts> known = new ConcurrentHashMap<>();

    Facts(Path directory) throws IOException {
        this.directory = directory;
        Files.createDirectories(directory);
    }

    /** Removes those of bundles that are not published. */
    void retain(Set<String> sha256) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (!sha256.contains(file.getFileName().toString().replace(".json", ""))) {
                    Files.delete(file);
                }
            }
        }
        known.keySet().retainAll(sha256);
    }

    /** Empty if nothing is known. */
    Optional<BundleFacts> find(String sha256) {
        BundleFacts facts = known.get(sha256);
        if (facts == null && Files.exists(file(sha256))) {
            try {
                JsonNode root = MAPPER.readTree(Files.readAllBytes(file(sha256)));
                facts = BundleFacts.of(root.path("manifest").binaryValue(), root.path("signed").asText());
                known.put(sha256, facts);
            } catch (IOException | RuntimeException e) {
                LOG.warn("what is known of the bundle {} cannot be read; it is looked at again", sha256, e);
            }
        }
        return Optional.ofNullable(facts);
    }

    /** @param bundle of this SHA-256 */
    BundleFacts learn(String sha256, Path bundle) throws IOException {
        BundleFacts facts = BundleFacts.of(bundle);
        Durable.replace(file(sha256), MAPPER.writeValueAsBytes(MAPPER.createObjectNode().put("manifest", facts.manifestOctets()).put("signed", facts.signedText())));
        known.put(sha256, facts);
        return facts;
    }

    private Path file(String sha256) {
        return directory.resolve(sha256 + ".json");
    }
}
