package org.tamanoir.repository.fleet;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tamanoir.repository.Databases;
import org.tamanoir.repository.store.postgresql.PostgresFleet;
import org.tamanoir.repository.store.postgresql.PostgresStore;

/** Where a fleet is kept: all that it promises holds for each. */
enum FleetPlace {
    DIRECTORY, POSTGRESQL;

    /** By the directory: a fleet that is opened again finds what it had. */
    private static final Map<Path, String> DATABASES = new ConcurrentHashMap<>();

    FleetStore open(Path root) {
        return this == DIRECTORY ? FleetDirectory.open(root) : postgresql(url(root));
    }

    static FleetStore postgresql(String url) {
        return PostgresFleet.open(PostgresStore.Settings.of(url, null, 1 << 20));
    }

    static String url(Path root) {
        return DATABASES.computeIfAbsent(root, path -> Databases.fresh());
    }

    /** What an import of a repository does. */
    static void imported(String url, FleetDirectory from) {
        try (PostgresFleet fleet = PostgresFleet.open(PostgresStore.Settings.of(url, null, 1 << 20))) {
            fleet.take(from);
        }
    }
}
