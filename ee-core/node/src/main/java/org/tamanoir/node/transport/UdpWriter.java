package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import org.tamanoir.anep.Anep;

/** Sends each packet as a datagram of its own, or only its payload. */
public final class UdpWriter implements PacketSink {
    private final UdpLeg leg;
    private final InetSocketAddress to;
    private final boolean raw;
    private final LongAdder dropped;
    private final IntSupplier mark;

    /**
     * @param to      the recipient, or null on a connected socket
     * @param raw     whether only payloads are sent
     * @param dropped counts what the socket does not take
     * @param mark    says the code point of the packet in hand, 0 to 63
     */
    public UdpWriter(UdpLeg leg, InetSocketAddress to, boolean raw, LongAdder dropped, IntSupplier mark) {
        this.leg = leg;
        this.to = to;
        this.raw = raw;
        this.dropped = dropped;
        this.mark = mark;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long nanos) {
        int header = raw ? buffer.getUnsignedShort(offset + 4) * Anep.WORD : 0;
        boolean error = raw && buffer.getUnsignedShort(offset + 2) == Anep.TYPE_ERROR;
        if (!error && !leg.write(buffer.retainedSlice(offset + header, length - header), to, mark.getAsInt())) {
            dropped.increment();
        }
    }

    @Override
    public void settle() {
        // Every datagram has a reference of its own.
    }

    @Override
    public void flush() {
        leg.flush();
    }

    @Override
    public void end() {
        leg.flush();
    }
}
