package org.tamanoir.repository.store;

/**
 * One version of one service in the catalogue.
 *
 * @param name of the service
 * @param typeId 0x5401 to 0x57FF
 * @param version as OSGi writes it
 * @param level {@code light}, {@code middle} or {@code heavy}
 * @param sha256 of the bundle, 64 hexadecimal digits in lower case
 * @param size of the bundle in octets
 * @param uploaded when it was first published, ISO 8601 in UTC
 * @param retired whether it has been taken out of the index
 */
public record Entry(String name, int typeId, String version, String level, String sha256, long size, String uploaded, boolean retired) {
    Entry withRetired(boolean now) {
        return new Entry(name, typeId, version, level, sha256, size, uploaded, now);
    }
}
