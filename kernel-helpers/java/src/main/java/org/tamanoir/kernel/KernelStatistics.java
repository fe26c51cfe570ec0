package org.tamanoir.kernel;

import java.util.Map;

/**
 * What the programs of one node have seen since they were loaded, in packets.
 *
 * @param seen           to the node's port, and answers of flows
 * @param forwarded      sent on to a next hop
 * @param answered       answers brought back to a sender
 * @param dropped        by a rule, once the kernel had made packets of them
 * @param up             gone on to the node's socket, by reason; every reason is there
 * @param xdpDropped     of a refused Type ID, by XDP
 * @param passingSeen    ANEP packets that the host forwarded, seen by the netfilter programs
 * @param passingDropped of these, dropped by a rule
 * @param earlyDropped   by a rule, by XDP
 */
public record KernelStatistics(long seen, long forwarded, long answered, long dropped, Map<UpReason, Long> up, long xdpDropped,
        long passingSeen, long passingDropped, long earlyDropped) {
    /** All that went up. */
    public long upInAll() {
        return up.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Why a packet to the node's port went up to the node. The order is that of {@code TAM_UP_*}. */
    public enum UpReason {
        FRAGMENT("is a fragment of an IP packet"),
        IP_OPTIONS("has IPv4 options or IPv6 extension headers"),
        MALFORMED("is no good ANEP packet; the node says which rule it breaks"),
        CHECKSUM("has the integrity checksum, which the node verifies"),
        OPTIONS("has a chain, raw delivery, a content encoding or an error, or an option that is not known"),
        LONG("has a header longer than 256 octets"),
        NO_RULE("matches no rule"),
        RULE("matches a rule that lets it go on to its service"),
        NO_FLOW("is to be forwarded, and is the first one of its flow"),
        HOPS("has no hops option, or no hops left"),
        ROUTE("has no forwarding route: the next hop is local or unreachable, or the host does not forward"),
        MTU("does not fit the interface that it leaves by, or came in aggregated (GRO)");

        private final String sentence;

        UpReason(String sentence) {
            this.sentence = sentence;
        }

        /** Goes behind "a packet that". */
        public String sentence() {
            return sentence;
        }
    }
}
