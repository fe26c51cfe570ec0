package org.tamanoir.benchmarks.soak;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.tamanoir.benchmarks.bundle.Stamp;

/**
 * The payload of a packet of the soak, big-endian:
 *
 * <pre>
 *  0  mark         32 bits  the part of the run in which the packet was sent
 *  4  flags        32 bits  1: the last one of its stream
 *  8  stream       64 bits
 * 16  sequence     64 bits  from 0
 * 24  due          64 bits  nanoseconds of the source's clock, {@link System#nanoTime()}
 * 32  check sum    32 bits  CRC-32C (RFC 3720, appendix B.4) of all but itself and the stamps
 * 36  reserved     32 bits  0
 * 40  ingress      32 bits  version of the service on the first node, 0 from the source
 * 44  egress       32 bits  the same on the last node
 * 48  filler                pseudo-random, other octets for each sequence number
 * </pre>
 */
record SoakPacket(int mark, boolean last, long stream, long sequence, long due, int ingress, int egress) {
    /** Octets of the shortest payload. */
    static final int MIN_PAYLOAD = Stamp.END;

    private static final int LAST = 1;
    private static final int SUM_AT = 32;
    private static final byte[] FILLER = filler();

    private static byte[] filler() {
        byte[] filler = new byte[2 * 65_536];
        new SplittableRandom(1).nextBytes(filler);
        return filler;
    }

    /** Writes the payload at the buffer's position and moves it to the end. @param length at least {@link #MIN_PAYLOAD} */
    void write(ByteBuffer to, int length) {
        int at = to.position();
        to.putInt(mark).putInt(last ? LAST : 0).putLong(stream).putLong(sequence).putLong(due).putLong(0).putInt(ingress).putInt(egress);
        to.put(FILLER, (int) (sequence * 31 & 0xFFFF), length - MIN_PAYLOAD);
        to.putInt(at + SUM_AT, sum(to, at, length));
    }

    /** What stands at an offset; null if that is no payload as it was written, whatever the stamps say. */
    static SoakPacket read(ByteBuffer in, int at, int length) {
        if (length < MIN_PAYLOAD || in.getInt(at + SUM_AT) != sum(in, at, length)) {
            return null;
        }
        ByteBuffer from = in.slice(at, length);
        return new SoakPacket(from.getInt(), (from.getInt() & LAST) != 0, from.getLong(), from.getLong(), from.getLong(),
                from.getInt(Stamp.INGRESS), from.getInt(Stamp.EGRESS));
    }

    private static int sum(ByteBuffer in, int at, int length) {
        CRC32C sum = new CRC32C();
        sum.update(in.slice(at, SUM_AT));
        sum.update(in.slice(at + SUM_AT + Integer.BYTES, Stamp.INGRESS - SUM_AT - Integer.BYTES));
        sum.update(in.slice(at + Stamp.END, length - Stamp.END));
        return (int) sum.getValue();
    }
}
