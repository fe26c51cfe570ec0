package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.tamanoir.anep.Anep;

/** Writes the payloads of packets to a connection, for a destination that does not know ANEP. */
public final class RawWriter implements PacketSink {
    /** Payloads below this size are gathered by copying; a slice for each would cost more than the copy. */
    private static final int SMALL = 4096;
    private static final int GATHERED = 64 * 1024;

    private final TcpLeg leg;
    private ByteBuf gathered;

    public RawWriter(TcpLeg leg) {
        this.leg = leg;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long nanos) {
        if (buffer.getUnsignedShort(offset + 2) == Anep.TYPE_ERROR) {
            return;
        }
        int header = buffer.getUnsignedShort(offset + 4) * Anep.WORD;
        int payload = length - header;
        if (payload >= SMALL) {
            settle();
            leg.write(buffer.retainedSlice(offset + header, payload));
        } else if (payload > 0) {
            gather(buffer, offset + header, payload);
        }
    }

    private void gather(ByteBuf buffer, int offset, int length) {
        if (gathered != null && gathered.writableBytes() < length) {
            settle();
        }
        if (gathered == null) {
            gathered = ByteBufAllocator.DEFAULT.directBuffer(GATHERED, GATHERED);
        }
        gathered.writeBytes(buffer, offset, length);
    }

    @Override
    public void settle() {
        if (gathered != null) {
            leg.write(gathered.readableBytes() < GATHERED / 4 ? trimmed(gathered) : gathered);
            gathered = null;
        }
    }

    /** A little in a buffer of its own size: what waits for a slow peer is counted by its octets and must not take many times as many. */
    private static ByteBuf trimmed(ByteBuf little) {
        try {
            return ByteBufAllocator.DEFAULT.directBuffer(little.readableBytes()).writeBytes(little);
        } finally {
            little.release();
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
