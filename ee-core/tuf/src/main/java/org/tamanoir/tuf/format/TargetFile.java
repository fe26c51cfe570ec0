package org.tamanoir.tuf.format;

import java.util.Map;

/**
 * A file that a role vouches for.
 *
 * @param length in octets
 * @param hashes of the content
 * @param custom what else the role says of it, as it was read; empty if nothing
 */
public record TargetFile(long length, Hashes hashes, Map<String, Object> custom) {
    static TargetFile read(Fields fields) {
        return new TargetFile(fields.integer("length", 0), Hashes.read(fields, "hashes"), fields.has("custom") ? fields.object("custom").raw() : Map.of());
    }
}
