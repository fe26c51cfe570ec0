package org.tamanoir.tuf.sign;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;

/** A root that is being written. */
public final class RootDraft extends KeyedDraft {
    private RootDraft(Map<String, Object> signed) {
        super(signed);
    }

    /** The first root of a repository: no role has a key. */
    public RootDraft(Instant expires) {
        super(RoleName.ROOT, expires);
        signed.put("consistent_snapshot", true);
        signed.put("keys", new LinkedHashMap<String, Object>());
        Map<String, Object> roles = new LinkedHashMap<>();
        for (String role : List.of(RoleName.ROOT, RoleName.TIMESTAMP, RoleName.SNAPSHOT, RoleName.TARGETS)) {
            roles.put(role, role(1));
        }
        signed.put("roles", roles);
    }

    private static Map<String, Object> role(long threshold) {
        Map<String, Object> role = new LinkedHashMap<>();
        role.put("keyids", new ArrayList<>());
        role.put("threshold", threshold);
        return role;
    }

    /** A root as it is, to be changed. @throws AnepException EE-420 */
    public static RootDraft of(byte[] octets) {
        Metadata.root(octets);
        return new RootDraft(Draft.read(octets).signed);
    }

    /** The version after this one. */
    public RootDraft next() {
        version(version() + 1);
        return this;
    }

    @Override
    Map<String, Object> role(String name) {
        return object(object(signed, "roles"), name);
    }

    @Override
    List<Map<String, Object>> roles() {
        return object(signed, "roles").values().stream().map(Draft::object).toList();
    }

    @Override
    Map<String, Object> keys() {
        return object(signed, "keys");
    }

    /** Checks that each role can be signed. @throws AnepException EE-501 if one has fewer keys than must sign */
    public void check() {
        object(signed, "roles").forEach((name, role) -> {
            int keys = list(object(role), "keyids").size();
            if (keys < (Long) object(role).get("threshold")) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the role " + name + " has " + keys + " keys, and "
                        + object(role).get("threshold") + " must sign");
            }
        });
    }
}
