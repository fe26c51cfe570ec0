package org.tamanoir.repository.tuf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.DelegatedRole;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.TargetFile;
import org.tamanoir.tuf.format.Targets;

/**
 * The rules for what a publisher's role may say next. What was published under a version never changes; what is new is here.
 *
 * @param role    of the publisher
 * @param next    its metadata
 * @param added   targets that were none before, by their path
 * @param removed paths of those that are none any more
 */
record RoleChange(String role, Metadata<Targets> next, Map<String, TargetFile> added, List<String> removed) {
    /**
     * Compares with what the role has said before.
     *
     * @param before null for nothing
     * @throws AnepException EE-404 if a target has other content now
     */
    static RoleChange between(String role, Metadata<Targets> before, Metadata<Targets> next) {
        Map<String, TargetFile> old = before == null ? Map.of() : before.signed().targets();
        Map<String, TargetFile> added = new LinkedHashMap<>();
        next.signed().targets().forEach((path, file) -> {
            TargetFile was = old.get(path);
            if (was == null) {
                added.put(path, file);
            } else if (!was.equals(file)) {
                throw new AnepException(ErrorCode.VERSION_EXISTS, path + " is a target already, with other content; give the new content a new version");
            }
        });
        List<String> removed = new ArrayList<>(old.keySet());
        removed.removeAll(next.signed().targets().keySet());
        return new RoleChange(role, next, added, removed);
    }

    /** Checks its version, the keys that have signed it, and that it holds. @throws AnepException EE-421, EE-423, EE-427 */
    static void check(String role, Metadata<Targets> before, Metadata<Targets> next, Published published, Instant now) {
        published.keys(role).check(next, "the role " + role);
        if (before != null && next.signed().version() <= before.signed().version()) {
            throw new AnepException(ErrorCode.METADATA_TAKEN, "version " + before.signed().version() + " of the role " + role + " is published already, and this is "
                    + next.signed().version());
        }
        if (next.signed().isExpired(now)) {
            throw new AnepException(ErrorCode.METADATA_EXPIRED, next + " has expired at " + next.signed().expires() + ", and now is " + now);
        }
    }

    /** Checks that every new path is the role's. @throws AnepException EE-428 */
    void checkPaths(DelegatedRole delegation) {
        for (String path : added.keySet()) {
            if (!delegation.covers(path)) {
                throw new AnepException(ErrorCode.NOT_DELEGATED, "the role " + role + " has no say in " + path + ", but in " + delegation.paths());
            }
        }
    }

    /**
     * Checks that the bundle that comes with it is a target of it.
     *
     * @return SHA-256 of the bundle
     * @throws AnepException EE-401, EE-402, EE-411 if it is no bundle, EE-425 if it is no target, or another one
     */
    String checkBundle(Path bundle) throws IOException {
        ServiceBundle read = BundleReader.read(bundle);
        ServiceTarget target = new ServiceTarget(read.name(), read.version(), read.typeId(), read.level(), BundleHash.of(bundle), Files.size(bundle));
        if (!isTarget(target)) {
            throw new AnepException(ErrorCode.NOT_A_TARGET, "the metadata of the role " + role + " does not list " + target.path() + " with the content "
                    + target.sha256());
        }
        return target.sha256();
    }

    private boolean isTarget(ServiceTarget target) {
        TargetFile file = next.signed().targets().get(target.path());
        return file != null && ServiceTarget.of(target.path(), file).filter(target::equals).isPresent();
    }

    /**
     * Checks that what is new is in the catalogue, but for the bundle that comes with it.
     *
     * @param bundle its SHA-256; null for none
     * @throws AnepException EE-425
     */
    void checkThere(Catalogue catalogue, String bundle) {
        added.forEach((path, file) -> {
            String sha256 = file.hashes().sha256();
            if (sha256 == null || !sha256.equals(bundle)) {
                Entry entry = sha256 == null ? null : catalogue.content(sha256).orElse(null);
                if (entry == null || !isTarget(new ServiceTarget(entry.name(), entry.version(), entry.typeId(), entry.level(), entry.sha256(), entry.size()))
                        || !path.equals(ServiceTarget.path(entry.name(), entry.version()))) {
                    throw new AnepException(ErrorCode.NOT_A_TARGET, "there is no bundle here that " + path + " could be");
                }
            }
        });
    }

    /** {@code NAME/VERSION} of what is no target any more. */
    List<String> retired() {
        return removed.stream().map(path -> path.replaceFirst("\\.jar$", "")).toList();
    }
}
