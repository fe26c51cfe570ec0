package org.tamanoir.kernel;

import java.util.Map;

/**
 * What the programs of one node have seen since they were loaded, in packets.
 *
 * @param seen           to the node's port, and answers of flows
 * @param forwarded      sent on to a next hop
 * @param answered       answers brought back to a sender
 * @param dropped        by a rule
 * @param up             gone on to the node's socket, by reason; every reason is there
 * @param xdpDropped     of a refused Type ID
 * @param passingSeen    ANEP packets that the host forwarded, seen by the netfilter programs
 * @param passingDropped of these, dropped by a rule
 */
public record KernelStatistics(long seen, long forwarded, long answered, long dropped, Map<UpReason, Long> up, long xdpDropped,
        long passingSeen, long passingDropped) {
    /** All that went up. */
    public long upInAll() {
        return up.values().stream().mapToLong(Long::longValue).sum();
    }
}
