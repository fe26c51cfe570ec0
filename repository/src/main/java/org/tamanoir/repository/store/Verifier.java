package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.repository.bundle.BundleHash;

/**
 * Knows which bundles have the content that their name says. A bundle is hashed once after the start, and again whenever its size or
 * date has changed; one that does not match is set aside and not served until it is published again.
 */
final class Verifier {
    private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

    private record Seen(long size, FileTime modified) {
    }

    private final DataDirectory directory;
    private final Map<String, Seen> good = new ConcurrentHashMap<>();
    private final Set<String> damaged = new ConcurrentSkipListSet<>();

    Verifier(DataDirectory directory) {
        this.directory = directory;
    }

    /**
     * Looks at every bundle of the catalogue: that it is there and has its size, and its hash too while the time lasts. The others are
     * hashed when they are first asked for.
     */
    void checkAll(List<Entry> entries, Duration time) throws IOException {
        long start = System.nanoTime();
        for (Entry entry : entries) {
            if (System.nanoTime() - start < time.toNanos()) {
                isGood(entry);
            } else if (look(entry) == null) {
                setAside(entry);
            }
        }
    }

    /** Whether the bundle may be served. */
    boolean isGood(Entry entry) throws IOException {
        Seen seen = look(entry);
        if (seen != null && seen.equals(good.get(entry.sha256()))) {
            return true;
        }
        synchronized (this) {
            Seen now = look(entry);
            if (now != null && BundleHash.of(directory.bundle(entry.sha256())).equals(entry.sha256())) {
                good.put(entry.sha256(), now);
                damaged.remove(entry.sha256());
                return true;
            }
            setAside(entry);
            return false;
        }
    }

    /** Gives a new bundle, whose content has been forced to the disk, its place. */
    synchronized void put(Path file, Entry entry) throws IOException {
        Durable.rename(file, directory.bundle(entry.sha256()));
        Seen now = look(entry);
        if (now == null) {
            throw new IOException("what was just written is not there");
        }
        good.put(entry.sha256(), now);
        damaged.remove(entry.sha256());
    }

    /** SHA-256 of the bundles that are gone or have other content. */
    Set<String> damaged() {
        return new TreeSet<>(damaged);
    }

    boolean isDamaged(String sha256) {
        return damaged.contains(sha256);
    }

    /** Null if the bundle is missing or has another size. */
    private Seen look(Entry entry) throws IOException {
        Path file = directory.bundle(entry.sha256());
        if (!Files.isRegularFile(file)) {
            return null;
        }
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return attributes.size() == entry.size() ? new Seen(attributes.size(), attributes.lastModifiedTime()) : null;
    }

    private synchronized void setAside(Entry entry) throws IOException {
        good.remove(entry.sha256());
        Path file = directory.bundle(entry.sha256());
        if (Files.exists(file)) {
            Files.move(file, directory.damaged().resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        if (damaged.add(entry.sha256())) {
            LOG.error("the bundle of {} {} is damaged or missing and is not served; push it again", entry.name(), entry.version());
        }
    }
}
