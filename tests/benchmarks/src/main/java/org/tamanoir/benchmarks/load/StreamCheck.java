package org.tamanoir.benchmarks.load;

import java.nio.ByteBuffer;
import org.tamanoir.anep.Anep;

/**
 * What one stream brings to the sink: counts its octets, and compares them with what was sent if it is given the block. A relay may change
 * the options of the first packet, so the first packet's header is read over and not counted; every octet after it counts.
 */
final class StreamCheck {
    private final ByteBuffer expected;
    /** Of the first packet: its first octets, and all of it as soon as they say how long it is. */
    private ByteBuffer header = ByteBuffer.allocate(Anep.HEADER_SIZE);
    private int firstPayload;
    private int at;
    private boolean differs;

    /** @param expected the block that the stream repeats, or null to count only */
    StreamCheck(ByteBuffer expected) {
        this.expected = expected == null ? null : expected.duplicate();
    }

    /**
     * Takes the octets of one read.
     *
     * @param read from position to limit; the position moves to the limit
     * @return how many of them count
     */
    int take(ByteBuffer read) {
        readFirstHeader(read);
        int counted = read.remaining();
        if (expected != null && counted > 0) {
            compare(read);
        }
        read.position(read.limit());
        return counted;
    }

    private void readFirstHeader(ByteBuffer read) {
        while (header.hasRemaining() && read.hasRemaining()) {
            header.put(read.get());
            int length = StreamPackets.headerLength(header, 0);
            if (!header.hasRemaining() && header.capacity() < length) {
                header = ByteBuffer.allocate(length).put(header.flip());
            }
            firstPayload = StreamPackets.packetLength(header, 0) - length;
        }
    }

    private void compare(ByteBuffer read) {
        ByteBuffer rest = read.duplicate();
        // The first packet's payload is zeros.
        while (firstPayload > 0 && rest.hasRemaining()) {
            differs |= rest.get() != 0;
            firstPayload--;
        }
        while (rest.hasRemaining()) {
            int length = Math.min(rest.remaining(), expected.capacity() - at);
            ByteBuffer part = rest.slice(rest.position(), length);
            differs |= part.mismatch(expected.slice(at, length)) >= 0;
            rest.position(rest.position() + length);
            at = (at + length) % expected.capacity();
        }
    }

    /** Whether a whole first header has come. */
    boolean opened() {
        return !header.hasRemaining();
    }

    /** Whether an octet was not the one that was sent. False where there is nothing to compare with. */
    boolean differs() {
        return differs;
    }
}
