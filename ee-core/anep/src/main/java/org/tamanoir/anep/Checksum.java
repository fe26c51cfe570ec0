package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;

/** The one's complement checksum of draft option 3: that of RFC 1071, over the whole packet with the field itself as zero. */
final class Checksum {
    private Checksum() {
    }

    /**
     * The one's complement of the one's complement sum of {@code length} octets; an odd last octet counts as the high half of a
     * 16-bit word. Over a packet that holds its own right checksum the result is 0.
     */
    static int of(ByteBuf buffer, int offset, int length) {
        long sum = 0;
        int at = offset;
        int end = offset + length;
        // Two words at a time, their halves added apart: 16,384 numbers of 32 bits fit a long.
        for (; at + 8 <= end; at += 8) {
            long words = buffer.getLong(at);
            sum += (words >>> 32) + (words & 0xFFFF_FFFFL);
        }
        for (; at + 2 <= end; at += 2) {
            sum += buffer.getUnsignedShort(at);
        }
        if (at < end) {
            sum += (long) buffer.getUnsignedByte(at) << 8;
        }
        return complement(sum);
    }

    /** The checksum after one 16-bit word of the packet has changed: equation 3 of RFC 1624. */
    static int update(int checksum, int before, int after) {
        return complement((~checksum & 0xFFFFL) + (~before & 0xFFFF) + after);
    }

    private static int complement(long sum) {
        while (sum >>> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return (int) ~sum & 0xFFFF;
    }
}
