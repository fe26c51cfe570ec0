package org.tamanoir.node.probe;

import java.nio.ByteBuffer;

/**
 * The octets of STAMP packets in unauthenticated mode. A sender's packet (RFC 8762 section 4.2.1) begins with number, time, error estimate
 * and session identifier (RFC 8972 section 3); the rest of its 44 octets is zero. A reflected one (RFC 8762 section 4.3.1) has the
 * reflector's in the same places, and the sender's behind them. Type, length and value fields (RFC 8972 section 4) follow.
 */
final class Stamp {
    /** Of the well-known port: RFC 8762 section 4.1. */
    static final int PORT = 862;
    /** Octets of a packet without type, length and value fields. */
    static final int BASE = 44;
    /** The reflected packet of TWAMP Light without padding (RFC 5357 section 4.2.1); its fields are those of STAMP. */
    static final int LEAST_REFLECTED = 41;

    static final int NUMBER = 0;
    static final int TIME = 4;
    static final int ERROR = 12;
    static final int SESSION = 14;
    static final int RECEIVED = 16;
    static final int SENDER_NUMBER = 24;
    static final int SENDER_TIME = 28;
    static final int SENDER_ERROR = 36;
    static final int SENDER_TTL = 40;
    /** What a reflector says that cannot read the time to live: RFC 5357 section 4.2.1. */
    static final int TTL_UNKNOWN = 255;

    /** Flags, type and length (two octets) of a type, length and value field. */
    static final int TLV_HEADER = 4;
    /** U of RFC 8972 section 4: not understood. A sender sets it, a reflector that understands clears it. */
    static final int UNRECOGNIZED = 0x80;
    /** M: its length makes no sense. */
    static final int MALFORMED = 0x40;
    static final int RESERVED = 0;
    static final int EXTRA_PADDING = 1;
    static final int CLASS_OF_SERVICE = 4;
    /** Octets of the value of a class of service field: DSCP1 (6 bits), DSCP2 (6), ECN (2), RP (2), 16 reserved (RFC 8972 section 4.4). */
    static final int CLASS_OCTETS = 4;

    /** IPv4 and UDP headers: what an IP packet is longer than its STAMP packet. */
    static final int HEADERS = 28;

    private Stamp() {
    }

    /**
     * Writes a probe; the time is for whoever sends it.
     *
     * @param length octets; {@link #BASE} and a class of service field at least. What is left is padding
     */
    static void writeProbe(ByteBuffer to, int at, int length, int number, int error, int session, int dscp, byte[] padding) {
        for (int i = 0; i < BASE; i += 4) {
            to.putInt(at + i, 0);
        }
        to.putInt(at + NUMBER, number).putShort(at + ERROR, (short) error).putShort(at + SESSION, (short) session);
        int next = at + BASE;
        to.putInt(next, UNRECOGNIZED << 24 | CLASS_OF_SERVICE << 16 | CLASS_OCTETS).putInt(next + TLV_HEADER, dscp << 26);
        next += TLV_HEADER + CLASS_OCTETS;
        int left = at + length - next;
        if (left >= TLV_HEADER) {
            to.putInt(next, UNRECOGNIZED << 24 | EXTRA_PADDING << 16 | left - TLV_HEADER).put(next + TLV_HEADER, padding, 0, left - TLV_HEADER);
        } else {
            // One to three octets, too few for a field.
            to.put(next, new byte[left], 0, left);
        }
    }

    /** The code point that a reflected packet says its probe arrived with, from the field that {@link #writeProbe} put there; -1 if it does not. */
    static int arrivedDscp(ByteBuffer from, int at, int length) {
        int field = at + BASE;
        if (length < BASE + TLV_HEADER + CLASS_OCTETS || from.getInt(field) << 8 >>> 8 != (CLASS_OF_SERVICE << 16 | CLASS_OCTETS)
                || (from.get(field) & (UNRECOGNIZED | MALFORMED)) != 0) {
            return -1;
        }
        return from.getInt(field + TLV_HEADER) >>> 20 & 0x3F;
    }
}
