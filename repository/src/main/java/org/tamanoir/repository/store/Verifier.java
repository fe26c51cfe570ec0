package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.disk.Durable;

/**
 * The bundles in a data directory, and which have the content that their name says. A bundle is hashed once after the start, and again whenever its size or
 * date has changed; one that does not match is set aside and not served until it is published again.
 */
public final class Verifier implements BundleKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

    private final DataDirectory directory;
    private final KnownGood good = new KnownGood();
    private final Set<String> damaged = new ConcurrentSkipListSet<>();

    public Verifier(DataDirectory directory) {
        this.directory = directory;
    }

    @Override
    public Path incoming() {
        return directory.incoming();
    }

    /**
     * {@inheritDoc} Looks at every bundle of the catalogue: that it is there and has its size, and its hash too while the time lasts. The others are
     * hashed when they are first asked for.
     */
    @Override
    public void prepare(List<Entry> entries, Duration time) throws IOException {
        removeStrays(entries);
        long start = System.nanoTime();
        for (Entry entry : entries) {
            if (System.nanoTime() - start < time.toNanos()) {
                isGood(entry);
            } else if (!KnownGood.hasSize(file(entry), entry.size())) {
                setAside(entry);
            }
        }
    }

    /** Removes bundles that were never acknowledged: the catalogue does not know them. */
    private void removeStrays(List<Entry> entries) throws IOException {
        Set<String> known = entries.stream().map(e -> e.sha256() + ".jar").collect(Collectors.toSet());
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.bundles())) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (name.matches("[0-9a-f]{64}\\.jar") && !known.contains(name)) {
                    Files.delete(file);
                }
            }
        }
    }

    @Override
    public Optional<Path> find(Entry entry) throws IOException {
        return isGood(entry) ? Optional.of(file(entry)) : Optional.empty();
    }

    /** Whether the bundle may be served. */
    private boolean isGood(Entry entry) throws IOException {
        if (good.isKnown(file(entry), entry.sha256(), entry.size())) {
            return true;
        }
        synchronized (this) {
            if (good.check(file(entry), entry.sha256(), entry.size())) {
                damaged.remove(entry.sha256());
                return true;
            }
            setAside(entry);
            return false;
        }
    }

    private Path file(Entry entry) {
        return directory.bundle(entry.sha256());
    }

    @Override
    public void put(Path file, Entry entry) throws IOException {
        Durable.force(file);
        place(file, entry);
    }

    private synchronized void place(Path file, Entry entry) throws IOException {
        Durable.rename(file, file(entry));
        good.take(file(entry), entry.sha256(), entry.size());
        damaged.remove(entry.sha256());
    }

    /** {@inheritDoc} The catalogue on the disk is asked: it may have taken a change that failed afterwards. */
    @Override
    public void discard(Entry entry) throws IOException {
        if (directory.readCatalogue().content(entry.sha256()).isEmpty()) {
            Files.deleteIfExists(file(entry));
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

    private synchronized void setAside(Entry entry) throws IOException {
        good.forget(entry.sha256());
        Path file = file(entry);
        if (Files.exists(file)) {
            Files.move(file, directory.damaged().resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        if (damaged.add(entry.sha256())) {
            LOG.error("the bundle of {} {} is damaged or missing and is not served; push it again", entry.name(), entry.version());
        }
    }

    /** Nothing: the directory is closed by itself. */
    @Override
    public void close() {
    }
}
