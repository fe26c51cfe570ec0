package org.tamanoir.benchmarks.soak;

/**
 * One stream as its receiver saw it.
 *
 * @param id         in its packets
 * @param udp        or else TCP
 * @param received   different packets that came intact
 * @param duplicated intact ones that had come before
 * @param outOfOrder different ones that came after one that was sent later
 * @param damaged    packets with other octets than were sent, or on the connection of another stream; what was sent in their place is lost
 *                   too, unless it also came intact
 * @param unserved   intact ones that the service did not see on the first or on the last node
 * @param changes    how often the version on one of the nodes was another than in the packet before
 * @param firstIngress version on the first node in the first packet; 0 if none came
 * @param firstEgress  the same on the last node
 * @param ended      TCP: whether it ended cleanly, after the packet that says it is the last; UDP: whether that packet came
 */
public record ReceivedStream(long id, boolean udp, long received, long duplicated, long outOfOrder, long damaged, long unserved,
                             long changes, int firstIngress, int firstEgress, boolean ended) {
}
