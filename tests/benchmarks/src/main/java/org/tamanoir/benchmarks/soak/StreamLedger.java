package org.tamanoir.benchmarks.soak;

import java.nio.ByteBuffer;
import java.util.BitSet;

/** Keeps the books of one stream at the receiver: what came, what came twice, late, or as something else. */
final class StreamLedger {
    /** Sequence numbers that are told apart: 1 MB of bits, more packets than a stream of a soak has. */
    static final int MOST = 1 << 23;

    private final BitSet seen = new BitSet();
    private final boolean udp;
    private long id;
    private boolean known;
    private long highest = -1;
    private long received;
    private long duplicated;
    private long outOfOrder;
    private long damaged;
    private long unserved;
    private long changes;
    private int firstIngress;
    private int firstEgress;
    private int ingress;
    private int egress;
    private boolean last;
    private boolean ended;

    StreamLedger(boolean udp) {
        this.udp = udp;
    }

    /**
     * Takes the payload of a packet.
     *
     * @return whether it is intact and had not come before
     */
    boolean take(ByteBuffer in, int at, int length) {
        if (!SoakPacket.isIntact(in, at, length) || known && SoakPacket.stream(in, at) != id) {
            damaged++;
            return false;
        }
        long sequence = SoakPacket.sequence(in, at);
        if (sequence < 0 || sequence >= MOST) {
            throw new IllegalArgumentException("a stream of more than " + MOST + " packets cannot be checked");
        }
        if (seen.get((int) sequence)) {
            duplicated++;
            return false;
        }
        id = SoakPacket.stream(in, at);
        seen.set((int) sequence);
        version(SoakPacket.ingress(in, at), SoakPacket.egress(in, at));
        known = true;
        received++;
        outOfOrder += sequence < highest ? 1 : 0;
        highest = Math.max(highest, sequence);
        last |= SoakPacket.isLast(in, at);
        return true;
    }

    private void version(int newIngress, int newEgress) {
        unserved += newIngress == 0 || newEgress == 0 ? 1 : 0;
        if (!known) {
            firstIngress = newIngress;
            firstEgress = newEgress;
        } else {
            changes += (newIngress != ingress ? 1 : 0) + (newEgress != egress ? 1 : 0);
        }
        ingress = newIngress;
        egress = newEgress;
    }

    /** Something came that is no packet of a soak. */
    void takeDamaged() {
        damaged++;
    }

    /** The connection has ended cleanly. */
    void end() {
        ended = true;
    }

    /** Whether a packet of it has come intact, and so its id is known. */
    boolean isKnown() {
        return known;
    }

    ReceivedStream account() {
        return new ReceivedStream(id, udp, received, duplicated, outOfOrder, damaged, unserved, changes, firstIngress, firstEgress,
                last && (ended || udp));
    }
}
