package org.tamanoir.node.probe;

import java.nio.ByteBuffer;

/**
 * Makes the answer of a probe in its place: stateless and of the same size (RFC 8762 section 4.3.1), so that nothing grows on its way back.
 * Understands padding and class of service (RFC 8972 sections 4.1, 4.4); other fields go back marked as not understood.
 */
final class StampReply {
    /** Returned for what is no probe: too short for an answer of its size. */
    static final int NO_PROBE = -1;
    /** Returned for what is an answer itself. Two reflectors that are led to each other by a forged address would answer for ever. */
    static final int AN_ANSWER = -2;

    /** An answer has two times of one clock, of its probe's arrival and of its own leaving; they are not that far apart. Seconds. */
    private static final long LONGEST_STAY = 3600;
    private static final int ECN_BITS = 2;

    private StampReply() {
    }

    /**
     * Answers.
     *
     * @param packet        from {@code at} on; the time of the answer is for whoever sends it
     * @param tos           of its arrival, or -1
     * @param ttl           of its arrival, or -1
     * @param arrivedNanos  since 1970
     * @param errorEstimate of this host
     * @return the octet of code point and ECN to answer with, or {@link #NO_PROBE}, {@link #AN_ANSWER}
     */
    static int answer(ByteBuffer packet, int at, int length, int tos, int ttl, long arrivedNanos, int errorEstimate) {
        if (length < Stamp.LEAST_REFLECTED) {
            return NO_PROBE;
        }
        if (isAnswer(packet, at)) {
            return AN_ANSWER;
        }
        int number = packet.getInt(at + Stamp.NUMBER);
        long time = packet.getLong(at + Stamp.TIME);
        short error = packet.getShort(at + Stamp.ERROR);
        packet.putShort(at + Stamp.ERROR, (short) errorEstimate);
        packet.putLong(at + Stamp.RECEIVED, StampTime.ntp(arrivedNanos));
        packet.putInt(at + Stamp.SENDER_NUMBER, number).putLong(at + Stamp.SENDER_TIME, time);
        packet.putShort(at + Stamp.SENDER_ERROR, error).putShort(at + Stamp.SENDER_ERROR + Short.BYTES, (short) 0);
        packet.put(at + Stamp.SENDER_TTL, (byte) (ttl < 0 ? Stamp.TTL_UNKNOWN : ttl));
        for (int i = Stamp.SENDER_TTL + 1; i < Math.min(length, Stamp.BASE); i++) {
            packet.put(at + i, (byte) 0);
        }
        return answerFields(packet, at + Stamp.BASE, at + length, tos);
    }

    /** A sender's packet has zeros where the time of arrival stands in an answer; the padding of TWAMP Light is like one by a rare chance. */
    private static boolean isAnswer(ByteBuffer packet, int at) {
        long arrived = packet.getInt(at + Stamp.RECEIVED) & 0xFFFF_FFFFL;
        long left = packet.getInt(at + Stamp.TIME) & 0xFFFF_FFFFL;
        return arrived != 0 && Math.abs(left - arrived) <= LONGEST_STAY;
    }

    private static int answerFields(ByteBuffer packet, int from, int end, int tos) {
        int answer = tos < 0 ? 0 : tos >>> ECN_BITS << ECN_BITS;
        int at = from;
        while (at + Stamp.TLV_HEADER <= end) {
            int type = packet.get(at + 1) & 0xFF;
            int length = packet.getShort(at + 2) & 0xFFFF;
            if (type == Stamp.RESERVED) {
                // Padding of those who know no fields: it goes back as it came.
                return answer;
            }
            if (length > end - at - Stamp.TLV_HEADER) {
                packet.put(at, (byte) Stamp.MALFORMED);
                return answer;
            }
            int flags = type == Stamp.EXTRA_PADDING ? 0 : Stamp.UNRECOGNIZED;
            if (type == Stamp.CLASS_OF_SERVICE && length != Stamp.CLASS_OCTETS) {
                flags = Stamp.MALFORMED;
            } else if (type == Stamp.CLASS_OF_SERVICE) {
                int value = packet.getInt(at + Stamp.TLV_HEADER);
                answer = value >>> 26 << ECN_BITS;
                // Where the arrived code point cannot be read, the field is answered and says that it was not understood.
                flags = tos < 0 ? Stamp.UNRECOGNIZED : 0;
                packet.putInt(at + Stamp.TLV_HEADER, value & 0xFC00_0000 | (tos < 0 ? 0 : tos << 18));
            }
            packet.put(at, (byte) flags);
            at += Stamp.TLV_HEADER + length;
        }
        return answer;
    }
}
