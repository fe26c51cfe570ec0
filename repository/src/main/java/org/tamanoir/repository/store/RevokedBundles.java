package org.tamanoir.repository.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.Trust;

/**
 * Knows which bundles of a repository have been revoked since they were published. Every question looks whether the files of trust have
 * changed; bundles are only checked again when they have.
 */
final class RevokedBundles {
    private static final Logger LOG = LoggerFactory.getLogger(RevokedBundles.class);

    private final Trust trust;
    private final DataDirectory directory;
    private final Map<String, Boolean> known = new HashMap<>();
    private long revision = -1;

    RevokedBundles(Trust trust, DataDirectory directory) {
        this.trust = trust;
        this.directory = directory;
    }

    /** SHA-256 of those that are revoked. */
    synchronized Set<String> among(List<Entry> entries) {
        refresh();
        Set<String> revoked = new TreeSet<>();
        for (Entry entry : entries) {
            if (isKnownRevoked(entry)) {
                revoked.add(entry.sha256());
            }
        }
        return revoked;
    }

    /** @throws AnepException EE-316 if the bundle is revoked */
    synchronized void check(Entry entry) {
        refresh();
        if (isKnownRevoked(entry)) {
            throw new AnepException(ErrorCode.REVOKED, entry.name() + " " + entry.version() + " has been revoked"
                    + (entry.publisher() == null ? "" : ", or the key of its publisher " + entry.publisher()));
        }
    }

    private void refresh() {
        reload(trust);
        if (trust.revision() != revision) {
            known.clear();
            revision = trust.revision();
        }
    }

    /** Takes files of trust that have changed; what is no good is logged once, and what was trusted before stays. */
    static void reload(Trust trust) {
        try {
            if (trust.reload()) {
                LOG.info("the files of trust have been read again");
            }
        } catch (AnepException e) {
            LOG.error("what was trusted before stays trusted: {}", e.getMessage());
        }
    }

    private boolean isKnownRevoked(Entry entry) {
        return trust.revokesSomething() && known.computeIfAbsent(entry.sha256(), sha256 -> isRevoked(entry));
    }

    private boolean isRevoked(Entry entry) {
        try {
            trust.check(directory.bundle(entry.sha256()), entry.sha256());
            return false;
        } catch (AnepException e) {
            // Whom it trusted when it was published, and its time: whoever runs the bundle decides on these.
            return e.code() == ErrorCode.REVOKED;
        }
    }
}
