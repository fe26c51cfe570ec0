package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.tls.NettyTls;
import org.tamanoir.node.transport.TcpSockets.Acceptor;
import org.tamanoir.node.transport.TcpSockets.NewLeg;

/** Looks at the first octet of a connection that comes in, and lets it on when it is known who it is: by TLS, or without where that is allowed. */
final class FirstOctet extends ByteToMessageDecoder {
    private final Tls tls;
    private final NewLeg connection;
    private final Acceptor acceptor;
    private final long number;
    private final InetSocketAddress peer;
    private boolean settled;
    private boolean shaking;

    /** @param number of the connection, which is admitted already */
    FirstOctet(Tls tls, NewLeg connection, Acceptor acceptor, long number) {
        this.tls = tls;
        this.connection = connection;
        this.acceptor = acceptor;
        this.number = number;
        this.peer = connection.peer();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        context.channel().closeFuture().addListener(closed -> settle());
        context.executor().schedule(() -> {
            if (!settled && !shaking) {
                refuse(new AnepException(ErrorCode.HEADER_TIMEOUT, "nothing came within " + tls.handshakeMillis() + " ms"));
            }
        }, tls.handshakeMillis(), TimeUnit.MILLISECONDS);
    }

    /** The connection is no longer on its way in; true if it was until now. */
    private boolean settle() {
        boolean before = settled;
        settled = true;
        if (!before) {
            acceptor.gone(peer);
        }
        return !before;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        super.userEventTriggered(context, event);
        if (event == ChannelInputShutdownEvent.INSTANCE && !settled && !shaking) {
            context.close();
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (settled) {
            in.skipBytes(in.readableBytes());
        } else if (in.getUnsignedByte(in.readerIndex()) == Tls.HANDSHAKE) {
            shaking = true;
            SslHandler handler = tls.accepting(context.channel());
            handler.handshakeFuture().addListener(done -> shaken(handler, done));
            context.pipeline().addFirst(new Tls.EndHeld(handler));
            context.pipeline().addLast(new NettyTls.Shaking(handler)).replace(this, "tls", handler);
        } else if (tls.allowsPlain(peer.getAddress())) {
            settled = true;
            acceptor.accepted(connection, number);
            context.pipeline().remove(this);
        } else {
            refuse(new AnepException(ErrorCode.TLS_NEEDED, "this node takes no connection without TLS from " + peer.getAddress().getHostAddress()));
            in.skipBytes(in.readableBytes());
        }
    }

    private void shaken(SslHandler handler, Future<?> done) {
        if (settled) {
            return;
        }
        if (done.isSuccess()) {
            settled = true;
            acceptor.accepted(connection.secured(handler), number);
        } else {
            acceptor.refused(NettyTls.reason(done.cause(), peer));
            settle();
        }
    }

    private void refuse(AnepException why) {
        if (settle()) {
            acceptor.refused(why);
            connection.refuse(why);
        }
    }
}
