package org.tamanoir.node.stream;

import org.tamanoir.node.transport.TcpLeg;

/** Notices a packet that has begun and does not get whole, by looking now and then. */
final class PacketClock {
    private long seenPackets;
    private long since = System.nanoTime();

    /** Whether a packet has been coming in for longer than allowed; time in which the peer is made to wait does not count. */
    boolean isLate(TcpLeg leg, long now, long limitNanos) {
        if (leg.isPaused() || leg.unparsed() == 0 || leg.packets() != seenPackets) {
            seenPackets = leg.packets();
            since = now;
            return false;
        }
        return now - since > limitNanos;
    }
}
