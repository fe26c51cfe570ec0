package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Transport;

/**
 * Sees to it that the next hop can open the stream, whatever the services have made of its packets: the first packet of a TCP stream, and
 * every datagram, goes on with a destination. A service may have dropped the packet that carried it, or put a bare one in its place.
 *
 * <p>With TCP it stands on the way of the first packet only.
 */
final class DestinationStage extends Stage {
    private final StreamInfo stream;
    private final FlowControl flow;
    private final boolean firstOnly;
    private final Packet view = new Packet();
    private Stage before;
    private boolean opened;
    private long added;

    DestinationStage(StreamInfo stream, Stage next, FlowControl flow) {
        super(next);
        this.stream = stream;
        this.flow = flow;
        this.firstOnly = stream.transport() == Transport.TCP;
    }

    /** Names the step in front of this one, which goes past it once the stream is open. */
    void behind(Stage step) {
        before = step;
    }

    @Override
    public void packet(Packet packet) {
        if (!opened) {
            if (packet.has(OptionType.DESTINATION)) {
                opened();
            } else {
                open(packet);
                return;
            }
        }
        next().packet(packet);
    }

    private void opened() {
        opened = firstOnly;
        if (opened && before.next() == this) {
            before.next(next());
        }
    }

    private void open(Packet packet) {
        ByteBuf whole;
        try {
            whole = new PacketBuilder(packet.typeId()).flags(stream.flags()).options(completed(packet.options())).payload(packet.payload())
                    .build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            flow.failed(new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, "a service has emitted a packet without a destination and without "
                    + "room for one: " + e.getMessage(), e));
            return;
        }
        opened();
        next().packet(view.wrap(whole, whole.readerIndex(), whole.readableBytes()).receivedNanos(packet.receivedNanos())
                .codePoint(packet.codePoint()));
        whole.release();
    }

    /** The options that a packet has, and those that it needs to find its way from here. */
    private PacketOptions completed(PacketOptions options) {
        PacketOptions first = stream.options();
        if (!options.hasStream()) {
            options.stream(stream.id(), added++);
        }
        return options.source(first.source()).destination(first.destination()).delivery(first.port(), first.delivery())
                .chain(first.chain()).previousNode(first.previousNode()).hops(first.hops()).qosSession(first.qosSession()).session(first.session()).connected(first.connected()).trace(first.trace())
                .parameters(first.parameters());
    }

    /** What comes now opens no stream at the next hop: with TCP an empty packet goes before it. */
    private void openEmpty() {
        if (!opened && firstOnly) {
            ByteBuf nothing = new PacketBuilder(stream.typeId()).build(PooledByteBufAllocator.DEFAULT);
            open(new Packet().wrap(nothing, 0, nothing.readableBytes()).receivedNanos(System.nanoTime()).codePoint(flow.codePoint()));
            nothing.release();
            next().flush();
        }
    }

    @Override
    public void end() {
        openEmpty();
        next().end();
    }
}
