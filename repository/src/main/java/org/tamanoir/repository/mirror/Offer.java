package org.tamanoir.repository.mirror;

/**
 * One version of a service that an upstream has.
 *
 * @param name of the service
 * @param typeId of the service
 * @param version as OSGi writes it
 * @param sha256 of the bundle, 64 hexadecimal digits in lower case
 * @param size of the bundle in octets
 */
record Offer(String name, int typeId, String version, String sha256, long size) {
    @Override
    public String toString() {
        return name + " " + version;
    }
}
