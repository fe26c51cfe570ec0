package org.tamanoir.client.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.identity.tls.NettyTls;

/**
 * The two ways in which a side of a TCP connection, in the clear or by TLS, ends: finished, or given up. A peer must never take the one for the other, or it
 * takes half a file for a whole one; so every connection is set up to be reset when its socket goes, even if that is because its process
 * was killed, and only {@link #finish} changes this.
 */
public final class Closing {
    /** SO_LINGER: closing resets. */
    static final int RESET = 0;
    /** SO_LINGER: closing sends what is left. */
    private static final int DELIVER = -1;

    private Closing() {
    }

    /** Ends this direction of a stream: the peer sees it after everything that was written before. With TLS it is a packet ({@code docs/anep.md}). */
    public static ChannelFuture finish(SocketChannel channel) {
        return channel.pipeline().get(SslHandler.class) == null ? hangUp(channel)
                : channel.writeAndFlush(PacketBuilder.control(channel.alloc(), ConnectionUse.END));
    }

    /** Says, after everything that was written before, that nothing more comes on the connection; by TLS, and then by TCP. */
    static ChannelFuture hangUp(SocketChannel channel) {
        ChannelPromise finished = channel.newPromise();
        // Netty drops what is still queued when the output is shut down, so an empty write goes ahead of it.
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((ChannelFuture written) -> {
            if (written.isSuccess()) {
                SslHandler tls = channel.pipeline().get(SslHandler.class);
                (tls == null ? channel.shutdownOutput() : NettyTls.finish(channel, tls)).addListener((ChannelFuture shut) -> {
                    linger(channel, DELIVER);
                    end(finished, shut);
                });
            } else {
                end(finished, written);
            }
        });
        return finished;
    }

    private static void end(ChannelPromise finished, ChannelFuture last) {
        if (last.isSuccess()) {
            finished.setSuccess();
        } else {
            finished.setFailure(last.cause());
        }
    }

    /** Gives the connection up: the peer sees a reset, and by TLS no last word. Does nothing if it is closed. */
    public static void reset(Channel channel) {
        linger(channel, RESET);
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            channel.close();
        } else {
            NettyTls.cut(channel, tls);
        }
    }

    /** Closes what this side has finished. */
    public static void close(Channel channel) {
        if (channel.pipeline().get(SslHandler.class) != null) {
            linger(channel, DELIVER);
        }
        channel.close();
    }

    private static void linger(Channel channel, int how) {
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, how);
        } catch (ChannelException e) {
            // The socket is closed already: there is nobody to tell.
        }
    }
}
