package org.tamanoir.tuf.format;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A role that is trusted for some targets.
 *
 * @param name         of the role
 * @param keys         of it
 * @param terminating  whether roles after it are not asked for a target that it is trusted for
 * @param paths        patterns of the paths of targets; null where there are prefixes
 * @param hashPrefixes hexadecimal digits with which the SHA-256 of a path begins; null where there are patterns
 */
public record DelegatedRole(String name, RoleKeys keys, boolean terminating, List<PathPattern> paths, List<String> hashPrefixes) {
    private static final int MOST_PATHS = 4_096;

    static DelegatedRole read(Fields fields, Map<String, Key> known) {
        String name = fields.text("name");
        if (!RoleName.isDelegable(name)) {
            throw Fields.bad(fields.place("name") + " is no name of a delegated role");
        }
        if (fields.has("paths") == fields.has("path_hash_prefixes")) {
            throw Fields.bad("the role " + name + " must have either paths or path_hash_prefixes");
        }
        return new DelegatedRole(name, RoleKeys.read(fields, known), fields.truth("terminating"),
                fields.has("paths") ? fields.texts("paths", MOST_PATHS).stream().map(PathPattern::new).toList() : null,
                fields.has("paths") ? null : fields.texts("path_hash_prefixes", MOST_PATHS));
    }

    /** Whether it is trusted for a target. */
    public boolean covers(String path) {
        if (paths != null) {
            return paths.stream().anyMatch(pattern -> pattern.matches(path));
        }
        String hash = Hashes.sha256(path.getBytes(StandardCharsets.UTF_8));
        return hashPrefixes.stream().anyMatch(hash::startsWith);
    }
}
