package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Writes packets to a connection as they are: a run of neighbours leaves as one slice of the buffer that it came in. */
public final class AnepWriter extends PacketRuns {
    /**
     * A slice below this size is copied when the peer is slow. Otherwise it would keep a whole receive buffer, many times its size, from
     * coming back.
     */
    private static final int SMALL = ReceiveBuffers.SIZE / 16;

    private final TcpLeg leg;

    public AnepWriter(TcpLeg leg) {
        this.leg = leg;
    }

    @Override
    protected void run(ByteBuf buffer, int offset, int length, long nanos) {
        if (length < SMALL && leg.pending() > 0) {
            leg.write(ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(buffer, offset, length));
        } else {
            leg.write(buffer.retainedSlice(offset, length));
        }
    }

    @Override
    public boolean hasRoom() {
        return leg.isWritable();
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
