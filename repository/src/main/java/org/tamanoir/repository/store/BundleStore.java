package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.repository.store.CatalogueKeeper.Changed;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;
import org.tamanoir.trust.guest.GuestJar;
import org.tamanoir.trust.guest.GuestRule;

/** The bundles of a repository. For any number of threads. */
public final class BundleStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BundleStore.class);

    private static final int LOCKS = 64;

    private final CatalogueKeeper catalogues;
    private final BundleKeeper bundles;
    private final Trust trust;
    private final RevokedBundles revocations;
    private volatile GuestQuotas quotas = GuestQuotas.PRESET;
    /** Reading a bundle takes memory of the order of its directory: two at a time. */
    private final Semaphore readers = new Semaphore(2);
    /** By SHA-256: what one upload discards, another must not just have put. */
    private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();

    private BundleStore(CatalogueKeeper catalogues, BundleKeeper bundles, Trust trust) {
        this.catalogues = catalogues;
        this.bundles = bundles;
        this.trust = trust;
        this.revocations = new RevokedBundles(trust, bundles);
    }

    /**
     * Opens a directory, new or old, that has both the catalogue and the bundles, and removes what a crash left in it.
     *
     * @param trust whose bundles are taken
     * @param time how long to hash bundles before this returns; the rest is hashed when it is first asked for
     * @throws AnepException EE-503 if the directory is in use or cannot be used
     */
    public static BundleStore open(Path root, Trust trust, Duration time) {
        if (Files.exists(root.resolve(DataDirectory.BUNDLES_ELSEWHERE))) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + root + " cannot be used: its bundles are in a registry (" + DataDirectory.BUNDLES_ELSEWHERE
                    + " says in which): start it with --bundles");
        }
        DataDirectory directory = DataDirectory.open(root);
        return open(directory, new Verifier(directory), trust, time);
    }

    /**
     * Opens what two keepers have, and closes them with itself, or if it cannot be opened.
     *
     * @param trust whose bundles are taken
     * @param time how long to look at bundles before this returns
     * @throws AnepException EE-503 if they cannot be used, others where the keepers say so
     */
    public static BundleStore open(CatalogueKeeper catalogues, BundleKeeper bundles, Trust trust, Duration time) {
        BundleStore store = new BundleStore(catalogues, bundles, trust);
        try {
            bundles.prepare(catalogues.catalogue().entries(), time);
            return store;
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e instanceof AnepException known ? known
                    : new AnepException(ErrorCode.DATA_DIRECTORY, "the bundles cannot be used: " + e, e);
        }
    }

    /** Sets what each guest may have from now on. What is there already stays. */
    public void limitGuests(GuestQuotas most) {
        quotas = most;
    }

    /** What each guest may have. */
    public GuestQuotas quotas() {
        return quotas;
    }

    /** Where uploads are to be written: on the same file system as the bundles. */
    public Path incoming() {
        return bundles.incoming();
    }

    public Catalogue catalogue() {
        return catalogues.catalogue();
    }

    /** SHA-256 of the bundles that are gone or have other content than was published. */
    public Set<String> damaged() {
        return bundles.damaged();
    }

    /** SHA-256 of the bundles that have been revoked. */
    public Set<String> revoked() {
        return revocations.among(catalogue().entries());
    }

    public boolean isDamaged(Entry entry) {
        return bundles.isDamaged(entry.sha256());
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
     * @throws AnepException EE-312 to EE-316 if its publisher is not trusted, EE-401, EE-402, EE-403, EE-404, EE-411, EE-656, EE-657 if it
     *     is refused, EE-409 if the disk did not take it
     */
    public Published publish(Path upload) {
        try {
            ServiceBundle bundle = read(upload);
            String sha256 = BundleHash.of(upload);
            Publisher publisher = publisher(upload, sha256);
            GuestRule.check(publisher, trust.isDevelopment(), bundle.name(), bundle.typeId(), bundle.level(), bundle.runtime());
            if (ServiceName.isGuest(bundle.name())) {
                GuestJar.check(upload);
            }
            Entry entry = new Entry(bundle.name(), bundle.typeId(), bundle.version(), bundle.level(), sha256, Files.size(upload), "", false).withPublisher(publisher);
            // What is refused now is refused later too, and costs no disk.
            published(catalogue(), entry, Instant.now());
            synchronized (locks[Math.floorMod(sha256.hashCode(), LOCKS)]) {
                return keep(upload, entry);
            }
        } catch (IOException e) {
            LOG.error("a bundle cannot be stored", e);
            throw new AnepException(ErrorCode.STORAGE, "the disk did not take the bundle: " + e.getMessage(), e);
        }
    }

    private Catalogue published(Catalogue before, Entry entry, Instant now) {
        Catalogue after = before.publish(entry.withUploaded(now));
        quotas.check(before, entry, now);
        return after;
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

    private Published keep(Path upload, Entry entry) throws IOException {
        // Another upload may have come first since.
        published(catalogue(), entry, Instant.now());
        boolean isThere = catalogue().content(entry.sha256()).isPresent() && bundles.isKept(entry);
        try {
            if (!isThere) {
                bundles.put(upload, entry);
            }
            Changed changed = catalogues.change((before, now) -> published(before, entry, now));
            return new Published(changed.after().find(entry.name(), entry.version()).orElseThrow(), changed.before().find(entry.name(), entry.version()).isEmpty());
        } catch (IOException | RuntimeException e) {
            discard(entry, e);
            throw e;
        }
    }

    private void discard(Entry entry, Exception reason) {
        try {
            bundles.discard(entry);
        } catch (IOException | RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    /**
     * Takes a version out of the index for good.
     *
     * @throws AnepException EE-407 if there is no such version, EE-409 if the disk did not take the change
     */
    public Entry retire(String name, String version) {
        try {
            return catalogues.change((before, now) -> before.retire(name, version)).after().find(name, version).orElseThrow();
        } catch (IOException e) {
            LOG.error("a version cannot be retired", e);
            throw new AnepException(ErrorCode.STORAGE, "the disk did not take the change: " + e.getMessage(), e);
        }
    }

    /** Whether {@link #bundle} answers at once, whatever it answers. */
    public boolean isAtHand(String sha256) throws IOException {
        Optional<Entry> entry = catalogue().content(sha256);
        return entry.isEmpty() || bundles.isAtHand(entry.get());
    }

    /**
     * A bundle whose content is right.
     *
     * @throws AnepException EE-407 if nothing with this hash was ever published, EE-316 if it has been revoked, EE-409 if it is damaged
     */
    public Path bundle(String sha256) {
        Entry entry = catalogue().content(sha256)
                .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no bundle with this hash"));
        revocations.check(entry);
        try {
            return bundles.find(entry).orElseThrow(() -> new AnepException(ErrorCode.STORAGE, "the bundle of " + entry.name() + " " + entry.version()
                    + " is damaged; push it again"));
        } catch (IOException e) {
            LOG.error("a bundle cannot be read", e);
            throw new AnepException(ErrorCode.STORAGE, "the bundle cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The main attributes of a bundle's manifest.
     *
     * @return nothing if it is damaged, or cannot be read
     * @throws AnepException where the keeper says so, if it cannot be told now
     */
    public Optional<Manifest> manifest(Entry entry) {
        try {
            return bundles.manifest(entry);
        } catch (IOException e) {
            LOG.error("a bundle cannot be read", e);
            return Optional.empty();
        }
    }

    /** What keeps the catalogue, and what keeps the bundles. */
    public List<Keeper> keepers() {
        return List.of(catalogues, bundles);
    }

    @Override
    public void close() {
        for (AutoCloseable each : List.of(bundles, catalogues)) {
            try {
                each.close();
            } catch (Exception e) {
                LOG.warn("what the store uses cannot be closed", e);
            }
        }
    }
}
