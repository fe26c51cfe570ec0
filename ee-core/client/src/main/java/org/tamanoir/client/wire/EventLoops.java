package org.tamanoir.client.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.Listening;

/**
 * Event loops and the channels that run on them: Netty's NIO for the library, which asks nothing of an application's machine, and epoll
 * for programs of this project where its library loads. Decision 0007 has the reasons.
 */
public final class EventLoops {
    /** Datagrams wait here while the reader is busy, as far as the kernel allows (net.core.rmem_max): UDP has no flow control. */
    private static final int DATAGRAM_RECEIVE_BUFFER = 4 << 20;
    private static final long CLOSE_NANOS = 2_000_000_000L;

    /** Channels get their handlers when the other side has accepted. */
    private static final ChannelHandler LATER = new ChannelInitializer<Channel>() {
        @Override
        protected void initChannel(Channel channel) {
            // Whoever connects adds them.
        }
    };

    private EventLoops() {
    }

    /**
     * A new group of daemon threads that the caller shuts down.
     *
     * @param threads at least 1; a thread is started when its first channel comes
     */
    public static EventLoopGroup newGroup(int threads, String name) {
        return newGroup(threads, name, NioIoHandler.newFactory());
    }

    /** As {@link #newGroup(int, String)}, on epoll if there is its library: fewer calls of the kernel for a small message. */
    public static IoEventLoopGroup newFastGroup(int threads, String name) {
        return newGroup(threads, name, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    private static IoEventLoopGroup newGroup(int threads, String name, IoHandlerFactory io) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), io);
    }

    private static boolean isEpoll(EventLoopGroup group) {
        return group instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class);
    }

    /**
     * For connecting over TCP: half-close travels, a failed write leaves what has arrived readable, and nothing is read unasked. Netty sets
     * TCP_NODELAY by itself.
     */
    public static Bootstrap tcp(EventLoopGroup group) {
        return new Bootstrap().group(group)
                .channel(isEpoll(group) ? EpollSocketChannel.class : NioSocketChannel.class)
                .handler(LATER)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.SO_LINGER, Closing.RESET)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    }

    /** Loads what a connection over TCP needs, which the first one would wait for: registers one, and connects to nobody. */
    public static void prepare() {
        EventLoopGroup group = newGroup(1, "tamanoir-prepare");
        tcp(group).register().syncUninterruptibly().channel().close().syncUninterruptibly();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** For listening on TCP; accepted connections are set up as by {@link #tcp}. */
    public static ServerBootstrap tcpServer(EventLoopGroup group) {
        return new ServerBootstrap().group(group)
                .channel(isEpoll(group) ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, Listening.all())
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.AUTO_CLOSE, false)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.SO_LINGER, Closing.RESET)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    }

    /** For UDP, connected or bound, of the family of an address. */
    public static Bootstrap udp(EventLoopGroup group) {
        return datagrams(group).channel(NioDatagramChannel.class);
    }

    /** For UDP of one family alone, which a socket that takes part in IP multicast has to be of. */
    public static Bootstrap udp(EventLoopGroup group, SocketProtocolFamily family) {
        return datagrams(group).channelFactory(() -> isEpoll(group) ? new EpollDatagramChannel(family) : new NioDatagramChannel(family));
    }

    private static Bootstrap datagrams(EventLoopGroup group) {
        return new Bootstrap().group(group)
                .option(ChannelOption.SO_RCVBUF, DATAGRAM_RECEIVE_BUFFER)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    }

    /** {@code 127.0.0.1:7000}, {@code [::1]:7000}. */
    public static String text(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }

    /**
     * Closes the channels of a group, and ends its threads when they have done what they have to do; 2 s at most. Does nothing the second time.
     *
     * <p>Netty's loop looks whether it is to end before it runs its tasks, closes its channels then, and again after them, and then it ends:
     * told while the tasks run, it would end with its channels open. It takes one turn more for a hook.
     */
    public static Future<?> close(EventLoopGroup group) {
        if (group.isShuttingDown()) {
            return group.terminationFuture();
        }
        for (EventExecutor loop : group) {
            ((SingleThreadEventExecutor) loop).addShutdownHook(() -> { });
        }
        // Without any quiet time it would not even take that turn.
        return group.shutdownGracefully(1, CLOSE_NANOS, TimeUnit.NANOSECONDS);
    }

    /** Refuses a group that its streams could not live on. */
    public static EventLoopGroup checked(EventLoopGroup group) {
        if (group instanceof IoEventLoopGroup io && io.isIoType(NioIoHandler.class)) {
            return group;
        }
        throw new IllegalArgumentException("streams need event loops of Netty's NIO");
    }
}
