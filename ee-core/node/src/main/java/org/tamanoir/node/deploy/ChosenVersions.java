package org.tamanoir.node.deploy;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;

/**
 * Which version of each service was current last, by its hash, in {@code services.json}: so a restart neither forgets an upgrade nor takes
 * up again what an automatic return has left. For any thread.
 */
final class ChosenVersions {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenVersions.class);

    private final DurableJson file;
    private final Map<Integer, String> chosen = new TreeMap<>();
    private boolean saved = true;

    ChosenVersions(Path directory) {
        file = new DurableJson(directory.resolve("services.json"));
        try {
            chosen.putAll(file.read(new TypeReference<Map<Integer, String>>() { }, Map.of()));
        } catch (IOException e) {
            LOG.warn("{} cannot be read; the newest versions of the store are taken: {}", file, e.getMessage());
        }
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
        if (!saved) {
            file.write(chosen);
            saved = true;
        }
    }
}
