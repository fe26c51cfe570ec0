package org.tamanoir.tuf.sign;

import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Key;

/** The keys and the threshold of a role, as roots and delegations have them. */
final class RoleFields {
    private RoleFields() {
    }

    static void addKey(Map<String, Object> role, Map<String, Object> keys, Key key) {
        if (!Draft.list(role, "keyids").contains(key.id())) {
            Draft.list(role, "keyids").add(key.id());
        }
        keys.put(key.id(), key.json());
    }

    static void removeKey(String name, Map<String, Object> role, String keyId) {
        List<Object> ids = Draft.list(role, "keyids");
        if (!ids.remove(keyId)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the role " + name + " has no key " + keyId + "; it has " + ids);
        }
    }

    static void threshold(String name, Map<String, Object> role, int threshold) {
        int keys = Draft.list(role, "keyids").size();
        if (threshold < 1 || threshold > keys) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the role " + name + " has " + keys + " keys: of these 1 to " + keys + " must sign, not "
                    + threshold);
        }
        role.put("threshold", (long) threshold);
    }

    /** Forgets keys that no role has any more. */
    static void dropUnused(List<Map<String, Object>> roles, Map<String, Object> keys) {
        keys.keySet().removeIf(id -> roles.stream().noneMatch(role -> Draft.list(role, "keyids").contains(id)));
    }
}
