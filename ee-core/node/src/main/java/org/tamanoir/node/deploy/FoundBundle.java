package org.tamanoir.node.deploy;

import java.net.URI;

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
}
