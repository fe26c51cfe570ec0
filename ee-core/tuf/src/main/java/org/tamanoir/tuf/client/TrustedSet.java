package org.tamanoir.tuf.client;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.DelegatedRole;
import org.tamanoir.tuf.format.MetaFile;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleKeys;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Root;
import org.tamanoir.tuf.format.Signed;
import org.tamanoir.tuf.format.Snapshot;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.format.Timestamp;

/**
 * The metadata that a client believes. Immutable: what is accepted makes another set, what is not leaves this one as it is. Order of the
 * workflow: roots, one after the other; then the timestamp, the snapshot that it names, the roles with targets that that one names.
 *
 * <p>A set may be incomplete: a newer timestamp whose snapshot has not come yet still keeps older ones out.
 */
public final class TrustedSet {
    private final Metadata<Root> root;
    /** Null before the first one, and after its keys were taken away. */
    private final Metadata<Timestamp> timestamp;
    private final Metadata<Snapshot> snapshot;
    /** As the snapshot that they came with named them; whether they are believed now is asked whenever they are used. */
    private final Map<String, Metadata<Targets>> roles;

    private TrustedSet(Metadata<Root> root, Metadata<Timestamp> timestamp, Metadata<Snapshot> snapshot, Map<String, Metadata<Targets>> roles) {
        this.root = root;
        this.timestamp = timestamp;
        this.snapshot = snapshot;
        this.roles = Map.copyOf(roles);
    }

    /**
     * What is believed before anything has been asked for.
     *
     * @param root got by a way that an attacker does not control; it may have expired
     * @throws AnepException EE-420, EE-421 if it is no root that its own keys have signed
     */
    public static TrustedSet of(byte[] root) {
        Metadata<Root> first = Metadata.root(root);
        first.signed().role(RoleName.ROOT).check(first, "the role root itself");
        return new TrustedSet(first, null, null, Map.of());
    }

    /**
     * What was believed before, as it was kept; whether something has expired is not asked.
     *
     * @param timestamp null for none
     * @param snapshot  null for none
     * @throws AnepException EE-420, EE-421 if the parts do not belong together
     */
    public static TrustedSet restored(byte[] root, byte[] timestamp, byte[] snapshot, Map<String, byte[]> roles) {
        TrustedSet set = of(root);
        Metadata<Timestamp> first = timestamp == null ? null : set.signed(Metadata.timestamp(timestamp), RoleName.TIMESTAMP);
        Metadata<Snapshot> second = snapshot == null ? null : set.signed(Metadata.snapshot(snapshot), RoleName.SNAPSHOT);
        Map<String, Metadata<Targets>> third = new LinkedHashMap<>();
        roles.forEach((name, octets) -> third.put(name, Metadata.targets(octets)));
        return new TrustedSet(set.root, first, second, third);
    }

    public Root root() {
        return root.signed();
    }

    /** Null for none. */
    public Timestamp timestamp() {
        return timestamp == null ? null : timestamp.signed();
    }

    /** Null for none. */
    public Snapshot snapshot() {
        return snapshot == null ? null : snapshot.signed();
    }

    /** Null for one that is not there, or that the snapshot does not name any more. */
    public Targets targets(String role) {
        Metadata<Targets> metadata = roles.get(role);
        return metadata == null || !isNamed(role, metadata) ? null : metadata.signed();
    }

    /** The files of which this set is made, by the role. */
    public Map<String, Metadata<?>> files() {
        Map<String, Metadata<?>> files = new LinkedHashMap<>();
        files.put(RoleName.ROOT, root);
        if (timestamp != null) {
            files.put(RoleName.TIMESTAMP, timestamp);
        }
        if (snapshot != null) {
            files.put(RoleName.SNAPSHOT, snapshot);
        }
        files.putAll(roles);
        return files;
    }

    /**
     * Takes the next root (section 5.3). It may have expired: another may follow. If it takes a key of the timestamp or of the snapshot away,
     * what these roles have said is forgotten, for whoever had the key may have said that there are versions which there never will be.
     *
     * @throws AnepException EE-420; EE-421 unless both roots' keys have signed; EE-422 if it is not the next one
     */
    public TrustedSet withRoot(byte[] octets) {
        Metadata<Root> next = Metadata.root(octets);
        root().role(RoleName.ROOT).check(next, "the root before");
        next.signed().role(RoleName.ROOT).check(next, "this root itself");
        if (next.signed().version() != root().version() + 1) {
            throw new AnepException(ErrorCode.METADATA_ROLLBACK, next + " came where version " + (root().version() + 1) + " must follow");
        }
        boolean rotated = !keeps(next.signed(), RoleName.TIMESTAMP) || !keeps(next.signed(), RoleName.SNAPSHOT);
        return rotated ? new TrustedSet(next, null, null, roles) : new TrustedSet(next, still(next, timestamp, RoleName.TIMESTAMP),
                still(next, snapshot, RoleName.SNAPSHOT), roles);
    }

    private boolean keeps(Root next, String role) {
        return next.role(role).hasAllOf(root().role(role));
    }

    /** What too few of the new keys have signed is not believed under them: a threshold was raised. */
    private static <T extends Signed> Metadata<T> still(Metadata<Root> next, Metadata<T> metadata, String role) {
        RoleKeys keys = next.signed().role(role);
        return metadata == null || keys.signers(metadata) < keys.threshold() ? null : metadata;
    }

    /**
     * Checks that the root is the last one that is to be believed now (section 5.3.10).
     *
     * @throws AnepException EE-423
     */
    public void checkRoot(Instant now) {
        checkExpiry(root, RoleName.ROOT, now);
    }

    /**
     * Takes a timestamp (section 5.4).
     *
     * @return this set, if it is of the version that is known
     * @throws AnepException EE-420; EE-421; EE-422 if it or the snapshot that it names is older than what is known; EE-423
     */
    public TrustedSet withTimestamp(byte[] octets, Instant now) {
        checkRoot(now);
        Metadata<Timestamp> next = signed(Metadata.timestamp(octets), RoleName.TIMESTAMP);
        if (timestamp != null) {
            if (next.signed().version() < timestamp().version()) {
                throw rollback(next.toString(), timestamp().version());
            }
            if (next.signed().version() == timestamp().version()) {
                return this;
            }
            if (next.signed().snapshot().version() < timestamp().snapshot().version()) {
                throw rollback(next + " names version " + next.signed().snapshot().version() + " of snapshot, which",
                        timestamp().snapshot().version());
            }
        }
        checkExpiry(next, RoleName.TIMESTAMP, now);
        return new TrustedSet(root, next, snapshot, roles);
    }

    /** Checks that the timestamp still holds (section 5.4.4). @throws AnepException EE-423; EE-429 if there is none */
    public void checkTimestamp(Instant now) {
        checkRoot(now);
        checkExpiry(timestamp, RoleName.TIMESTAMP, now);
    }

    /**
     * Takes the snapshot that the timestamp names (section 5.5).
     *
     * @throws AnepException EE-420; EE-421; EE-422 if it names older metadata of a role than the one before, or none; EE-423; EE-424 if it is
     *                       another one than the timestamp names
     */
    public TrustedSet withSnapshot(byte[] octets, Instant now) {
        checkTimestamp(now);
        MetaFile named = timestamp().snapshot();
        named.check(octets, RoleName.SNAPSHOT);
        Metadata<Snapshot> next = signed(Metadata.snapshot(octets), RoleName.SNAPSHOT);
        checkVersion(next, named, RoleName.TIMESTAMP);
        if (snapshot != null) {
            snapshot().roles().forEach((role, before) -> {
                MetaFile after = next.signed().roles().get(role);
                if (after == null) {
                    throw new AnepException(ErrorCode.METADATA_ROLLBACK, next + " does not name the role " + role + " any more");
                }
                if (after.version() < before.version()) {
                    throw rollback(next + " names version " + after.version() + " of " + role + ", which", before.version());
                }
            });
        }
        checkExpiry(next, RoleName.SNAPSHOT, now);
        return new TrustedSet(root, timestamp, next, roles);
    }

    /** Whether the snapshot is the one that the timestamp names. */
    public boolean hasNamedSnapshot() {
        return timestamp != null && snapshot != null && snapshot().version() == timestamp().snapshot().version()
                && timestamp().snapshot().hashes().map(hashes -> hashes.match(snapshot.octets())).orElse(true);
    }

    /** Checks that the snapshot holds (section 5.5.6), and what is above it. @throws AnepException EE-423; EE-424; EE-429 if there is none */
    public void checkSnapshot(Instant now) {
        checkTimestamp(now);
        checkExpiry(snapshot, RoleName.SNAPSHOT, now);
        if (!hasNamedSnapshot()) {
            throw new AnepException(ErrorCode.METADATA_MISMATCH, snapshot + " is known, and the timestamp names version "
                    + timestamp().snapshot().version());
        }
    }

    /**
     * Takes the metadata of a role with targets, as the snapshot names it (section 5.6). Some role that is believed must delegate to it.
     *
     * @throws AnepException EE-420; EE-421; EE-423; EE-424 if it is another one than the snapshot names, or the snapshot names none
     */
    public TrustedSet withTargets(String role, byte[] octets, Instant now) {
        checkSnapshot(now);
        MetaFile named = snapshot().roles().get(role);
        if (named == null) {
            throw new AnepException(ErrorCode.METADATA_MISMATCH, "the snapshot does not name the role " + role);
        }
        named.check(octets, role);
        Metadata<Targets> next = Metadata.targets(octets);
        checkDelegated(role, next);
        checkVersion(next, named, RoleName.SNAPSHOT);
        checkExpiry(next, role, now);
        Map<String, Metadata<Targets>> with = new LinkedHashMap<>(roles);
        with.put(role, next);
        // What the snapshot does not name as it is here will not be used again.
        with.entrySet().removeIf(each -> !isNamed(each.getKey(), each.getValue()));
        return new TrustedSet(root, timestamp, snapshot, with);
    }

    private void checkDelegated(String role, Metadata<Targets> next) {
        if (role.equals(RoleName.TARGETS)) {
            signed(next, role);
            return;
        }
        AnepException last = new AnepException(ErrorCode.METADATA_UNSIGNED, "nobody delegates to the role " + role);
        for (String delegator : roles.keySet()) {
            DelegatedRole delegation = targets(delegator) == null ? null : targets(delegator).delegation(role);
            if (delegation != null) {
                try {
                    delegation.keys().check(next, "the role " + role + " that " + delegator + " names");
                    return;
                } catch (AnepException e) {
                    last = e;
                }
            }
        }
        throw last;
    }

    /** Whether what is here of a role has been signed by the keys that its delegator gives it; null stands for the root. */
    boolean isSigned(String role, RoleKeys keys) {
        Metadata<Targets> metadata = roles.get(role);
        RoleKeys must = keys == null ? root().role(role) : keys;
        return metadata != null && must.signers(metadata) >= must.threshold();
    }

    /** Whether the snapshot names exactly this. */
    private boolean isNamed(String role, Metadata<Targets> metadata) {
        MetaFile named = snapshot == null ? null : snapshot().roles().get(role);
        return named != null && named.version() == metadata.signed().version() && named.length().map(length -> length == metadata.octets().length).orElse(true)
                && named.hashes().map(hashes -> hashes.match(metadata.octets())).orElse(true);
    }

    private <T extends Signed> Metadata<T> signed(Metadata<T> metadata, String role) {
        root().role(role).check(metadata, "the role " + role);
        return metadata;
    }

    private static void checkVersion(Metadata<?> metadata, MetaFile named, String by) {
        if (metadata.signed().version() != named.version()) {
            throw new AnepException(ErrorCode.METADATA_MISMATCH, metadata + " came, and the " + by + " names version " + named.version());
        }
    }

    private static void checkExpiry(Metadata<?> metadata, String role, Instant now) {
        if (metadata == null) {
            throw new AnepException(ErrorCode.NO_METADATA, "there is no " + role + " yet");
        }
        if (metadata.signed().isExpired(now)) {
            throw expired(role, metadata.signed(), now);
        }
    }

    static AnepException expired(String role, Signed signed, Instant now) {
        return new AnepException(ErrorCode.METADATA_EXPIRED, "version " + signed.version() + " of " + role + " has expired at " + signed.expires()
                + ", and now is " + now + ": somebody keeps newer metadata back, nobody has signed any, or this clock is wrong");
    }

    private static AnepException rollback(String what, long known) {
        return new AnepException(ErrorCode.METADATA_ROLLBACK, what + " is older than version " + known + ", which is known");
    }
}
