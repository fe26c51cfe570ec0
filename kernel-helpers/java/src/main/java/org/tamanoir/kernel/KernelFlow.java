package org.tamanoir.kernel;

import java.net.InetSocketAddress;

/**
 * A flow, and where it goes: datagrams of one sender, Type ID and stream id, and the answers to them.
 *
 * @param sender   where they come from
 * @param next     the next hop
 * @param local    of the node's own socket to the next hop
 * @param typeId   0 to 65,535
 * @param streamId of the stream option; null for packets without it
 * @param target   the next hop that the rules name whose packets may go this way; null: rules that leave it to the route
 * @param gated    whether it carries nothing before {@link Kernel#handled} or {@link Kernel#open} lets it
 */
public record KernelFlow(InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, int typeId, Long streamId,
        InetSocketAddress target, boolean gated) {

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
}
