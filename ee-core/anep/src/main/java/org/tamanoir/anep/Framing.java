package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;

/** Where a packet ends: the one place that checks a header. Used by every decoder, on TCP and UDP. */
public final class Framing {
    /** The octets there are hold no whole packet yet. */
    public static final int INCOMPLETE = 0;

    private Framing() {
    }

    /**
     * The length of the packet that begins at {@code offset}, or {@link #INCOMPLETE}. Only the eight fixed octets are looked at;
     * options are checked by whoever reads them.
     *
     * @param available octets from {@code offset} on that may be read
     * @throws MalformedPacketException if this is no packet, as soon as that is certain
     */
    public static int packetLength(ByteBuf buffer, int offset, int available) {
        if (available < Anep.HEADER_SIZE) {
            if (available > 0 && buffer.getByte(offset) != Anep.VERSION) {
                throw badVersion(buffer.getUnsignedByte(offset));
            }
            return INCOMPLETE;
        }
        long header = buffer.getLong(offset);
        int length = Anep.packetLength(header);
        int words = Anep.headerWords(header);
        // One comparison for the good case: version 1, at least two words, header inside the packet.
        if (Anep.version(header) != Anep.VERSION || words < Anep.HEADER_WORDS || words * Anep.WORD > length) {
            throw malformed(header);
        }
        return length <= available ? length : INCOMPLETE;
    }

    /** Octets that a packet will have by its header, of which eight octets must be there. */
    public static int announced(ByteBuf buffer, int offset) {
        return Anep.packetLength(buffer.getLong(offset));
    }

    /** Takes the packets of a run, one after the other. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * A whole packet whose header is good; the view is valid during the call.
         *
         * @return whether to go on with the next
         */
        boolean packet(Packet packet);
    }

    /**
     * Shows every whole packet between two offsets to a visitor, in order and in place.
     *
     * @param from    where the first packet begins
     * @param end     where the octets end that may be read
     * @param view    is moved from packet to packet
     * @return where the first packet begins that has not been shown: {@code end}, the beginning of a packet that is not whole yet, or the one
     *         after the packet at which the visitor stopped
     * @throws MalformedPacketException at the first thing that is no packet; the packets before have been shown
     */
    public static int each(ByteBuf buffer, int from, int end, Packet view, Visitor visitor) {
        int at = from;
        boolean more = true;
        while (more) {
            int length = packetLength(buffer, at, end - at);
            if (length == INCOMPLETE) {
                return at;
            }
            at += length;
            more = visitor.packet(view.wrap(buffer, at - length, length));
        }
        return at;
    }

    /**
     * Checks that the octets are exactly one packet, as a datagram must be.
     *
     * @throws MalformedPacketException if they are not
     */
    public static void checkDatagram(ByteBuf buffer, int offset, int length) {
        if (length < Anep.HEADER_SIZE) {
            throw new MalformedPacketException(ErrorCode.TRUNCATED, "a datagram of " + length + " octets holds no header");
        }
        int packet = packetLength(buffer, offset, length);
        if (packet != length) {
            throw new MalformedPacketException(ErrorCode.TRUNCATED, "a datagram of " + length + " octets, Packet length "
                    + Anep.packetLength(buffer.getLong(offset)));
        }
    }

    private static MalformedPacketException malformed(long header) {
        if (Anep.version(header) != Anep.VERSION) {
            return badVersion(Anep.version(header));
        }
        if (Anep.headerWords(header) < Anep.HEADER_WORDS) {
            return new MalformedPacketException(ErrorCode.HEADER_TOO_SHORT, "header length " + Anep.headerWords(header)
                    + " words; the least is " + Anep.HEADER_WORDS);
        }
        return new MalformedPacketException(ErrorCode.HEADER_PAST_PACKET, "header of " + Anep.headerWords(header)
                + " words in a packet of " + Anep.packetLength(header) + " octets");
    }

    private static MalformedPacketException badVersion(int version) {
        return new MalformedPacketException(ErrorCode.BAD_VERSION, "version " + version + "; only " + Anep.VERSION + " is known");
    }
}
