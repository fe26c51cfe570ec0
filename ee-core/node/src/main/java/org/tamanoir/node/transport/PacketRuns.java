package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;

/** A sink that puts packets which lie behind one another in one buffer together, and takes them as one piece. */
public abstract class PacketRuns implements PacketSink {
    private ByteBuf buffer;
    private int start;
    private int end;
    private long nanos;

    @Override
    public final void packet(ByteBuf from, int offset, int length, long read) {
        if (from != buffer || offset != end) {
            settle();
            buffer = from;
            start = offset;
            nanos = read;
        }
        end = offset + length;
    }

    @Override
    public final void settle() {
        if (buffer != null) {
            ByteBuf whole = buffer;
            buffer = null;
            run(whole, start, end - start, nanos);
        }
    }

    /**
     * One or more whole packets, lent during the call.
     *
     * @param read when the first of them was read
     */
    protected abstract void run(ByteBuf whole, int offset, int length, long read);
}
