package org.tamanoir.repository;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.tamanoir.oci.Registry;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.registry.RegistryStore;

/** Where a repository is kept: all that it promises holds for each. */
enum Backend {
    DIRECTORY, POSTGRESQL, REGISTRY;

    private static final long CACHE = 64 << 20;
    /** By the directory: a repository that is started again finds what it had. */
    private static final Map<Path, String> DATABASES = new ConcurrentHashMap<>();

    RepositorySettings settings(Path data) {
        RepositorySettings settings = RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), data);
        return switch (this) {
            case DIRECTORY -> settings;
            case POSTGRESQL -> settings.withDatabase(PostgresStore.Settings.of(url(data), null, CACHE));
            case REGISTRY -> settings.withRegistry(RegistryStore.Settings.of(url(data), Registry.Settings.of(null, null), CACHE));
        };
    }

    /** Null for a directory. */
    String url(Path data) {
        return this == DIRECTORY ? null : DATABASES.computeIfAbsent(data, path -> this == REGISTRY ? Registries.fresh() : Databases.fresh());
    }

    /** SHA-256 of the bundles that are kept, published or not; of a registry those that its tags lead to. */
    List<String> bundles(Path data) {
        if (this == POSTGRESQL) {
            return Databases.query(url(data), "SELECT sha256 FROM repository_bundle ORDER BY 1");
        }
        if (this == REGISTRY) {
            return Registries.tagged(url(data));
        }
        return Stream.of(data.resolve("bundles").toFile().list()).map(name -> name.replace(".jar", "")).sorted().toList();
    }

    /** Makes of a repository one from before there were publishers. */
    void forgetPublishers(Path data) throws IOException {
        if (this == POSTGRESQL) {
            Databases.run(url(data), "UPDATE repository_release SET publisher = NULL, key = NULL", "UPDATE repository_service SET publisher = NULL");
            return;
        }
        Path catalogue = data.resolve("catalogue.json");
        Files.writeString(catalogue, Files.readString(catalogue).replaceAll(",\\s*\"publisher\"[^}]*", ""));
    }
}
