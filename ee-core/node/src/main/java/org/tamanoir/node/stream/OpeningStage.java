package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.transport.PacketSink;
import org.tamanoir.service.Transport;

/**
 * Sees to it that the next hop can open the stream, whatever the services have made of its packets: the first packet of a TCP stream, and
 * every datagram, goes on with a destination. A service may have dropped the packet that carried it, or put a bare one in its place.
 */
final class OpeningStage implements PacketSink, Remarking {
    private final StreamInfo stream;
    private final PacketSink next;
    private final Way way;
    private final Packet view = new Packet();
    private boolean opened;
    private long added;

    OpeningStage(StreamInfo stream, PacketSink next, Way way) {
        this.stream = stream;
        this.next = next;
        this.way = way;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long nanos) {
        if (!opened) {
            view.wrap(buffer, offset, length);
            if (view.typeId() != Anep.TYPE_ERROR && !view.has(OptionType.DESTINATION)) {
                open(view, nanos);
                return;
            }
            opened = stream.transport() == Transport.TCP;
        }
        next.packet(buffer, offset, length, nanos);
    }

    private void open(Packet packet, long nanos) {
        ByteBuf whole;
        try {
            whole = new PacketBuilder(packet.typeId()).flags(stream.flags()).options(completed(packet.options())).payload(packet.payload())
                    .build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            way.failed(new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, "a service has emitted a packet without a destination and without "
                    + "room for one: " + e.getMessage(), e));
            return;
        }
        opened = stream.transport() == Transport.TCP;
        next.packet(whole, whole.readerIndex(), whole.readableBytes(), nanos);
        next.settle();
        whole.release();
    }

    /** The options that a packet has, and those that it needs to find its way from here. */
    private PacketOptions completed(PacketOptions options) {
        PacketOptions first = stream.options();
        if (!options.hasStream()) {
            options.stream(stream.id(), added++);
        }
        return options.source(first.source()).destination(first.destination()).delivery(first.port(), first.delivery())
                .chain(first.chain()).previousNode(first.previousNode()).hops(first.hops()).qosSession(first.qosSession());
    }

    @Override
    public void settle() {
        next.settle();
    }

    @Override
    public void flush() {
        next.flush();
    }

    @Override
    public boolean hasRoom() {
        return next.hasRoom();
    }

    @Override
    public void remark() {
        if (next instanceof Remarking behind) {
            behind.remark();
        }
    }

    @Override
    public void end() {
        if (!opened && stream.transport() == Transport.TCP) {
            ByteBuf nothing = new PacketBuilder(stream.typeId()).build(PooledByteBufAllocator.DEFAULT);
            open(new Packet().wrap(nothing, 0, nothing.readableBytes()), System.nanoTime());
            nothing.release();
            next.flush();
        }
        next.end();
    }
}
