package org.tamanoir.node.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The threads that do the input and output of a node: epoll where the native library loads, NIO elsewhere. Both legs of a stream live
 * on one loop, so a packet changes thread only for a heavy service.
 */
public final class EventLoops implements AutoCloseable {
    private static final int QUIET_MILLIS = 20;

    private final boolean epoll;
    private final IoEventLoopGroup group;
    private final Map<EventLoop, LoopMemory> memories = new IdentityHashMap<>();

    /**
     * @param threads how many loops; one a core is right for most nodes
     * @param nio     take NIO even where epoll works
     * @param memory  octets that all streams together may retain, asked anew each time
     */
    public EventLoops(int threads, boolean nio, LongSupplier memory) {
        this.epoll = !nio && Epoll.isAvailable();
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.group = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("tamanoir-loop"), io);
        all().forEach(loop -> memories.put(loop, new LoopMemory(() -> memory.getAsLong() / threads)));
    }

    /** {@code epoll} or {@code nio}. */
    public String kind() {
        return epoll ? "epoll" : "nio";
    }

    public boolean isEpoll() {
        return epoll;
    }

    public IoEventLoopGroup group() {
        return group;
    }

    public List<EventLoop> all() {
        List<EventLoop> loops = new ArrayList<>();
        for (EventExecutor executor : group) {
            loops.add((EventLoop) executor);
        }
        return loops;
    }

    /** The memory account of one of these loops. */
    public LoopMemory memory(EventLoop loop) {
        return memories.get(loop);
    }

    /** Octets that streams retain, all loops together. */
    public long retained() {
        return memories.values().stream().mapToLong(LoopMemory::retained).sum();
    }

    Class<? extends ServerSocketChannel> serverChannel() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    Class<? extends SocketChannel> socketChannel() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    Class<? extends DatagramChannel> datagramChannel() {
        return epoll ? EpollDatagramChannel.class : NioDatagramChannel.class;
    }

    @Override
    public void close() {
        // A quiet time, because with none Netty may end a loop before it has closed its channels; not for ever, because a service may
        // hold a loop and not let it go.
        group.shutdownGracefully(QUIET_MILLIS, 2000, TimeUnit.MILLISECONDS).awaitUninterruptibly(4, TimeUnit.SECONDS);
        memories.values().forEach(LoopMemory::close);
    }
}
