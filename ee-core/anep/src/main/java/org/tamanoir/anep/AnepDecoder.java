package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Finds packets in a TCP stream, split at any octet, and hands each on as a {@link Packet} that its receiver releases. For clients and
 * tools; a node reads with its own receive buffer and {@link Framing}.
 *
 * <p>A malformed header fires {@link MalformedPacketException} once; what follows is thrown away, because the framing is lost.
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
            lost = true;
            in.skipBytes(in.readableBytes());
            throw e;
        }
    }
}
