package org.tamanoir.tuf.format;

import java.util.List;
import java.util.Map;

/**
 * Files that a role vouches for, and roles that it trusts for others.
 *
 * @param targets     by their path
 * @param keys        of the roles that it delegates to, by their ids
 * @param delegations in the order in which they are asked
 */
public record Targets(Common common, Map<String, TargetFile> targets, Map<String, Key> keys, List<DelegatedRole> delegations) implements Signed {
    private static final int MOST_TARGETS = 16_384;
    private static final int MOST_DELEGATIONS = 4_096;

    static Targets read(Fields signed) {
        Common common = Common.read(signed, RoleName.TARGETS);
        Map<String, TargetFile> targets = signed.object("targets").each(MOST_TARGETS, (path, fields) -> TargetFile.read(fields));
        if (!signed.has("delegations")) {
            return new Targets(common, targets, Map.of(), List.of());
        }
        Fields delegations = signed.object("delegations");
        if (delegations.has("succinct_roles")) {
            throw Fields.bad("it delegates by succinct_roles (TAP 15), which is no part of TUF 1.0");
        }
        Map<String, Key> keys = delegations.object("keys").each(MOST_DELEGATIONS, Key::read);
        List<DelegatedRole> roles = delegations.objects("roles", MOST_DELEGATIONS).stream().map(role -> DelegatedRole.read(role, keys)).toList();
        if (roles.stream().map(DelegatedRole::name).distinct().count() < roles.size()) {
            throw Fields.bad("it delegates to one role twice");
        }
        return new Targets(common, targets, keys, roles);
    }

    /** The delegation to a role; null for none. */
    public DelegatedRole delegation(String role) {
        return delegations.stream().filter(each -> each.name().equals(role)).findFirst().orElse(null);
    }
}
