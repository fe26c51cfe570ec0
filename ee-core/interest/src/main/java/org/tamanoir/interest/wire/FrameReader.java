package org.tamanoir.interest.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Finds frames in octets as they come. What is whole in what came is shown where it lies; only a frame that is split is copied. */
public final class FrameReader {
    private final int most;
    private ByteBuf begun = Unpooled.EMPTY_BUFFER;

    /** Is shown each frame. */
    public interface Visitor {
        /**
         * A frame.
         *
         * @param in   where it lies; lent for the call
         * @param body index of its body; the header is in front of it
         * @param end  index behind it
         */
        void frame(int kind, ByteBuf in, int body, int end);
    }

    /** @param most octets of a body, at most {@link Frames#LONGEST} */
    public FrameReader(int most) {
        this.most = most;
    }

    /** @throws AnepException EE-109 for a body that is too long, and what the visitor throws */
    public void take(ByteBuf octets, Visitor visitor) {
        int at = octets.readerIndex();
        int end = octets.writerIndex();
        while (begun.isReadable() && at < end) {
            int missing = (begun.readableBytes() < Frames.HEADER ? Frames.HEADER : Frames.HEADER + length(begun, 0)) - begun.readableBytes();
            int taken = Math.min(missing, end - at);
            begun.writeBytes(octets, at, taken);
            at += taken;
            if (begun.readableBytes() >= Frames.HEADER && begun.readableBytes() == Frames.HEADER + length(begun, 0)) {
                ByteBuf whole = begun;
                begun = Unpooled.EMPTY_BUFFER;
                visitor.frame(whole.getUnsignedByte(0), whole, Frames.HEADER, whole.writerIndex());
            }
        }
        while (end - at >= Frames.HEADER && end - at - Frames.HEADER >= length(octets, at)) {
            int body = at + Frames.HEADER;
            int next = body + length(octets, at);
            visitor.frame(octets.getUnsignedByte(at), octets, body, next);
            at = next;
        }
        if (at < end) {
            begun = Unpooled.buffer(Math.max(Frames.HEADER, end - at)).writeBytes(octets, at, end - at);
        }
    }

    private int length(ByteBuf in, int at) {
        int length = in.getUnsignedMedium(at + 1);
        if (length > most) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a frame of " + length + " octets; " + most + " are the most");
        }
        return length;
    }
}
