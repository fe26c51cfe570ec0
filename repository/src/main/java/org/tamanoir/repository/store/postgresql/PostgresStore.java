package org.tamanoir.repository.store.postgresql;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.repository.store.BundleCache;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.store.registry.RegistryStore;
import org.tamanoir.trust.Trust;

/** Opens a repository in PostgreSQL, which any number of processes serve. */
public final class PostgresStore {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresStore.class);
    /** 2 GiB. */
    public static final long DEFAULT_CACHE = 2L << 30;
    private static final int PATIENCE_SECONDS = 3;
    private static final Duration STRAY_AGE = Duration.ofHours(1);
    private static final Database.Kind KIND = new Database.Kind(true, ErrorCode.DATABASE_AWAY, ErrorCode.DATABASE_NO_ROOM, ErrorCode.DATABASE_READ_ONLY, ErrorCode.DATABASE_AHEAD,
            ErrorCode.DATABASE_REFUSES);

    /**
     * Which database, and how this process uses it.
     *
     * @param url         {@code jdbc:postgresql://…}
     * @param password    null for none
     * @param cacheOctets of the bundles in the cache of this process
     * @param strayAge    a bundle that was put and not published is removed after so long
     * @param clock       of this machine; it is only compared with that of the database
     */
    public record Settings(String url, String password, long cacheOctets, Duration strayAge, InstantSource clock) {
        public static Settings of(String url, String password, long cacheOctets) {
            return new Settings(url, password, cacheOctets, STRAY_AGE, InstantSource.system());
        }
    }

    private PostgresStore() {
    }

    /**
     * Brings the database up to date, and opens what is in it.
     *
     * @param root a directory of this process alone, for uploads under way and its cache
     * @return has all of it, and closes all of it
     * @throws AnepException EE-503 if the directory cannot be used, EE-435 to EE-439 of the database
     */
    public static BundleStore open(Path root, Settings settings, Trust trust) {
        return open(root, settings, null, trust);
    }

    /**
     * The same, with the bundles in a registry.
     *
     * @param registry null for the database
     * @throws AnepException EE-501 if they are in the other place
     */
    public static BundleStore open(Path root, Settings settings, RegistryStore.Settings registry, Trust trust) {
        CacheDirectory directory = CacheDirectory.open(root);
        Database database = null;
        try {
            database = database(settings);
            warn(database);
            checkPlace(database, registry != null);
            if (registry != null) {
                PostgresCatalogue catalogue = new PostgresCatalogue(database, false, settings.clock());
                BundleStore store = BundleStore.open(catalogue, RegistryStore.bundles(root, registry, catalogue, directory), trust, Duration.ZERO);
                catalogue.watch(isNotified -> { });
                return store;
            }
            BundleCache cache = directory.cache(settings.cacheOctets());
            PostgresCatalogue catalogue = new PostgresCatalogue(database, true, settings.clock());
            PostgresBundles bundles = new PostgresBundles(database, catalogue, directory, cache, settings.strayAge());
            BundleStore store = BundleStore.open(catalogue, bundles, trust, Duration.ZERO);
            catalogue.watch(bundles::tidy);
            return store;
        } catch (IOException | RuntimeException e) {
            if (database != null) {
                database.close();
            }
            directory.close();
            throw e instanceof AnepException known ? known : new AnepException(ErrorCode.DATA_DIRECTORY, "the directory " + root + " cannot be used: " + e, e);
        }
    }

    /** What no transaction can mend. */
    private static void warn(Database database) {
        List<String> off = database.read(handle -> handle.createQuery("SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'").mapTo(String.class).list());
        if (!off.isEmpty()) {
            LOG.warn("PostgreSQL runs with {} off: what is acknowledged may be lost with its machine", String.join(" and ", off));
        }
    }

    /** All processes of a database have its bundles in one place. */
    private static void checkPlace(Database database, boolean inRegistry) {
        if (database.read(handle -> Rows.isAnyElsewhere(handle, !inRegistry))) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, inRegistry ? "the bundles of this repository are in its database, and not in a registry: start it without --bundles"
                    : "the bundles of this repository are in a registry, and not in its database: start it with --bundles");
        }
    }

    /** @throws AnepException EE-435 to EE-439 */
    static Database database(Settings settings) {
        return Database.open(new Database.Settings("repository", List.of("org.tamanoir.repository.db"), null, settings.url(), settings.password(), PATIENCE_SECONDS, KIND));
    }
}
