package org.tamanoir.repository.tuf;

import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
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
 * What a repository has published. Immutable.
 *
 * @param root      null before the first
 * @param timestamp null before there is one
 * @param snapshot  null before there is one
 * @param roles     those with targets, also those to whom nobody delegates any more
 */
record Published(Metadata<Root> root, Metadata<Timestamp> timestamp, Metadata<Snapshot> snapshot, Map<String, Metadata<Targets>> roles) {
    static final Published NOTHING = new Published(null, null, null, Map.of());

    /** @throws AnepException EE-426 if something is missing or is not what is named */
    static Published read(MetadataFiles files) throws IOException {
        OptionalLong newest = files.newest(RoleName.ROOT);
        if (newest.isEmpty()) {
            if (files.timestamp() != null) {
                throw files.damaged("there is no root");
            }
            return NOTHING;
        }
        try {
            Metadata<Root> root = Metadata.root(read(files, RoleName.ROOT, newest.getAsLong()));
            if (files.timestamp() == null) {
                if (files.newest(RoleName.SNAPSHOT).isPresent()) {
                    throw files.damaged("timestamp.json is missing");
                }
                return new Published(root, null, null, Map.of());
            }
            Metadata<Timestamp> timestamp = Metadata.timestamp(files.timestamp().octets());
            Metadata<Snapshot> snapshot = Metadata.snapshot(read(files, RoleName.SNAPSHOT, timestamp.signed().snapshot()));
            Map<String, Metadata<Targets>> roles = new TreeMap<>();
            for (Map.Entry<String, MetaFile> role : snapshot.signed().roles().entrySet()) {
                roles.put(role.getKey(), Metadata.targets(read(files, role.getKey(), role.getValue())));
            }
            return new Published(root, timestamp, snapshot, roles);
        } catch (AnepException e) {
            throw e.code() == ErrorCode.METADATA_DAMAGED ? e : files.damaged(e.text());
        }
    }

    private static byte[] read(MetadataFiles files, String role, MetaFile named) throws IOException {
        byte[] octets = read(files, role, named.version());
        named.check(octets, role);
        return octets;
    }

    private static byte[] read(MetadataFiles files, String role, long version) throws IOException {
        byte[] octets = files.read(version + "." + role + ".json");
        if (octets == null) {
            throw files.damaged(version + "." + role + ".json is missing");
        }
        return octets;
    }

    Published with(Metadata<Root> next) {
        return new Published(next, timestamp, snapshot, roles);
    }

    Published with(Metadata<Timestamp> newTimestamp, Metadata<Snapshot> newSnapshot, Map<String, Metadata<Targets>> newRoles) {
        return new Published(root, newTimestamp, newSnapshot, newRoles);
    }

    /** What the roles say after one of them has said something new. */
    Map<String, Metadata<Targets>> rolesWith(String role, Metadata<Targets> next) {
        Map<String, Metadata<Targets>> with = new TreeMap<>(roles);
        with.put(role, next);
        return with;
    }

    /** The keys of a role with targets. @throws AnepException EE-428 if nothing is delegated to it */
    RoleKeys keys(String role) {
        return role.equals(RoleName.TARGETS) ? root.signed().role(role) : delegation(role).keys();
    }

    /** @throws AnepException EE-428 if nothing is delegated to it */
    DelegatedRole delegation(String role) {
        Metadata<Targets> top = roles.get(RoleName.TARGETS);
        DelegatedRole delegation = top == null ? null : top.signed().delegation(role);
        if (delegation == null) {
            throw new AnepException(ErrorCode.NOT_DELEGATED, "nothing is delegated to a role " + role + " here");
        }
        return delegation;
    }

    /** When something that people sign expires, by the role: the root and those with targets that somebody delegates to. */
    Map<String, Instant> expiries() {
        Map<String, Instant> expiries = new LinkedHashMap<>();
        if (root != null) {
            expiries.put(RoleName.ROOT, root.signed().expires());
        }
        put(expiries, RoleName.TIMESTAMP, timestamp);
        put(expiries, RoleName.SNAPSHOT, snapshot);
        put(expiries, RoleName.TARGETS, roles.get(RoleName.TARGETS));
        if (roles.containsKey(RoleName.TARGETS)) {
            roles.get(RoleName.TARGETS).signed().delegations().forEach(each -> put(expiries, each.name(), roles.get(each.name())));
        }
        return expiries;
    }

    private static void put(Map<String, Instant> expiries, String role, Metadata<? extends Signed> metadata) {
        if (metadata != null) {
            expiries.put(role, metadata.signed().expires());
        }
    }
}
