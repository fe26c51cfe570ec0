package org.tamanoir.repository;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Manifest;
import org.tamanoir.anep.AnepException;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.store.Entry;

/** What runs the services of a repository; read off each bundle's manifest once. Any thread. */
final class Runtimes {
    private static final String LEVEL_OF_MODULES = "heavy";

    private final BundleStore store;
    private final Map<String, Optional<String>> known = new ConcurrentHashMap<>();

    Runtimes(BundleStore store) {
        this.store = store;
    }

    /** @return {@code wasm}; null for Java, and where the bundle cannot be read now */
    String of(Entry entry) {
        if (!entry.level().equals(LEVEL_OF_MODULES)) {
            return null;
        }
        Optional<String> runtime = known.get(entry.sha256());
        if (runtime == null) {
            try {
                Optional<Manifest> manifest = store.manifest(entry);
                if (manifest.isEmpty()) {
                    return null;
                }
                runtime = Optional.ofNullable(BundleReader.runtime(manifest.get()));
                known.put(entry.sha256(), runtime);
            } catch (AnepException e) {
                // What keeps the bundles is away, and is asked again.
                return null;
            }
        }
        return runtime.orElse(null);
    }
}
