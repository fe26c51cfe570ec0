package org.tamanoir.services.theodolite;

import java.nio.ByteBuffer;

/**
 * What the receiving end of a flow answers on each connection: 36 octets, big-endian, with {@code TFR1} in front.
 *
 * @param octets       payload that has arrived
 * @param nanos        from the first of them to the last
 * @param steadyOctets of these, those of the second half of the time: TCP begins slowly
 * @param steadyNanos  that half
 */
record FlowReport(long octets, long nanos, long steadyOctets, long steadyNanos) {
    private static final int MAGIC = 0x54465231;
    private static final int LENGTH = 36;

    byte[] encode() {
        return ByteBuffer.allocate(LENGTH).putInt(MAGIC).putLong(octets).putLong(nanos).putLong(steadyOctets).putLong(steadyNanos).array();
    }

    /** Null if it is none, or says what cannot be. */
    static FlowReport decode(byte[] octets) {
        ByteBuffer in = ByteBuffer.wrap(octets);
        if (octets.length != LENGTH || in.getInt() != MAGIC) {
            return null;
        }
        FlowReport report = new FlowReport(in.getLong(), in.getLong(), in.getLong(), in.getLong());
        boolean holds = report.octets > 0 && report.nanos > 0 && report.steadyOctets >= 0 && report.steadyOctets <= report.octets && report.steadyNanos > 0 && report.steadyNanos <= report.nanos;
        return holds ? report : null;
    }

    double mbits() {
        return octets * 8e3 / nanos;
    }

    double steadyMbits() {
        return steadyOctets * 8e3 / steadyNanos;
    }
}
