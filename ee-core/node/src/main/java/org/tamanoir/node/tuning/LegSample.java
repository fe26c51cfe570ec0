package org.tamanoir.node.tuning;

import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;

/**
 * What a leg has done between two looks.
 *
 * @param rate          bits a second that were acknowledged while data were under way
 * @param retransmitted part of the octets sent that were sent again, 0 to 1
 * @param trip          round trip at the end over the shortest that was seen, 1 or more; 0 if the kernel does not say
 * @param full          whether the leg itself held its stream up; otherwise it carried all that there was, and could have carried more
 */
record LegSample(double rate, double retransmitted, double trip, boolean full) {
    /** With less a leg has hardly left its first windows, unless it was at it for long. */
    static final long LEAST_OCTETS = 128 << 10;
    static final long LONG_MICROS = 2_000_000;
    static final long LEAST_MICROS = 10_000;
    /** Of the time in which the node had more than the leg took: from there on the leg is what holds the stream up. As a verdict on streams has it. */
    private static final double HELD_UP = 0.2;
    /** Of the busy time in which the peer's window was shut. */
    private static final double SHUT = 0.5;
    private static final double MICROS = 1e6;
    private static final int BITS = 8;

    /**
     * Reads it from what the kernel said at two moments.
     *
     * @param pausedMicros in which the node made the other side wait because this leg took no more
     * @param micros       between the two
     * @return null if it says nothing of the path: too little was sent, its receiver was the limit, or the kernel is too old
     */
    static LegSample of(TcpState first, TcpState last, long pausedMicros, long micros) {
        long octets = last.since(first, TcpField.BYTES_ACKED);
        long busy = last.since(first, TcpField.BUSY_TIME);
        if (busy < LEAST_MICROS || octets < LEAST_OCTETS && busy < LONG_MICROS || last.since(first, TcpField.RWND_LIMITED) > SHUT * busy) {
            return null;
        }
        boolean full = last.get(TcpField.DELIVERY_RATE_APP_LIMITED) == 0 || pausedMicros > HELD_UP * micros || last.since(first, TcpField.SNDBUF_LIMITED) > HELD_UP * busy;
        long sent = last.since(first, TcpField.BYTES_SENT);
        double shortest = last.get(TcpField.MIN_RTT);
        return new LegSample(octets * BITS * MICROS / busy, sent == 0 ? 0 : (double) last.since(first, TcpField.BYTES_RETRANS) / sent,
                shortest > 0 ? Math.max(1, last.get(TcpField.RTT) / shortest) : 0, full);
    }
}
