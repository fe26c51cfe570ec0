package org.tamanoir.benchmarks.load;

import java.nio.ByteBuffer;
import org.tamanoir.anep.Anep;

/**
 * What one stream brings to the sink: counts its octets, and compares them with what was sent if it is given the block. A relay may change
 * the options of the first packet, so the first packet's header is read over and not counted; every octet after it counts.
 */
final class StreamCheck {
    private final ByteBuffer expected;
    private final ByteBuffer header = ByteBuffer.allocate(Anep.HEADER_SIZE);
    private int unread;
    private int firstPayload;
    private boolean opened;
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
        if (!opened) {
            skipFirstHeader(read);
        }
        int counted = read.remaining();
        if (expected != null && counted > 0) {
            compare(read);
        }
        read.position(read.limit());
        return counted;
    }

    private void skipFirstHeader(ByteBuffer read) {
        while (header.hasRemaining() && read.hasRemaining()) {
            header.put(read.get());
        }
        if (header.hasRemaining()) {
            return;
        }
        if (firstPayload == 0 && unread == 0) {
            unread = StreamPackets.headerLength(header, 0) - Anep.HEADER_SIZE;
            firstPayload = StreamPackets.packetLength(header, 0) - StreamPackets.headerLength(header, 0);
        }
        int skipped = Math.min(unread, read.remaining());
        read.position(read.position() + skipped);
        unread -= skipped;
        opened = unread == 0;
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
        return opened;
    }

    /** Whether an octet was not the one that was sent. False where there is nothing to compare with. */
    boolean differs() {
        return differs;
    }
}
