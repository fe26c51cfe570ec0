package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;

/** The bundles of a repository. For any number of threads. */
public final class BundleStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BundleStore.class);

    private final DataDirectory directory;
    private final Verifier verifier;
    private final Trust trust;
    private final RevokedBundles revocations;
    /** Reading a bundle takes memory of the order of its directory: two at a time. */
    private final Semaphore readers = new Semaphore(2);
    private volatile Catalogue catalogue;

    private BundleStore(DataDirectory directory, Catalogue catalogue, Trust trust) {
        this.directory = directory;
        this.verifier = new Verifier(directory);
        this.trust = trust;
        this.revocations = new RevokedBundles(trust, directory);
        this.catalogue = catalogue;
    }

    /**
     * Opens a directory, new or old, and removes what a crash left in it.
     *
     * @param trust whose bundles are taken
     * @param time how long to hash bundles before this returns; the rest is hashed when it is first asked for
     * @throws AnepException EE-503 if the directory is in use or cannot be used
     */
    public static BundleStore open(Path root, Trust trust, Duration time) {
        DataDirectory directory = DataDirectory.open(root);
        try {
            BundleStore store = new BundleStore(directory, directory.readCatalogue(), trust);
            store.removeStrays();
            store.verifier.checkAll(store.catalogue.entries(), time);
            return store;
        } catch (IOException | RuntimeException e) {
            close(directory);
            throw e instanceof AnepException known ? known
                    : new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + root + " cannot be used: " + e, e);
        }
    }

    /** Removes bundles that were never acknowledged: the catalogue does not know them. */
    private void removeStrays() throws IOException {
        Set<String> known = catalogue.entries().stream().map(e -> e.sha256() + ".jar").collect(Collectors.toSet());
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.bundles())) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (name.matches("[0-9a-f]{64}\\.jar") && !known.contains(name)) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Where uploads are to be written: on the same file system as the bundles. */
    public Path incoming() {
        return directory.incoming();
    }

    public Catalogue catalogue() {
        return catalogue;
    }

    /** SHA-256 of the bundles that are gone or have other content than was published. */
    public Set<String> damaged() {
        return verifier.damaged();
    }

    /** SHA-256 of the bundles that have been revoked. */
    public Set<String> revoked() {
        return revocations.among(catalogue.entries());
    }

    public boolean isDamaged(Entry entry) {
        return verifier.isDamaged(entry.sha256());
    }

    /**
     * What {@link #publish} did.
     *
     * @param entry as it is now
     * @param isNew false if the same content was there already
     */
    public record Published(Entry entry, boolean isNew) {
    }

    /**
     * Publishes a bundle: when this returns, it survives whatever happens to the process and the machine. Two at once with one version:
     * the first to come here wins.
     *
     * @param upload a file in {@link #incoming}; moved if it is taken
     * @throws AnepException EE-312 to EE-316 if its publisher is not trusted, EE-401, EE-402, EE-403, EE-404, EE-411 if it
     *     is refused, EE-409 if the disk did not take it
     */
    public Published publish(Path upload) {
        try {
            ServiceBundle bundle = read(upload);
            String sha256 = BundleHash.of(upload);
            String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
            Entry entry = new Entry(bundle.name(), bundle.typeId(), bundle.version(), bundle.level(), sha256, Files.size(upload), now, false)
                    .withPublisher(publisher(upload, sha256));
            catalogue.publish(entry);
            Durable.force(upload);
            return keep(upload, entry);
        } catch (IOException e) {
            LOG.error("a bundle cannot be stored", e);
            throw new AnepException(ErrorCode.STORAGE, "the disk did not take the bundle: " + e.getMessage(), e);
        }
    }

    private Publisher publisher(Path upload, String sha256) {
        RevokedBundles.reload(trust);
        return trust.check(upload, sha256);
    }

    private ServiceBundle read(Path upload) throws IOException {
        readers.acquireUninterruptibly();
        try {
            return BundleReader.read(upload);
        } finally {
            readers.release();
        }
    }

    private synchronized Published keep(Path upload, Entry entry) throws IOException {
        Catalogue next = catalogue.publish(entry);
        boolean isNew = catalogue.find(entry.name(), entry.version()).isEmpty();
        if (isNew || !verifier.isGood(entry)) {
            verifier.put(upload, entry);
        }
        try {
            change(next);
        } catch (IOException e) {
            if (directory.readCatalogue().content(entry.sha256()).isEmpty()) {
                Files.deleteIfExists(directory.bundle(entry.sha256()));
            }
            throw e;
        }
        return new Published(catalogue.find(entry.name(), entry.version()).orElseThrow(), isNew);
    }

    /**
     * Takes a version out of the index for good.
     *
     * @throws AnepException EE-407 if there is no such version, EE-409 if the disk did not take the change
     */
    public synchronized Entry retire(String name, String version) {
        try {
            change(catalogue.retire(name, version));
            return catalogue.find(name, version).orElseThrow();
        } catch (IOException e) {
            LOG.error("a version cannot be retired", e);
            throw new AnepException(ErrorCode.STORAGE, "the disk did not take the change: " + e.getMessage(), e);
        }
    }

    private void change(Catalogue next) throws IOException {
        if (next != catalogue) {
            directory.writeCatalogue(next);
            catalogue = next;
        }
    }

    /**
     * A bundle whose content is right.
     *
     * @throws AnepException EE-407 if nothing with this hash was ever published, EE-316 if it has been revoked, EE-409 if it is damaged
     */
    public Path bundle(String sha256) {
        Entry entry = catalogue.content(sha256)
                .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no bundle with this hash"));
        revocations.check(entry);
        try {
            if (!verifier.isGood(entry)) {
                throw new AnepException(ErrorCode.STORAGE, "the bundle of " + entry.name() + " " + entry.version()
                        + " is damaged; push it again");
            }
            return directory.bundle(sha256);
        } catch (IOException e) {
            LOG.error("a bundle cannot be read", e);
            throw new AnepException(ErrorCode.STORAGE, "the bundle cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        close(directory);
    }

    private static void close(DataDirectory directory) {
        try {
            directory.close();
        } catch (IOException e) {
            LOG.warn("the lock of the data directory cannot be given back", e);
        }
    }
}
