package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Packet;

/** Sends each packet as a datagram of its own, or only its payload, with its code point. */
public final class UdpWriter extends Stage {
    private final UdpLeg leg;
    private final InetSocketAddress to;
    private final boolean raw;
    private final LongAdder dropped;

    /**
     * @param to      the recipient, or null on a connected socket
     * @param raw     whether only payloads are sent
     * @param dropped counts what the socket does not take
     */
    public UdpWriter(UdpLeg leg, InetSocketAddress to, boolean raw, LongAdder dropped) {
        super(null);
        this.leg = leg;
        this.to = to;
        this.raw = raw;
        this.dropped = dropped;
    }

    @Override
    public void packet(Packet packet) {
        if (raw && packet.typeId() == Anep.TYPE_ERROR) {
            return;
        }
        ByteBuf datagram = raw ? packet.payload().retain() : packet.retainedSlice();
        if (!leg.write(datagram, to, packet.codePoint())) {
            dropped.increment();
        }
    }

    @Override
    public void flush() {
        leg.flush();
    }

    @Override
    public void end() {
        leg.flush();
    }

    @Override
    public void mark(int codePoint) {
        // Each datagram has its own.
    }
}
