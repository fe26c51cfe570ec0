package org.tamanoir.collective;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Finds frames in octets that come in any portions. Holds one frame at the most. */
public final class FrameReader {
    private final byte[] head = new byte[Integer.BYTES];
    private int headOctets;
    private byte[] body;
    private int bodyOctets;

    /**
     * Takes octets, and hands on each frame that is whole.
     *
     * @param octets lent for the call
     * @throws AnepException EE-109 for a frame that is none; what comes behind it makes no sense any more
     */
    public void take(ByteBuf octets, Consumer<Frame> frames) {
        int at = octets.readerIndex();
        int end = octets.writerIndex();
        while (at < end) {
            if (body == null) {
                head[headOctets++] = octets.getByte(at++);
                if (headOctets == head.length) {
                    begin(ByteBuffer.wrap(head).getInt());
                }
                continue;
            }
            int length = Math.min(end - at, body.length - bodyOctets);
            octets.getBytes(at, body, bodyOctets, length);
            at += length;
            bodyOctets += length;
            if (bodyOctets == body.length) {
                ByteBuffer whole = ByteBuffer.wrap(body);
                body = null;
                headOctets = 0;
                frames.accept(Frames.read(whole));
            }
        }
    }

    private void begin(int length) {
        if (length < 1 || length > Frames.LONGEST) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a frame of " + Integer.toUnsignedString(length) + " octets; it has 1 to " + Frames.LONGEST);
        }
        body = new byte[length];
        bodyOctets = 0;
    }

    /** Whether a frame has begun and is not whole. */
    public boolean isInside() {
        return headOctets > 0;
    }
}
