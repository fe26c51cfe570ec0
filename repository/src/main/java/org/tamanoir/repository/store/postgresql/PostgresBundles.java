package org.tamanoir.repository.store.postgresql;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.jar.Manifest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.database.Database;
import org.tamanoir.repository.store.BundleCache;
import org.tamanoir.repository.store.BundleFacts;
import org.tamanoir.repository.store.BundleKeeper;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.trust.jar.SignedJar;

/** Bundles in PostgreSQL, with a cache of those that were asked for here. */
final class PostgresBundles implements BundleKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresBundles.class);

    private final Database database;
    private final PostgresCatalogue catalogue;
    private final CacheDirectory directory;
    private final BundleCache cache;
    private final Duration strayAge;
    private final UUID lease = UUID.randomUUID();
    private final Set<String> damaged = new ConcurrentSkipListSet<>();

    /** @param strayAge a bundle that nobody has published for so long is removed: no upload lasts as long between the two */
    PostgresBundles(Database database, PostgresCatalogue catalogue, CacheDirectory directory, BundleCache cache, Duration strayAge) {
        this.database = database;
        this.catalogue = catalogue;
        this.directory = directory;
        this.cache = cache;
        this.strayAge = strayAge;
    }

    @Override
    public Path incoming() {
        return directory.incoming();
    }

    /** {@inheritDoc} Content is compared when a bundle is first fetched. */
    @Override
    public void prepare(List<Entry> entries, Duration time) {
        tidy(false);
    }

    /**
     * Removes strays, and looks what is damaged, and what was and is not any more. Complains in the log alone.
     *
     * @param isNotified whether another process has changed something: a cure of what was damaged, perhaps
     */
    void tidy(boolean isNotified) {
        if (isNotified && damaged.isEmpty()) {
            return;
        }
        try {
            List<String> incomplete = database.read(Chunks::incomplete);
            incomplete.forEach(this::setDamaged);
            for (String sha256 : damaged()) {
                Optional<Entry> entry = catalogue.catalogue().content(sha256);
                if (entry.isEmpty() || !incomplete.contains(sha256) && isKept(entry.get())) {
                    damaged.remove(sha256);
                }
            }
            int strays = database.write(handle -> Chunks.removeStrays(handle, strayAge));
            if (strays > 0) {
                LOG.info("{} bundles that were never published are removed", strays);
            }
        } catch (AnepException e) {
            LOG.info("the bundles in the database cannot be looked at now: {}", e.getMessage());
        }
    }

    private void setDamaged(String sha256) {
        if (damaged.add(sha256)) {
            LOG.error("the bundle {} is damaged or missing in the database; push it again", sha256);
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws AnepException EE-435 to EE-439, of the database
     */
    @Override
    public void put(Path file, Entry entry) throws IOException {
        BundleFacts facts = BundleFacts.of(file);
        boolean isCure = damaged.contains(entry.sha256()) || catalogue.catalogue().content(entry.sha256()).isPresent();
        try {
            catalogue.noting(() -> database.write(handle -> {
                Rows.beDurable(handle);
                try {
                    Chunks.write(handle, file, entry, facts, lease, isCure);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                if (isCure) {
                    // Others may know it as damaged.
                    Rows.tell(handle);
                }
                return null;
            }));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        damaged.remove(entry.sha256());
        cache.put(file, entry.sha256(), entry.size());
    }

    /**
     * {@inheritDoc}
     *
     * @throws AnepException EE-435 or EE-439 if it is not in the cache, and the database cannot be asked
     */
    @Override
    public Optional<Path> find(Entry entry) throws IOException {
        Optional<Path> file = cache.find(entry.sha256(), entry.size(), to -> {
            try (OutputStream out = Files.newOutputStream(to)) {
                read(entry, out);
            }
        });
        if (file.isEmpty()) {
            setDamaged(entry.sha256());
        }
        return file;
    }

    private void read(Entry entry, OutputStream out) throws IOException {
        catalogue.checkThere();
        try {
            database.read(handle -> {
                Chunks.read(handle, entry, out);
                return null;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** {@inheritDoc} The database is asked for all of it. */
    @Override
    public boolean isKept(Entry entry) {
        try (DigestOutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), MessageDigest.getInstance("SHA-256"))) {
            read(entry, out);
            return HexFormat.of().formatHex(out.getMessageDigest().digest()).equals(entry.sha256());
        } catch (NoSuchAlgorithmException | IOException e) {
            throw new IllegalStateException("nothing but memory and the database is used here", e);
        }
    }

    /** {@inheritDoc} What is left if the database is away is removed when it is old. */
    @Override
    public void discard(Entry entry) {
        catalogue.checkThere();
        database.write(handle -> {
            Chunks.remove(handle, entry, lease);
            return null;
        });
    }

    @Override
    public Set<String> damaged() {
        return new TreeSet<>(damaged);
    }

    @Override
    public boolean isDamaged(String sha256) {
        return damaged.contains(sha256);
    }

    /** {@inheritDoc} Known as long as the catalogue is: an index can be made when the database is away. */
    @Override
    public Optional<Manifest> manifest(Entry entry) {
        return Optional.ofNullable(catalogue.facts(entry.sha256())).map(BundleFacts::manifest);
    }

    @Override
    public Optional<SignedJar> signed(Entry entry) {
        return Optional.ofNullable(catalogue.facts(entry.sha256())).map(BundleFacts::signed);
    }

    @Override
    public Map<String, Object> health() {
        return Map.of("cache", cache.health());
    }

    @Override
    public void metrics(Sink sink) {
        cache.metrics(sink);
    }

    /** Gives the directory back. The catalogue closes the database. */
    @Override
    public void close() {
        directory.close();
    }
}
