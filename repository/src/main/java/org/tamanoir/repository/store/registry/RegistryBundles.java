package org.tamanoir.repository.store.registry;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.HttpError;
import org.tamanoir.oci.BundleManifest;
import org.tamanoir.oci.Location;
import org.tamanoir.oci.Registry;
import org.tamanoir.repository.store.BundleCache;
import org.tamanoir.repository.store.BundleFacts;
import org.tamanoir.repository.store.BundleKeeper;
import org.tamanoir.repository.store.CatalogueKeeper;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.trust.jar.SignedJar;

/**
 * Bundles in a registry, and a cache of them. A registry knows no transactions: what is put and not published after all stays there, and a tag that two uploads moved is moved back.
 * Nobody goes by a tag.
 */
public final class RegistryBundles implements BundleKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryBundles.class);
    /** Uploads that go to the registry at the same time, and as many that wait for them; their threads answer nothing else. */
    public static final int UPLOADS = 4;
    private static final long PATIENCE_SECONDS = 10;
    /** A registry that was away is left alone for so long, or as long as it asks for. */
    private static final long REST_SECONDS = 2;
    private static final long MOST_REST_SECONDS = 60;

    private final Path root;
    private final Location location;
    private final Registry registry;
    private final CatalogueKeeper catalogues;
    private final BundleCache cache;
    private final Facts facts;
    private final Closeable held;
    private final RegistryTidy tidy;
    private final Semaphore uploads = new Semaphore(UPLOADS);
    private final Set<String> damaged = new ConcurrentSkipListSet<>();
    /** What the registry said when it was last asked; null if all was well. */
    private volatile AnepException problem;
    private volatile long restsUntil = System.nanoTime();
    /** What the last upload met; null if it was well. That bundles come says nothing of whether they go. */
    private volatile AnepException unwritten;

    RegistryBundles(Path root, RegistryStore.Settings settings, CatalogueKeeper catalogues, BundleCache cache, Facts facts, Closeable held) {
        this.root = root;
        this.location = settings.location();
        this.registry = new Registry(settings.registry());
        this.catalogues = catalogues;
        this.cache = cache;
        this.facts = facts;
        this.held = held;
        this.tidy = new RegistryTidy(this, settings.look());
    }

    @Override
    public Path incoming() {
        return root.resolve("incoming");
    }

    /** {@inheritDoc} Puts what the directory itself had before there was a registry. What the registry has is looked at afterwards, and now and then. */
    @Override
    public void prepare(List<Entry> entries, Duration time) throws IOException {
        facts.retain(entries.stream().map(Entry::sha256).collect(Collectors.toSet()));
        for (Entry entry : entries) {
            Path own = root.resolve("bundles").resolve(entry.sha256() + ".jar");
            if (Files.exists(own)) {
                LOG.info("{} {} goes from the directory into the registry", entry.name(), entry.version());
                put(own, entry);
            }
        }
        tidy.start();
    }

    private Location at(Entry entry) {
        return location.of(entry.name());
    }

    /** The same for the same entry: whoever puts it again changes nothing. */
    private static BundleManifest manifestOf(Entry entry) {
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put("org.opencontainers.image.title", entry.name());
        notes.put("org.opencontainers.image.version", entry.version());
        notes.put("org.tamanoir.service.name", entry.name());
        notes.put("org.tamanoir.service.type-id", Anep.typeName(entry.typeId()));
        notes.put("org.tamanoir.service.level", entry.level());
        if (entry.publisher() != null) {
            notes.put("org.opencontainers.image.vendor", entry.publisher());
            notes.put("org.tamanoir.service.key", entry.key());
        }
        return new BundleManifest(entry.version(), ServiceName.segment(entry.name()) + "-" + entry.version() + ".jar", entry.sha256(), entry.size(), notes);
    }

    /**
     * {@inheritDoc} It is read back before this returns.
     *
     * @throws AnepException EE-430 to EE-434, of the registry
     */
    @Override
    public void put(Path file, Entry entry) throws IOException {
        facts.learn(entry.sha256(), file);
        upload(() -> {
            push(entry, file);
            return null;
        });
        damaged.remove(entry.sha256());
        cache.put(file, entry.sha256(), entry.size());
    }

    private <T> T upload(Supplier<T> question) {
        boolean mayGo = false;
        try {
            mayGo = uploads.getQueueLength() < UPLOADS && uploads.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!mayGo) {
            throw new AnepException(ErrorCode.REGISTRY_AWAY, UPLOADS + " uploads to the registry are under way, and others wait; ask again");
        }
        try {
            return ask(question);
        } finally {
            uploads.release();
        }
    }

    private void push(Entry entry, Path file) {
        try {
            registry.push(at(entry), manifestOf(entry), file);
            unwritten = null;
        } catch (AnepException e) {
            unwritten = e.code() == ErrorCode.REGISTRY_REJECTS || e.code() == ErrorCode.REGISTRY_DENIES ? e : unwritten;
            throw e;
        }
    }

    /** Asks the registry, and remembers whether it could be asked. */
    private <T> T ask(Supplier<T> question) {
        try {
            T answer = question.get();
            noteWell();
            return answer;
        } catch (AnepException e) {
            note(e);
            throw e;
        }
    }

    private void noteWell() {
        if (problem != null) {
            LOG.info("the registry {} is well again", location);
        }
        problem = null;
        restsUntil = System.nanoTime();
    }

    private void note(AnepException why) {
        if (why.code() == ErrorCode.REGISTRY_AWAY || why.code() == ErrorCode.REGISTRY_DENIES || why.code() == ErrorCode.BAD_CONFIGURATION) {
            if (problem == null || problem.code() != why.code()) {
                LOG.warn("the registry {} is of no use now: {}", location, why.getMessage());
            }
            problem = why;
            long rest = why instanceof HttpError ? Math.min(MOST_REST_SECONDS, HttpError.retryAfter(why)) : REST_SECONDS;
            restsUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(rest);
        }
    }

    @Override
    public boolean isAtHand(Entry entry) throws IOException {
        return cache.known(entry.sha256(), entry.size()).isPresent();
    }

    /**
     * {@inheritDoc}
     *
     * @throws AnepException EE-430, EE-431 if it is not in the cache, and the registry cannot be asked
     */
    @Override
    public Optional<Path> find(Entry entry) throws IOException {
        Optional<Path> here = cache.known(entry.sha256(), entry.size());
        if (here.isPresent()) {
            return here;
        }
        AnepException before = problem;
        if (before != null && before.code() == ErrorCode.REGISTRY_AWAY && !cache.holds(entry.sha256()) && restsUntil - System.nanoTime() > 0) {
            throw before;
        }
        Optional<Path> file = cache.find(entry.sha256(), entry.size(), to -> fetch(entry, to));
        if (file.isEmpty()) {
            setDamaged(entry);
        }
        return file;
    }

    private void fetch(Entry entry, Path to) throws NoSuchFileException {
        try {
            ask(() -> {
                registry.fetch(at(entry), entry.sha256(), entry.size(), to);
                return null;
            });
        } catch (AnepException e) {
            if (isLost(e)) {
                LOG.error("{} {}: {}", entry.name(), entry.version(), e.getMessage());
                throw new NoSuchFileException(entry.sha256());
            }
            throw e;
        }
    }

    /** Whether the registry has answered, and has not what was put. */
    private static boolean isLost(AnepException why) {
        return why.code() == ErrorCode.REGISTRY_LACKS || why.code() == ErrorCode.REGISTRY_ANSWER;
    }

    private void setDamaged(Entry entry) {
        if (damaged.add(entry.sha256())) {
            LOG.error("the bundle of {} {} is damaged or missing in the registry; push it again", entry.name(), entry.version());
        }
    }

    /** {@inheritDoc} The registry is asked for all of it. */
    @Override
    public boolean isKept(Entry entry) {
        try {
            upload(() -> {
                registry.verify(at(entry), entry.sha256(), entry.size());
                return null;
            });
            damaged.remove(entry.sha256());
            return true;
        } catch (AnepException e) {
            if (isLost(e)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * {@inheritDoc} A registry does not say who else has put the same, and most let nobody remove anything: what was put stays, and nothing asks for it. But the tag may be another's,
     * whose version it is.
     */
    @Override
    public void discard(Entry entry) {
        Optional<Entry> published = catalogues.catalogue().find(entry.name(), entry.version());
        if (published.isPresent()) {
            ask(() -> {
                tagAgain(published.get());
                return null;
            });
        }
    }

    private void tagAgain(Entry entry) {
        if (!registry.isTagged(at(entry), manifestOf(entry))) {
            registry.tag(at(entry), manifestOf(entry));
        }
    }

    List<Entry> published() {
        return catalogues.catalogue().entries();
    }

    /**
     * Looks whether the registry has a bundle, by its own word, and puts it there again if it is in the cache. One that is known as damaged is read.
     *
     * @throws AnepException EE-430 to EE-434 if that cannot be told, or done
     */
    void look(Entry entry) throws IOException {
        boolean isThere = damaged.contains(entry.sha256()) ? isKept(entry) : ask(() -> registry.has(at(entry), entry.sha256(), entry.size()));
        if (isThere) {
            ask(() -> {
                tagAgain(entry);
                return null;
            });
            return;
        }
        Optional<Path> copy = cache.find(entry.sha256(), entry.size(), to -> {
            throw new NoSuchFileException(entry.sha256());
        });
        if (copy.isEmpty()) {
            setDamaged(entry);
            return;
        }
        try {
            ask(() -> {
                push(entry, copy.get());
                return null;
            });
            damaged.remove(entry.sha256());
            LOG.warn("the registry had lost {} {}; it has it again, from the cache", entry.name(), entry.version());
        } catch (AnepException e) {
            if (!isLost(e)) {
                throw e;
            }
            setDamaged(entry);
        }
    }

    @Override
    public Set<String> damaged() {
        return new TreeSet<>(damaged);
    }

    @Override
    public boolean isDamaged(String sha256) {
        return damaged.contains(sha256);
    }

    @Override
    public Optional<Manifest> manifest(Entry entry) throws IOException {
        return factsOf(entry).map(BundleFacts::manifest);
    }

    @Override
    public Optional<SignedJar> signed(Entry entry) {
        return facts.find(entry.sha256()).map(BundleFacts::signed);
    }

    private Optional<BundleFacts> factsOf(Entry entry) throws IOException {
        Optional<BundleFacts> known = facts.find(entry.sha256());
        if (known.isPresent()) {
            return known;
        }
        Optional<Path> file = find(entry);
        return file.isEmpty() ? Optional.empty() : Optional.of(facts.learn(entry.sha256(), file.get()));
    }

    @Override
    public boolean isWell() {
        return problem() == null;
    }

    private AnepException problem() {
        AnepException now = problem;
        return now != null ? now : unwritten;
    }

    @Override
    public Map<String, Object> health() {
        AnepException why = problem();
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("location", location.toString());
        health.put("status", why == null ? "up" : why.code() == ErrorCode.REGISTRY_AWAY ? "away" : "refused");
        if (why != null) {
            health.put("problem", why.getMessage());
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("registry", health);
        all.put("cache", cache.health());
        return all;
    }

    @Override
    public void metrics(Sink sink) {
        sink.metric("tamanoir_repository_registry_up", "gauge", "Whether the registry gives and takes bundles.", problem() == null ? 1 : 0);
        cache.metrics(sink);
    }

    @Override
    public void close() throws IOException {
        tidy.close();
        held.close();
    }
}
