package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Finds packets in a TCP stream, split at any octet, and hands each on as a {@link Packet} that its receiver releases (Netty does not: a
 * view is not reference-counted, its buffer is). For clients and tools; a node reads with its own receive buffer and {@link Framing}.
 *
 * <p>The first packet that is malformed, in its header or in its options, fires one {@link MalformedPacketException}, after every packet
 * that came before it; what follows is thrown away until the receiver closes the channel. A stream that ends inside a packet is
 * malformed too, with {@link ErrorCode#TRUNCATED}. At most one packet, 65,535 octets, waits here.
 */
public final class AnepDecoder extends ByteToMessageDecoder {
    private boolean lost;

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (lost) {
            in.skipBytes(in.readableBytes());
            return;
        }
        try {
            int length = Framing.packetLength(in, in.readerIndex(), in.readableBytes());
            if (length == Framing.INCOMPLETE) {
                return;
            }
            Packet packet = new Packet().wrap(in, in.readerIndex(), length);
            packet.checkOptions();
            out.add(packet.retain());
            in.skipBytes(length);
        } catch (MalformedPacketException e) {
            lose(context, in, e);
        }
    }

    /** Called when nothing more will come and every whole packet has been taken. */
    @Override
    protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (in.isReadable() && !lost) {
            lose(context, in, new MalformedPacketException(ErrorCode.TRUNCATED, "the stream ends after " + in.readableBytes()
                    + " octets of a packet"));
        }
    }

    /** Fired, not thrown: the base class would wrap it, with a stack trace. */
    private void lose(ChannelHandlerContext context, ByteBuf in, MalformedPacketException error) {
        lost = true;
        in.skipBytes(in.readableBytes());
        context.fireExceptionCaught(error);
    }
}
