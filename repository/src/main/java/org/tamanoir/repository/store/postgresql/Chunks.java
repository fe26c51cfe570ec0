package org.tamanoir.repository.store.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.tamanoir.repository.store.BundleFacts;
import org.tamanoir.repository.store.Entry;

/** The content of bundles in the tables of {@code V1__services_releases_bundles.sql}: rows of 1 MiB, so that no more than that of one is in memory. */
final class Chunks {
    private static final int CHUNK = 1 << 20;

    private Chunks() {
    }

    /**
     * Writes a bundle, or nothing if it is there already and whole.
     *
     * @param lease  of the process, by which it knows what it has put
     * @param isAnew also if it seems to be whole
     */
    static void write(Handle handle, Path file, Entry entry, BundleFacts facts, UUID lease, boolean isAnew) throws IOException {
        boolean isNew = handle.createQuery("INSERT INTO repository_bundle (sha256, size, manifest, signed, lease, put) VALUES (:sha256, :size, :manifest, :signed, :lease, now())"
                + " ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, manifest = excluded.manifest, signed = excluded.signed, lease = excluded.lease, put = excluded.put"
                + " RETURNING xmax = 0").bind("sha256", entry.sha256()).bind("size", entry.size()).bind("manifest", facts.manifestOctets()).bind("signed", facts.signedText())
                .bind("lease", lease).mapTo(Boolean.class).one();
        if (!isNew && !isAnew && octets(handle, entry) == entry.size()) {
            return;
        }
        if (!isNew) {
            handle.createUpdate("DELETE FROM repository_chunk WHERE sha256 = :sha256").bind("sha256", entry.sha256()).execute();
        }
        try (InputStream in = Files.newInputStream(file)) {
            int number = 0;
            for (byte[] chunk = in.readNBytes(CHUNK); chunk.length > 0; chunk = in.readNBytes(CHUNK)) {
                handle.createUpdate("INSERT INTO repository_chunk (sha256, number, octets) VALUES (:sha256, :number, :octets)").bind("sha256", entry.sha256()).bind("number", number++)
                        .bind("octets", chunk).execute();
            }
        }
    }

    private static long octets(Handle handle, Entry entry) {
        return handle.createQuery("SELECT COALESCE(sum(octet_length(octets)), 0) FROM repository_chunk WHERE sha256 = :sha256").bind("sha256", entry.sha256()).mapTo(Long.class).one();
    }

    /** Reads what there is of a bundle, and no more than its size and a chunk. */
    static void read(Handle handle, Entry entry, OutputStream out) {
        long read = 0;
        try {
            for (int number = 0; read <= entry.size(); number++) {
                Optional<byte[]> chunk = handle.createQuery("SELECT octets FROM repository_chunk WHERE sha256 = :sha256 AND number = :number").bind("sha256", entry.sha256())
                        .bind("number", number).mapTo(byte[].class).findOne();
                if (chunk.isEmpty() || chunk.get().length == 0) {
                    return;
                }
                out.write(chunk.get());
                read += chunk.get().length;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SHA-256 of the bundles that are published and not there with all their octets. */
    static List<String> incomplete(Handle handle) {
        return handle.createQuery("SELECT r.sha256 FROM repository_release r LEFT JOIN (SELECT sha256, sum(octet_length(octets)) AS octets FROM repository_chunk GROUP BY sha256) c"
                + " ON c.sha256 = r.sha256 WHERE r.stored IS NOT NULL AND c.octets IS DISTINCT FROM r.size").mapTo(String.class).list();
    }

    /** Removes what a process has put last and nobody has published. */
    static void remove(Handle handle, Entry entry, UUID lease) {
        handle.createUpdate("DELETE FROM repository_bundle b WHERE sha256 = :sha256 AND lease = :lease AND NOT EXISTS (SELECT FROM repository_release r WHERE r.stored = b.sha256)")
                .bind("sha256", entry.sha256()).bind("lease", lease).execute();
    }

    /** Removes what nobody has published since it was put, so long ago by the clock of the database. @return how many */
    static int removeStrays(Handle handle, Duration age) {
        return handle.createUpdate("DELETE FROM repository_bundle b WHERE put < now() - make_interval(secs => :age) AND NOT EXISTS (SELECT FROM repository_release r WHERE r.stored = b.sha256)")
                .bind("age", age.toMillis() / 1000.0).execute();
    }
}
