package org.tamanoir.observatory.store;

import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;

/** Plans and topologies, with every version that there ever was. */
public final class Documents {
    private static final int LISTED = 1000;

    /** What there is. */
    public enum Kind {
        PLAN, TOPOLOGY;

        /** {@code plan}. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** How a text is written. */
    public enum Format {
        YAML, PSCONFIG;

        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * One version.
     *
     * @param version from 1
     * @param time    when it was put, milliseconds of the epoch
     * @param who     put it
     */
    public record Version(long version, long time, String who, Format format, String content) {
    }

    private final Database database;

    public Documents(Database database) {
        this.database = database;
    }

    public Optional<Version> current(Kind kind) {
        return database.read(handle -> newest(handle, kind));
    }

    private static Optional<Version> newest(Handle handle, Kind kind) {
        return handle.createQuery("SELECT version, time, who, format, content FROM document WHERE kind = :kind ORDER BY version DESC LIMIT 1").bind("kind", kind.text())
                .map((row, context) -> new Version(row.getLong(1), row.getLong(2), row.getString(3), Format.valueOf(row.getString(4)), row.getString(5))).findFirst();
    }

    public Optional<Version> version(Kind kind, long version) {
        return database.read(handle -> handle.createQuery("SELECT version, time, who, format, content FROM document WHERE kind = :kind AND version = :version").bind("kind", kind.text())
                .bind("version", version).map((row, context) -> new Version(row.getLong(1), row.getLong(2), row.getString(3), Format.valueOf(row.getString(4)), row.getString(5))).findFirst());
    }

    /** The newest first, at most {@value #LISTED}, without their content. */
    public List<Version> history(Kind kind) {
        return database.read(handle -> handle.createQuery("SELECT version, time, who, format FROM document WHERE kind = :kind ORDER BY version DESC LIMIT " + LISTED).bind("kind", kind.text())
                .map((row, context) -> new Version(row.getLong(1), row.getLong(2), row.getString(3), Format.valueOf(row.getString(4)), null)).list());
    }

    /**
     * Puts a version in force. The text of the current one makes no new version.
     *
     * @param expected the version that must be the current one, 0 for none at all; null if it does not matter
     * @throws AnepException EE-413 if another one is
     */
    public Version put(Kind kind, Format format, String content, String who, long now, Long expected) {
        return database.write(handle -> {
            Version current = newest(handle, kind).orElse(null);
            long number = current == null ? 0 : current.version();
            if (expected != null && expected != number) {
                throw new AnepException(ErrorCode.CHANGED_MEANWHILE, "the " + kind.text() + " has version " + number + ", and not " + expected + " any more");
            }
            if (current != null && current.content().equals(content) && current.format() == format) {
                return current;
            }
            handle.createUpdate("INSERT INTO document (kind, version, time, who, format, content) VALUES (:kind, :version, :time, :who, :format, :content)").bind("kind", kind.text())
                    .bind("version", number + 1).bind("time", now).bind("who", who).bind("format", format.name()).bind("content", content).execute();
            return new Version(number + 1, now, who, format, content);
        });
    }
}
