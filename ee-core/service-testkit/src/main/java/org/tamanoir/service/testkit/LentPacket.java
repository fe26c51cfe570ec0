package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Packet;

/**
 * A packet lent to a handler for one call: it stands between other octets, as in a node's receive buffer. After the call the octets
 * around it and its own must be as before, and the view dies: whoever kept it without {@link Packet#retain()} gets an
 * {@link io.netty.util.IllegalReferenceCountException} at the next touch, or octets that mean nothing.
 */
final class LentPacket {
    private static final int NEIGHBOUR = 24;
    private static final int NEIGHBOUR_OCTET = 0xA5;
    private static final int POISON = 0xDB;

    private final byte[] octets;
    private final ByteBuf buffer;
    private final Packet view = new Packet();

    LentPacket(ByteBufAllocator allocator, byte[] octets, long receivedNanos) {
        this.octets = octets;
        this.buffer = allocator.directBuffer(octets.length + 2 * NEIGHBOUR);
        for (int i = 0; i < NEIGHBOUR; i++) {
            buffer.writeByte(NEIGHBOUR_OCTET);
        }
        buffer.writeBytes(octets);
        for (int i = 0; i < NEIGHBOUR; i++) {
            buffer.writeByte(NEIGHBOUR_OCTET);
        }
        view.wrap(buffer, NEIGHBOUR, octets.length).receivedNanos(receivedNanos);
    }

    Packet view() {
        return view;
    }

    Packet copy() {
        return Packet.of(Unpooled.wrappedBuffer(octets)).receivedNanos(view.receivedNanos());
    }

    /** Takes the packet back; returns the rule that was broken, or null. */
    String takeBack() {
        String broken = buffer.refCnt() == 0 ? "a packet was released that the service did not retain" : changed();
        ByteBuf dead = Unpooled.buffer(Anep.HEADER_SIZE).writeZero(Anep.HEADER_SIZE);
        view.wrap(dead, 0, Anep.HEADER_SIZE);
        dead.release();
        if (buffer.refCnt() == 1) {
            for (int i = 0; i < buffer.capacity(); i++) {
                buffer.setByte(i, POISON);
            }
        }
        if (buffer.refCnt() > 0) {
            buffer.release();
        }
        return broken;
    }

    private String changed() {
        if (buffer.readerIndex() != 0 || buffer.writerIndex() != octets.length + 2 * NEIGHBOUR) {
            return "the indices of the buffer under a packet were moved";
        }
        for (int i = 0; i < buffer.writerIndex(); i++) {
            int at = i - NEIGHBOUR;
            byte before = at >= 0 && at < octets.length ? octets[at] : (byte) NEIGHBOUR_OCTET;
            if (buffer.getByte(i) != before) {
                return at >= 0 && at < octets.length ? "a packet was changed in the buffer that it came in"
                        : "octets outside the packet were written";
            }
        }
        return null;
    }
}
