package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Writes packets to a connection as they are: a run of neighbours in one buffer leaves as one slice of it. */
public final class AnepWriter implements PacketSink {
    /**
     * A slice below this size is copied when the peer is slow. Otherwise it would keep a whole receive buffer, many times its size, from
     * coming back.
     */
    private static final int SMALL = ReceiveBuffers.SIZE / 16;

    private final TcpLeg leg;
    private ByteBuf run;
    private int start;
    private int end;

    public AnepWriter(TcpLeg leg) {
        this.leg = leg;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long nanos) {
        if (buffer != run || offset != end) {
            settle();
            run = buffer;
            start = offset;
        }
        end = offset + length;
    }

    @Override
    public void settle() {
        if (run == null) {
            return;
        }
        int length = end - start;
        if (length < SMALL && leg.pending() > 0) {
            leg.write(ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(run, start, length));
        } else {
            leg.write(run.retainedSlice(start, length));
        }
        run = null;
    }

    @Override
    public void flush() {
        leg.flush();
    }

    @Override
    public void end() {
        leg.finish();
    }
}
