package org.tamanoir.anep;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.util.concurrent.atomic.LongAdder;

/**
 * Turns each {@link DatagramPacket} into an {@link AnepDatagram}; one that is no packet is released and counted, and costs nobody else
 * anything: a socket hears from everybody. To send, write a {@code new DatagramPacket(packet, recipient)}: there is nothing to encode.
 *
 * <pre>{@code
 * pipeline.addLast(new AnepDatagramDecoder(), new SimpleChannelInboundHandler<AnepDatagram>() { … datagram.packet() … });
 * }</pre>
 */
public final class AnepDatagramDecoder extends ChannelInboundHandlerAdapter {
    private final LongAdder malformed = new LongAdder();

    /** Datagrams thrown away so far; may be asked by any thread. */
    public long malformed() {
        return malformed.sum();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket datagram)) {
            context.fireChannelRead(message);
            return;
        }
        AnepDatagram packet;
        try {
            packet = new AnepDatagram(datagram);
        } catch (MalformedPacketException e) {
            malformed.increment();
            datagram.release();
            return;
        }
        context.fireChannelRead(packet);
    }
}
