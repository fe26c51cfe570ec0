package org.tamanoir.repository.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.tamanoir.repository.bundle.BundleHash;

/**
 * Bundles in a directory by their SHA-256, fetched from where they are kept when they are first asked for. All of it may be lost. It holds so many octets, and one bundle even
 * if that is larger; those that were asked for longest ago go first. For any number of threads; each bundle is fetched by one at a time.
 */
public final class BundleCache {
    private static final int LOCKS = 64;

    private final Path directory;
    private final long maxOctets;
    private final KnownGood good = new KnownGood();
    private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();
    /** SHA-256 to octets, in the order in which they were last asked for. */
    private final Map<String, Long> held = new LinkedHashMap<>(16, 0.75f, true);
    private long octets;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    /** Where a bundle is fetched from. */
    public interface Source {
        /**
         * Writes the bundle.
         *
         * @param file does not exist yet
         * @throws NoSuchFileException if the bundle is not there
         * @throws IOException         if it cannot be had now
         */
        void fetch(Path file) throws IOException;
    }

    /**
     * Uses a directory, new or old; files that no bundle is called are removed.
     *
     * @param maxOctets of all bundles
     */
    public BundleCache(Path directory, long maxOctets) throws IOException {
        this.directory = directory;
        this.maxOctets = maxOctets;
        Files.createDirectories(directory);
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            for (Path file : all) {
                if (file.getFileName().toString().matches("[0-9a-f]{64}\\.jar")) {
                    files.add(file);
                } else {
                    Files.delete(file);
                }
            }
        }
        // Put longest ago: what was asked for is not written down.
        files.sort(Comparator.comparing(BundleCache::modified));
        for (Path file : files) {
            hold(file.getFileName().toString().substring(0, 64), Files.size(file));
        }
    }

    private static long modified(Path file) {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(String sha256) {
        return directory.resolve(sha256 + ".jar");
    }

    /**
     * A file with the right content. It may be gone by the time that it is opened, if others are fetched: ask again.
     *
     * @return nothing if the source does not have it, or has other content
     * @throws IOException what the source throws, or if the disk does not take it
     */
    public Optional<Path> find(String sha256, long size, Source source) throws IOException {
        // Nobody waits for another's fetch to be told of a file that is here.
        Optional<Path> known = known(sha256, size);
        if (known.isPresent()) {
            return known;
        }
        synchronized (locks[Math.floorMod(sha256.hashCode(), LOCKS)]) {
            if (good.check(file(sha256), sha256, size)) {
                use(sha256);
                hits.increment();
                return Optional.of(file(sha256));
            }
            misses.increment();
            drop(sha256);
            Path part = directory.resolve(sha256 + ".part");
            try {
                source.fetch(part);
                if (!KnownGood.hasSize(part, size) || !BundleHash.of(part).equals(sha256)) {
                    return Optional.empty();
                }
                return Optional.of(move(part, sha256, size));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            } finally {
                Files.deleteIfExists(part);
            }
        }
    }

    /** The file, if it is here and has been hashed since it was last changed; nobody is waited for. */
    public Optional<Path> known(String sha256, long size) throws IOException {
        if (!good.isKnown(file(sha256), sha256, size)) {
            return Optional.empty();
        }
        use(sha256);
        hits.increment();
        return Optional.of(file(sha256));
    }

    /** Whether there is a file of this name, right or not. */
    public synchronized boolean holds(String sha256) {
        return held.containsKey(sha256);
    }

    /** Takes a file whose size and hash have just been found right; on the same file system. */
    public void put(Path file, String sha256, long size) throws IOException {
        synchronized (locks[Math.floorMod(sha256.hashCode(), LOCKS)]) {
            drop(sha256);
            move(file, sha256, size);
        }
    }

    private Path move(Path from, String sha256, long size) throws IOException {
        Path file = file(sha256);
        Files.move(from, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        good.take(file, sha256, size);
        hold(sha256, size);
        return file;
    }

    private synchronized void use(String sha256) {
        // The order is that of the last access.
        held.get(sha256);
    }

    /** Takes the room of a new one from the others. */
    private synchronized void hold(String sha256, long size) throws IOException {
        held.put(sha256, size);
        octets += size;
        Iterator<Map.Entry<String, Long>> eldest = held.entrySet().iterator();
        while (octets > maxOctets && held.size() > 1) {
            Map.Entry<String, Long> each = eldest.next();
            Files.deleteIfExists(file(each.getKey()));
            good.forget(each.getKey());
            octets -= each.getValue();
            eldest.remove();
        }
    }

    private synchronized void drop(String sha256) throws IOException {
        Files.deleteIfExists(file(sha256));
        good.forget(sha256);
        Long size = held.remove(sha256);
        octets -= size == null ? 0 : size;
    }

    /** Of all bundles that are here. */
    public synchronized long octets() {
        return octets;
    }

    public long maxOctets() {
        return maxOctets;
    }

    public synchronized int bundles() {
        return held.size();
    }

    /** How often one was asked for that was here. */
    public long hits() {
        return hits.sum();
    }

    /** How often one was asked for that was not. */
    public long misses() {
        return misses.sum();
    }

    /** What {@code /health} shows of it. */
    public Map<String, Object> health() {
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("bundles", bundles());
        health.put("octets", octets());
        health.put("maxOctets", maxOctets());
        return health;
    }

    public void metrics(Keeper.Sink sink) {
        sink.metric("tamanoir_repository_cache_octets", "gauge", "Octets of the bundles in the cache.", octets());
        sink.metric("tamanoir_repository_cache_bundles", "gauge", "Bundles in the cache.", bundles());
        sink.metric("tamanoir_repository_cache_hits_total", "counter", "Bundles that were asked for and were in the cache.", hits());
        sink.metric("tamanoir_repository_cache_misses_total", "counter", "Bundles that were asked for and were fetched.", misses());
    }
}
