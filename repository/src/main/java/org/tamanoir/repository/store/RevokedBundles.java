package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.Trust;
import org.tamanoir.trust.jar.SignedJar;

/**
 * Knows which bundles of a repository have been revoked since they were published. Every question looks whether the files of trust have
 * changed; bundles are only checked again when they have.
 */
final class RevokedBundles {
    private static final Logger LOG = LoggerFactory.getLogger(RevokedBundles.class);

    private final Trust trust;
    private final BundleKeeper bundles;
    private final Map<String, Boolean> known = new HashMap<>();
    private long revision = -1;

    RevokedBundles(Trust trust, BundleKeeper bundles) {
        this.trust = trust;
        this.bundles = bundles;
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
        if (!trust.revokesSomething()) {
            return false;
        }
        Boolean before = known.get(entry.sha256());
        if (before != null) {
            return before;
        }
        try {
            boolean revoked = isRevoked(entry);
            known.put(entry.sha256(), revoked);
            return revoked;
        } catch (IOException | AnepException e) {
            LOG.debug("{} {} cannot be checked now", entry.name(), entry.version(), e);
            return false;
        }
    }

    private boolean isRevoked(Entry entry) throws IOException {
        if (trust.revokesBundle(entry.sha256())) {
            return true;
        }
        Optional<SignedJar> signed = bundles.signed(entry);
        Optional<Path> file = signed.isPresent() ? Optional.empty() : bundles.find(entry);
        try {
            if (signed.isPresent()) {
                trust.check(signed.get(), entry.sha256());
            } else if (file.isPresent()) {
                trust.check(file.get(), entry.sha256());
            }
            return false;
        } catch (AnepException e) {
            // Whom it trusted when it was published, and its time: whoever runs the bundle decides on these.
            return e.code() == ErrorCode.REVOKED;
        }
    }
}
