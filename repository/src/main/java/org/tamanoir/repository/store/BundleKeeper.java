package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.tamanoir.anep.AnepException;
import org.tamanoir.trust.jar.SignedJar;

/**
 * Keeps bundles by their SHA-256. It never decides what is published: that is for the catalogue, which names a bundle only after it has been put here. Several processes may
 * share what is behind it. For any number of threads; the store brings one at a time for one SHA-256.
 */
public interface BundleKeeper extends Keeper {
    /** Where uploads are written before they are put: a directory that the start has emptied. */
    Path incoming();

    /**
     * Looks at what is there once, at the start: removes what was put and never published, and finds what is damaged.
     *
     * @param entries of the catalogue
     * @param time    how long it may take
     */
    void prepare(List<Entry> entries, Duration time) throws IOException;

    /**
     * Keeps a bundle: when this returns, it survives whatever happens to the process and the machine. It cures one that is damaged.
     *
     * @param file  in {@link #incoming}, of the size and SHA-256 of the entry; moved, or left for its owner to remove
     * @param entry is not in the catalogue yet, if the version is new
     * @throws IOException if it was not taken; {@link #discard} follows
     * @throws AnepException where the keeper says so
     */
    void put(Path file, Entry entry) throws IOException;

    /**
     * A file of this machine with the content that the entry says, verified since it was last changed. It may be gone by the time that it is opened, if the keeper has a
     * cache that is bounded: then ask again.
     *
     * @return nothing if the bundle is damaged: gone, or other content than was put. {@link #damaged} has it then
     * @throws IOException if the disk cannot be read
     * @throws AnepException where the keeper says so, if it cannot be told now
     */
    Optional<Path> find(Entry entry) throws IOException;

    /** Whether {@link #find} answers at once: nothing has to be fetched from elsewhere. */
    default boolean isAtHand(Entry entry) throws IOException {
        return true;
    }

    /** Removes what was put, or half put, and then not published after all. It stays if the catalogue names it meanwhile. */
    void discard(Entry entry) throws IOException;

    /** SHA-256 of the bundles that are known to be gone or to have other content, in order. */
    Set<String> damaged();

    default boolean isDamaged(String sha256) {
        return damaged().contains(sha256);
    }

    /**
     * Whether a bundle that is published is kept with its content, so that it need not be put again. {@link #find} may know less: a file of this machine says nothing of
     * what others get.
     */
    default boolean isKept(Entry entry) throws IOException {
        return find(entry).isPresent();
    }

    /** The main attributes of a bundle's manifest, or nothing if it is damaged. @throws IOException as {@link #find} */
    default Optional<Manifest> manifest(Entry entry) throws IOException {
        Optional<Path> file = find(entry);
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try (JarFile jar = new JarFile(file.get().toFile(), false)) {
            return Optional.of(jar.getManifest());
        }
    }

    /** Who signed a bundle, if that is known without its file. */
    default Optional<SignedJar> signed(Entry entry) {
        return Optional.empty();
    }
}
