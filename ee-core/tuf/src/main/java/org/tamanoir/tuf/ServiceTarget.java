package org.tamanoir.tuf;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.tuf.format.TargetFile;

/**
 * A version of a service as a target: its path is {@code NAME/VERSION.jar}, and what else streams and nodes need to know of it is in its
 * {@code custom}.
 *
 * @param name    of the service, of {@link ServiceName#ANY}
 * @param version as OSGi writes it
 * @param typeId  0 to 65,535
 * @param level   {@code light}, {@code middle} or {@code heavy}
 * @param sha256  of the bundle, 64 lower-case hexadecimal digits
 * @param size    of the bundle in octets
 */
public record ServiceTarget(String name, String version, int typeId, String level, String sha256, long size) {
    private static final Pattern PATH = Pattern.compile("(" + ServiceName.ANY + ")/(\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(?:\\.[A-Za-z0-9_-]{1,64})?)\\.jar");
    private static final Pattern LEVEL = Pattern.compile("light|middle|heavy");
    private static final String TYPE_ID = "type-id";
    private static final String LEVEL_FIELD = "level";

    /** The service that a target is; empty for a target of another kind. */
    public static Optional<ServiceTarget> of(String path, TargetFile file) {
        Matcher parts = PATH.matcher(path);
        boolean whole = parts.matches() && file.hashes().sha256() != null && file.custom().get(TYPE_ID) instanceof Long typeId && typeId >= 0 && typeId <= 0xffff
                && file.custom().get(LEVEL_FIELD) instanceof String level && LEVEL.matcher(level).matches();
        return whole ? Optional.of(new ServiceTarget(parts.group(1), parts.group(2), ((Long) file.custom().get(TYPE_ID)).intValue(),
                (String) file.custom().get(LEVEL_FIELD), file.hashes().sha256(), file.length())) : Optional.empty();
    }

    /** {@code NAME/VERSION.jar}. */
    public String path() {
        return path(name, version);
    }

    /** The path of a version. */
    public static String path(String name, String version) {
        return name + "/" + version + ".jar";
    }

    /** The pattern of the paths of all versions: of {@code ~cms/*}, of all services of that guest. */
    public static String paths(String name) {
        return name + "/*";
    }

    /** What stands in the target's {@code custom}. */
    public Map<String, Object> custom() {
        Map<String, Object> custom = new LinkedHashMap<>();
        custom.put(TYPE_ID, (long) typeId);
        custom.put(LEVEL_FIELD, level);
        return custom;
    }

    /** Where it lies below the targets of a repository with consistent snapshots. */
    public String file() {
        return file(path(), sha256);
    }

    /** Where a target lies below the targets of a repository with consistent snapshots: the hash stands before the last part of its path. */
    public static String file(String path, String sha256) {
        int last = path.lastIndexOf('/') + 1;
        return path.substring(0, last) + sha256 + "." + path.substring(last);
    }
}
