package org.tamanoir.kernel;

/**
 * What a light connection has carried.
 *
 * @param connections that began
 * @param packets     from the client
 * @param octets      of these, as IP packets
 * @param backPackets to the client
 * @param backOctets  of these, as IP packets
 */
public record ConnectionCounters(long connections, long packets, long octets, long backPackets, long backOctets) {
}
