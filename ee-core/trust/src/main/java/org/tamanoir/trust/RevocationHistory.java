package org.tamanoir.trust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;

/**
 * Every revocation that was ever read, until it expires or a list restores what it names. A second file keeps them over restarts, so an
 * operator's list that is emptied, lost or put back to an older state takes nothing back.
 */
final class RevocationHistory {
    private final Path list;
    private final Path seen;
    private final boolean mayBeMissing;
    private RevocationList kept = RevocationList.NOTHING;
    private boolean saved = true;

    /**
     * @param list the operator's, or null for none
     * @param seen where to keep what was read, or null to keep it in memory only
     * @param mayBeMissing whether a list that is not there is no error
     * @throws AnepException EE-501 if what was kept cannot be read
     */
    RevocationHistory(Path list, Path seen, boolean mayBeMissing) {
        this.list = list;
        this.mayBeMissing = mayBeMissing;
        this.seen = seen;
        if (seen != null && Files.exists(seen)) {
            kept = RevocationList.read(seen);
        }
    }

    /** What was revoked when it was last read. */
    RevocationList kept() {
        return kept;
    }

    static LocalDate today() {
        return LocalDate.now(ZoneOffset.UTC);
    }

    /**
     * Reads the list.
     *
     * @return all that is revoked now
     * @throws AnepException EE-501 if the list is no good: what was revoked before stays
     */
    RevocationList read() {
        if (list == null || mayBeMissing && !Files.exists(list)) {
            return kept;
        }
        RevocationList now = RevocationList.read(list).after(kept, list, today());
        saved &= now.equals(kept) && (seen == null || Files.exists(seen));
        kept = now;
        return kept;
    }

    /** @throws AnepException EE-409 if the disk does not take it: it is in force all the same, until a restart */
    void save() {
        if (saved || seen == null) {
            return;
        }
        try {
            Files.createDirectories(seen.toAbsolutePath().getParent());
            Durable.replace(seen, kept.text());
            saved = true;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what is revoked cannot be kept in " + seen + " and would be forgotten at a restart: " + e, e);
        }
    }
}
