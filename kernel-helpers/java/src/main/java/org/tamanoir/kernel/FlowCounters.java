package org.tamanoir.kernel;

/**
 * What a flow has carried.
 *
 * @param packets     toward the next hop
 * @param octets      of these, as ANEP packets
 * @param backPackets answers
 * @param backOctets  of these, as ANEP packets
 * @param lastNanos   time of the last packet by {@code CLOCK_MONOTONIC}, which is {@link System#nanoTime} of this machine; 0: none yet
 */
public record FlowCounters(long packets, long octets, long backPackets, long backOctets, long lastNanos) {
}
