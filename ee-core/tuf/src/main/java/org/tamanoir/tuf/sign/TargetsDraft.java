package org.tamanoir.tuf.sign;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;

/** The metadata of a role with targets that is being written. */
public final class TargetsDraft extends KeyedDraft {
    private TargetsDraft(Map<String, Object> signed) {
        super(signed);
    }

    /** The first version: no targets, no delegations. */
    public TargetsDraft(Instant expires) {
        super(RoleName.TARGETS, expires);
        signed.put("targets", new LinkedHashMap<String, Object>());
    }

    /** Metadata as it is, to be changed. @throws AnepException EE-420 */
    public static TargetsDraft of(byte[] octets) {
        Metadata.targets(octets);
        return new TargetsDraft(Draft.read(octets).signed);
    }

    /** The version after this one. */
    public TargetsDraft next() {
        version(version() + 1);
        return this;
    }

    /**
     * Vouches for a file.
     *
     * @param path   of the target
     * @param custom what else is said of it; texts and integers; empty for nothing
     */
    public void target(String path, long length, String sha256, Map<String, Object> custom) {
        Map<String, Object> target = new LinkedHashMap<>();
        target.put("length", length);
        target.put("hashes", new LinkedHashMap<>(Map.of("sha256", sha256)));
        if (!custom.isEmpty()) {
            target.put("custom", new LinkedHashMap<>(custom));
        }
        object(signed, "targets").put(path, target);
        changed();
    }

    /** Vouches for a file no more. @return whether it did */
    public boolean removeTarget(String path) {
        changed();
        return object(signed, "targets").remove(path) != null;
    }

    /**
     * Trusts a role for some targets: after the roles that it trusts already, so that no path of theirs passes on. A role that it trusts already gets
     * these paths as well.
     *
     * @param paths patterns
     * @throws AnepException EE-501 if a role cannot be called so
     */
    public void delegate(String role, Key key, List<String> paths) {
        if (!RoleName.isDelegable(role)) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "no role of a publisher can be called '" + role + "': letters, digits, dots, dashes and "
                    + "underscores, at most 128, and not " + RoleName.ROOT + ", " + RoleName.TIMESTAMP + ", " + RoleName.SNAPSHOT + " or " + RoleName.TARGETS);
        }
        if (!signed.containsKey("delegations")) {
            Map<String, Object> none = new LinkedHashMap<>();
            none.put("keys", new LinkedHashMap<String, Object>());
            none.put("roles", new ArrayList<>());
            signed.put("delegations", none);
        }
        Map<String, Object> delegation = find(role);
        if (delegation == null) {
            delegation = new LinkedHashMap<>();
            delegation.put("name", role);
            delegation.put("keyids", new ArrayList<>());
            delegation.put("threshold", 1L);
            delegation.put("terminating", true);
            delegation.put("paths", new ArrayList<>());
            list(object(signed, "delegations"), "roles").add(delegation);
        }
        if (key != null) {
            addKey(role, key);
        }
        List<Object> known = list(delegation, "paths");
        paths.stream().filter(path -> !known.contains(path)).forEach(known::add);
        changed();
    }

    /** Trusts a role no more. @throws AnepException EE-407 if it does not */
    public void removeDelegation(String role) {
        list(object(signed, "delegations"), "roles").remove(role(role));
        dropUnused();
    }

    /** Takes patterns away from a role. @throws AnepException EE-407 if there is no such role, or it does not have one of them */
    public void removePaths(String role, List<String> paths) {
        List<Object> known = list(role(role), "paths");
        for (String path : paths) {
            if (!known.remove(path)) {
                throw new AnepException(ErrorCode.NOT_FOUND, "the role " + role + " is not trusted for " + path + ", but for " + known);
            }
        }
        changed();
    }

    @Override
    List<Map<String, Object>> roles() {
        return list(object(signed, "delegations"), "roles").stream().map(Draft::object).toList();
    }

    @Override
    Map<String, Object> keys() {
        return object(object(signed, "delegations"), "keys");
    }

    @Override
    Map<String, Object> role(String name) {
        Map<String, Object> delegation = signed.containsKey("delegations") ? find(name) : null;
        if (delegation == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "nothing is delegated to a role " + name);
        }
        return delegation;
    }

    private Map<String, Object> find(String role) {
        return roles().stream().filter(each -> role.equals(each.get("name"))).findFirst().orElse(null);
    }
}
