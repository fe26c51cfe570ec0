package org.tamanoir.node.deploy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.net.URI;
import java.util.Comparator;
import org.osgi.framework.Version;

/**
 * A bundle that a source says it has.
 *
 * @param typeId  0 to 65,535
 * @param level   light, middle or heavy
 * @param sha256  64 lower-case hexadecimal digits
 * @param size    octets, or -1 if the source does not say
 * @param content where the bundle is
 */
record FoundBundle(int typeId, String name, String version, String level, String sha256, long size, URI content) {
    /** By version, newest first. */
    static final Comparator<FoundBundle> NEWEST_FIRST = Comparator.comparing(FoundBundle::number).reversed();

    @JsonIgnore
    Version number() {
        return Version.parseVersion(version);
    }
}
