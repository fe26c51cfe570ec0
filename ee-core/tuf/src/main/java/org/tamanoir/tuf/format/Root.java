package org.tamanoir.tuf.format;

import java.util.Map;

/**
 * Whose keys the top-level roles have.
 *
 * @param keys       of all roles, by their ids
 * @param roles      root, timestamp, snapshot and targets
 * @param consistent whether files have their version in their name
 */
public record Root(Common common, Map<String, Key> keys, Map<String, RoleKeys> roles, boolean consistent) implements Signed {
    private static final int MOST_ROLES = 16;

    static Root read(Fields signed) {
        Common common = Common.read(signed, RoleName.ROOT);
        Map<String, Key> keys = signed.object("keys").each(RoleKeys.MOST_KEYS, Key::read);
        Map<String, RoleKeys> roles = signed.object("roles").each(MOST_ROLES, (name, role) -> RoleKeys.read(role, keys));
        for (String name : new String[] {RoleName.ROOT, RoleName.TIMESTAMP, RoleName.SNAPSHOT, RoleName.TARGETS}) {
            if (!roles.containsKey(name)) {
                throw Fields.bad("root has no role " + name);
            }
        }
        return new Root(common, keys, roles, signed.has("consistent_snapshot") && signed.truth("consistent_snapshot"));
    }

    public RoleKeys role(String name) {
        return roles.get(name);
    }
}
