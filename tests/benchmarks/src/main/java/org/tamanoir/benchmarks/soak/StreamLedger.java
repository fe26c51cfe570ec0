package org.tamanoir.benchmarks.soak;

import java.util.BitSet;
import org.tamanoir.benchmarks.soak.Books.ReceivedStream;

/** Keeps the books of one stream at the receiver: what came, what came twice, late, or as something else. */
final class StreamLedger {
    /** Sequence numbers that are told apart: 1 MB of bits, more packets than a stream of a soak has. */
    static final int MOST = 1 << 23;

    private final BitSet seen = new BitSet();
    private final boolean udp;
    private SoakPacket first;
    private SoakPacket before;
    private long highest = -1;
    private long duplicated;
    private long outOfOrder;
    private long damaged;
    private long unserved;
    private long changes;
    private boolean last;
    private boolean ended;

    StreamLedger(boolean udp) {
        this.udp = udp;
    }

    /**
     * Takes a packet.
     *
     * @param packet null if it was not intact, or something came that is no packet of a soak
     * @return whether it belongs to the stream and had not come before
     */
    boolean take(SoakPacket packet) {
        if (packet == null || first != null && packet.stream() != first.stream()) {
            damaged++;
            return false;
        }
        if (packet.sequence() < 0 || packet.sequence() >= MOST) {
            throw new IllegalArgumentException("a stream of more than " + MOST + " packets cannot be checked");
        }
        if (seen.get((int) packet.sequence())) {
            duplicated++;
            return false;
        }
        seen.set((int) packet.sequence());
        unserved += packet.ingress() == 0 || packet.egress() == 0 ? 1 : 0;
        if (first == null) {
            first = packet;
        } else {
            changes += (packet.ingress() != before.ingress() ? 1 : 0) + (packet.egress() != before.egress() ? 1 : 0);
        }
        before = packet;
        outOfOrder += packet.sequence() < highest ? 1 : 0;
        highest = Math.max(highest, packet.sequence());
        last |= packet.last();
        return true;
    }

    /** The connection has ended cleanly. */
    void end() {
        ended = true;
    }

    ReceivedStream account() {
        return new ReceivedStream(first == null ? 0 : first.stream(), udp, seen.cardinality(), duplicated, outOfOrder, damaged, unserved, changes,
                first == null ? 0 : first.ingress(), first == null ? 0 : first.egress(), last && (ended || udp));
    }
}
