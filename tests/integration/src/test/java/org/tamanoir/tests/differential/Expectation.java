package org.tamanoir.tests.differential;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;

/** What the node makes of a datagram, and whether the kernel may finish it: the header of {@code tamanoir_shared.h}, in Java. */
final class Expectation {
    private static final int HEADER_MOST = 256;
    private static final int MTU = 1_500;

    final Datagram datagram;
    /** As the node reads it; null if it is no good packet, or does not reach its socket as it is. */
    final Packet packet;
    /** Where its hops and its previous node stand in its octets; 0: nowhere. */
    private int hopsAt;
    private int previousAt;
    private Long stream;
    /** Whether it has nothing that the kernel leaves to the node, whatever rules say. */
    final boolean plain;

    Expectation(Datagram datagram) {
        this.datagram = datagram;
        packet = whole() ? read() : null;
        plain = packet != null && !datagram.options && datagram.ttl > 1 && packet.headerLength() <= HEADER_MOST && hasPlainOptions();
    }

    /** A host takes no IPv6 datagram without a checksum (RFC 8200, section 8.1), and no fragment. */
    private boolean whole() {
        return datagram.fragment == Datagram.Fragment.NONE && datagram.cut == 0 && (datagram.checksum || !datagram.six());
    }

    private Packet read() {
        try {
            Packet read = Packet.of(Unpooled.wrappedBuffer(datagram.anep));
            read.checkOptions();
            return read;
        } catch (MalformedPacketException e) {
            return null;
        }
    }

    /** Reads the options of a good packet once more, by the tables of docs/anep.md. */
    private boolean hasPlainOptions() {
        boolean good = true;
        ByteBuffer octets = ByteBuffer.wrap(datagram.anep);
        for (int at = 8; at < packet.headerLength(); at += (octets.getShort(at + 2) & 0xFFFF) * 4) {
            switch (octets.getShort(at) & 0xBFFF) {
                case 0x0001, 0x0002, 0x0004, 0x8006, 0x8007 -> {
                    // Read by rules at most.
                }
                case 0x8001 -> stream = octets.getLong(at + 4);
                case 0x8002 -> good &= octets.get(at + 6) == 0;
                case 0x8004 -> previousAt = at + 4;
                case 0x8005 -> hopsAt = at + 4;
                default -> good = false;
            }
        }
        return good;
    }

    boolean hasHops() {
        return hopsAt > 0 && datagram.anep[hopsAt] != 0;
    }

    boolean fits() {
        return datagram.ipOctets() <= MTU;
    }

    /** The stream id, or null without the option; only of a plain packet. */
    Long stream() {
        return stream;
    }

    /** The datagram on its way to the next hop. */
    Datagram forwarded(Flow flow, int dscp, long nodeId, int codePort) {
        Datagram out = datagram.copy();
        out.source = flow.kernel.local();
        out.destination = flow.kernel.next();
        out.ttl--;
        out.trafficClass = dscp < 0 ? out.trafficClass : dscp << 2 | out.trafficClass & 3;
        out.anep[hopsAt]--;
        // Whoever serves it: it is not handed over any more.
        out.anep[hopsAt + 1] &= 0x7F;
        if (previousAt > 0) {
            ByteBuffer.wrap(out.anep).putLong(previousAt, nodeId).putShort(previousAt + 8, (short) codePort);
        }
        return out;
    }

    /** An answer on its way back to the sender. */
    Datagram answered(Flow flow) {
        Datagram out = datagram.copy();
        out.source = flow.used;
        out.destination = flow.kernel.sender();
        out.ttl--;
        return out;
    }
}
