package org.tamanoir.repository.store.postgresql;

import aQute.bnd.version.Version;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.store.BundleFacts;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;

/** The tables of {@code V1__services_releases_bundles.sql}, but for the content of bundles. */
final class Rows {
    private static final Logger LOG = LoggerFactory.getLogger(Rows.class);
    /** Whoever has changed the catalogue says so here. */
    static final String CHANNEL = "tamanoir_repository";

    /**
     * The row of the state.
     *
     * @param mark       of the last change: no other has the same
     * @param revision   of the catalogue
     * @param isReadOnly whether the database takes no changes
     * @param program    how many times a program has changed the tables
     * @param time       of the database
     */
    record State(UUID mark, long revision, boolean isReadOnly, int program, Instant time) {
    }

    /** Rows are not as this program would have written them. */
    static final class ForeignRowException extends RuntimeException {
        ForeignRowException(String message) {
            super(message);
        }
    }

    private Rows() {
    }

    /** What is acknowledged is on the disk, also where the site has chosen otherwise for its database. */
    static void beDurable(Handle handle) {
        handle.createQuery("SELECT set_config('synchronous_commit', 'on', TRUE) WHERE current_setting('synchronous_commit') IN ('off', 'local')").mapTo(String.class).findOne();
    }

    static State state(Handle handle) {
        return state(handle, "");
    }

    /** The same; until the transaction ends nobody else has it. */
    static State locked(Handle handle) {
        return state(handle, " FOR UPDATE");
    }

    private static State state(Handle handle, String lock) {
        return handle.createQuery("SELECT mark, revision, current_setting('transaction_read_only') = 'on', (SELECT max(installed_rank) FROM repository_version), clock_timestamp()"
                + " FROM repository_state" + lock)
                .map((row, context) -> new State(row.getObject(1, UUID.class), row.getLong(2), row.getBoolean(3), row.getInt(4), row.getTimestamp(5).toInstant())).findOne()
                .orElseThrow(() -> new AnepException(ErrorCode.DATABASE_REFUSES, "the table repository_state has no row: somebody has removed it"));
    }

    /** The catalogue: one statement, so of one moment. @throws AnepException EE-439 if a row makes no sense */
    static Catalogue catalogue(Handle handle) {
        try {
            return read(handle);
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new AnepException(ErrorCode.DATABASE_REFUSES, "another program has written what is no version: " + e.getMessage(), e);
        }
    }

    private static Catalogue read(Handle handle) {
        long[] revision = new long[1];
        List<Entry> entries = new ArrayList<>();
        handle.createQuery("SELECT t.revision, s.name, s.type_id, r.version, r.level, r.sha256, r.size, r.uploaded, r.retired, r.publisher, r.key"
                + " FROM repository_state t LEFT JOIN (repository_release r JOIN repository_service s ON s.name = r.service) ON TRUE").map((row, context) -> {
                    revision[0] = row.getLong(1);
                    return row.getString(2) == null ? List.<Entry>of() : List.of(entry(row));
                }).forEach(entries::addAll);
        return new Catalogue(revision[0], entries);
    }

    private static Entry entry(ResultSet row) throws SQLException {
        Version.parseVersion(row.getString(4));
        return new Entry(row.getString(2), row.getInt(3), row.getString(4), row.getString(5), row.getString(6), row.getLong(7), row.getTimestamp(8).toInstant().toString(),
                row.getBoolean(9), row.getString(10), row.getString(11));
    }

    /** Of those bundles that are kept here. */
    static Map<String, BundleFacts> facts(Handle handle, Collection<String> sha256) {
        Map<String, BundleFacts> facts = new HashMap<>();
        if (!sha256.isEmpty()) {
            handle.createQuery("SELECT sha256, manifest, signed FROM repository_bundle WHERE sha256 = ANY (string_to_array(:all, ','))").bind("all", String.join(",", sha256))
                    .map((row, context) -> facts(row)).forEach(each -> each.ifPresent(known -> facts.put(known.getKey(), known.getValue())));
        }
        return facts;
    }

    private static Optional<Map.Entry<String, BundleFacts>> facts(ResultSet row) throws SQLException {
        try {
            return Optional.of(Map.entry(row.getString(1), BundleFacts.of(row.getBytes(2), row.getString(3))));
        } catch (IOException e) {
            LOG.error("the row of the bundle {} cannot be read; push it again", row.getString(1), e);
            return Optional.empty();
        }
    }

    /** Whether there is a version whose bundle is elsewhere than it should be. @param here whether it should be in the database */
    static boolean isAnyElsewhere(Handle handle, boolean here) {
        return handle.createQuery("SELECT EXISTS (SELECT 1 FROM repository_release WHERE (stored IS NULL) = :here)").bind("here", here).mapTo(Boolean.class).one();
    }

    /** Writes what has changed, and tells the others. @param isStored whether the bundles are kept in this database @return the mark of this change */
    static UUID write(Handle handle, Catalogue before, Catalogue after, boolean isStored) {
        Set<Entry> unchanged = new HashSet<>(before.entries());
        for (Entry entry : after.entries()) {
            if (!unchanged.contains(entry)) {
                writeService(handle, entry);
                writeRelease(handle, entry, isStored);
            }
        }
        tell(handle);
        return handle.createQuery("UPDATE repository_state SET revision = :revision, mark = gen_random_uuid() RETURNING mark").bind("revision", after.revision()).mapTo(UUID.class).one();
    }

    /** Wakes the others when this transaction is done. */
    static void tell(Handle handle) {
        handle.createQuery("SELECT pg_notify('" + CHANNEL + "', '')").mapTo(String.class).findOne();
    }

    private static void writeService(Handle handle, Entry entry) {
        one(entry, handle.createUpdate("INSERT INTO repository_service (name, type_id, publisher) VALUES (:name, :type, :publisher) ON CONFLICT (name)"
                + " DO UPDATE SET publisher = COALESCE(repository_service.publisher, excluded.publisher) WHERE repository_service.type_id = excluded.type_id")
                .bind("name", entry.name()).bind("type", entry.typeId()).bind("publisher", entry.publisher()).execute());
    }

    private static void writeRelease(Handle handle, Entry entry, boolean isStored) {
        one(entry, handle.createUpdate("INSERT INTO repository_release (service, version, level, sha256, size, uploaded, retired, publisher, key, stored)"
                + " VALUES (:service, :version, :level, :sha256, :size, :uploaded, :retired, :publisher, :key, :stored) ON CONFLICT (service, version)"
                + " DO UPDATE SET retired = excluded.retired, publisher = excluded.publisher, key = excluded.key WHERE repository_release.sha256 = excluded.sha256")
                .bind("service", entry.name()).bind("version", entry.version()).bind("level", entry.level()).bind("sha256", entry.sha256()).bind("size", entry.size())
                .bind("uploaded", Timestamp.from(Instant.parse(entry.uploaded()))).bind("retired", entry.retired()).bind("publisher", entry.publisher()).bind("key", entry.key())
                .bind("stored", isStored ? entry.sha256() : null).execute());
    }

    private static void one(Entry entry, int rows) {
        if (rows != 1) {
            throw new ForeignRowException("the row of " + entry.name() + " " + entry.version() + " is another than was read");
        }
    }
}
