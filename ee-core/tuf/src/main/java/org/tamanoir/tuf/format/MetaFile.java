package org.tamanoir.tuf.format;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Which metadata of a role belongs to a state of the repository.
 *
 * @param version of the metadata
 * @param length  in octets, if it is said
 * @param hashes  of it, if they are said
 */
public record MetaFile(long version, Optional<Long> length, Optional<Hashes> hashes) {
    private static final String SUFFIX = ".json";

    static MetaFile read(Fields fields) {
        return new MetaFile(fields.integer("version", 1), fields.has("length") ? Optional.of(fields.integer("length", 1)) : Optional.empty(),
                fields.has("hashes") ? Optional.of(Hashes.read(fields, "hashes")) : Optional.empty());
    }

    /** All of an object whose fields are called {@code ROLE.json}, by the role. */
    static Map<String, MetaFile> readAll(Fields meta, int most) {
        Map<String, MetaFile> files = meta.each(most, (name, fields) -> read(fields));
        Map<String, MetaFile> roles = new LinkedHashMap<>();
        files.forEach((name, file) -> {
            String role = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : "";
            if (!RoleName.isDelegable(role) && !RoleName.isTopLevel(role)) {
                throw Fields.bad(meta.place(name) + " is no file of a role");
            }
            roles.put(role, file);
        });
        return Collections.unmodifiableMap(roles);
    }

    /**
     * Checks octets before anything of them is read.
     *
     * @param what for the message
     * @throws AnepException EE-424
     */
    public void check(byte[] octets, String what) {
        if (length.isPresent() && length.get() != octets.length) {
            throw new AnepException(ErrorCode.METADATA_MISMATCH, what + " has " + octets.length + " octets, and " + length.get() + " were announced");
        }
        if (hashes.isPresent() && !hashes.get().match(octets)) {
            throw new AnepException(ErrorCode.METADATA_MISMATCH, what + " is not the one that was announced: its hash differs");
        }
    }
}
