package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.wire.Failures;

/** Takes the octets of a TCP connection as the payloads of a stream, for what a node delivers raw. */
final class RawInbound extends ChannelInboundHandlerAdapter {
    private final StreamState stream;

    RawInbound(StreamState stream) {
        this.stream = stream;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        context.channel().config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(1024, 16 << 10, 256 << 10));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf octets = (ByteBuf) message;
        stream.onArrival(octets, octets.readableBytes());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        stream.onReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            stream.onEnd();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stream.onFailure(new AnepException(ErrorCode.CONNECTION_LOST, "the connection ended before the stream did"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        stream.onFailure(Failures.of(cause, stream.link().peer()));
    }
}
