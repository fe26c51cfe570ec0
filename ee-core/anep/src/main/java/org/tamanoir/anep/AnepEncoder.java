package org.tamanoir.anep;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/** Sends a {@link Packet} as the slice that it is and gives its reference away; anything else passes. */
@Sharable
public final class AnepEncoder extends ChannelOutboundHandlerAdapter {
    public static final AnepEncoder INSTANCE = new AnepEncoder();

    private AnepEncoder() {
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        if (message instanceof Packet packet) {
            context.write(packet.buffer().slice(packet.offset(), packet.length()), promise);
        } else {
            context.write(message, promise);
        }
    }
}
