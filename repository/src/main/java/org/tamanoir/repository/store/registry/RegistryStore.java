package org.tamanoir.repository.store.registry;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.oci.Location;
import org.tamanoir.oci.Registry;
import org.tamanoir.repository.store.BundleCache;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.store.CatalogueKeeper;
import org.tamanoir.repository.store.DataDirectory;
import org.tamanoir.trust.Trust;

/** Opens a repository whose bundles are in a registry. */
public final class RegistryStore {
    /** 2 GiB. */
    public static final long DEFAULT_CACHE = 2L << 30;
    private static final Duration LOOK = Duration.ofMinutes(10);

    /**
     * Which registry, and how it is used.
     *
     * @param location    below which each service has a repository of its name
     * @param registry    how it is spoken to
     * @param cacheOctets of the bundles in the directory
     * @param look        from one look at what the registry has to the next
     */
    public record Settings(Location location, Registry.Settings registry, long cacheOctets, Duration look) {
        /** @param location {@code oci://HOST[:PORT]/NAME} @throws AnepException EE-501 if it is none */
        public static Settings of(String location, Registry.Settings registry, long cacheOctets) {
            return new Settings(Location.parse(location), registry, cacheOctets, LOOK);
        }

        public Settings withLook(Duration time) {
            return new Settings(location, registry, cacheOctets, time);
        }
    }

    private RegistryStore() {
    }

    /**
     * Opens a directory, new or old, with the catalogue in it. Bundles that the directory itself has are put into the registry first.
     *
     * @param trust whose bundles are taken
     * @throws AnepException EE-503 if the directory is in use or cannot be used, EE-430 to EE-434 if it has bundles that the registry does not take
     */
    public static BundleStore open(Path root, Settings settings, Trust trust) {
        if (Files.exists(root.resolve(DataDirectory.BUNDLES_ELSEWHERE)) && !Files.exists(root.resolve(DataDirectory.CATALOGUE))) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + root + " cannot be used: " + DataDirectory.CATALOGUE
                    + " is missing, although its bundles are in a registry; restore it, or take " + DataDirectory.BUNDLES_ELSEWHERE + " away to begin anew");
        }
        DataDirectory directory = DataDirectory.open(root);
        try {
            Durable.replace(root.resolve(DataDirectory.BUNDLES_ELSEWHERE), "The bundles of this repository are in the registry " + settings.location() + ". Only cache/ and facts/ may be removed.\n");
            return BundleStore.open(directory, bundles(root, settings, directory, () -> { }), trust, Duration.ZERO);
        } catch (IOException e) {
            closeQuietly(directory, e);
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + root + " cannot be used: " + AnepException.reason(e), e);
        }
    }

    private static void closeQuietly(DataDirectory directory, IOException reason) {
        try {
            directory.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    /**
     * Bundles in a registry, for a catalogue that is anywhere.
     *
     * @param root a directory of this process alone, which has {@code incoming/}
     * @param held what is to be closed with them
     */
    public static RegistryBundles bundles(Path root, Settings settings, CatalogueKeeper catalogues, Closeable held) throws IOException {
        return new RegistryBundles(root, settings, catalogues, new BundleCache(root.resolve("cache"), settings.cacheOctets()), new Facts(root.resolve("facts")), held);
    }
}
