package org.tamanoir.node.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Sockets for datagrams: one a loop that listens, and one a stream that is connected to its next hop. */
public final class UdpSockets {
    /** UDP has no flow control: what the kernel keeps is all that a burst can use. */
    private static final int RECEIVE_BUFFER = 4 << 20;
    /** Octets that may wait for the socket of a next hop; beyond it datagrams are dropped and counted. */
    static final int PENDING = 256 << 10;

    private final EventLoops loops;

    public UdpSockets(EventLoops loops) {
        this.loops = loops;
    }

    /**
     * Listens on an address with a socket on every loop, between which the kernel shares the sources out; on NIO with one.
     *
     * @param receiver makes the receiver of each socket
     * @throws AnepException EE-502
     */
    public List<UdpLeg> listen(InetSocketAddress address, Consumer<UdpLeg> receiver) {
        List<UdpLeg> legs = new ArrayList<>();
        for (EventLoop loop : loops.isEpoll() ? loops.all() : loops.all().subList(0, 1)) {
            UdpLeg leg = new UdpLeg(loops.memory(loop));
            receiver.accept(leg);
            Bootstrap bootstrap = bootstrap(loop, leg);
            if (loops.isEpoll()) {
                bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
            }
            try {
                leg.opened(TcpSockets.bound(bootstrap.bind(address), address));
            } catch (AnepException e) {
                legs.forEach(UdpLeg::close);
                throw e;
            }
            legs.add(leg);
        }
        return legs;
    }

    /** A socket that is connected to one address; its future fails with EE-204. */
    public CompletableFuture<UdpLeg> connect(EventLoop loop, InetSocketAddress address, UdpLeg.Receiver receiver) {
        CompletableFuture<UdpLeg> connected = new CompletableFuture<>();
        UdpLeg leg = new UdpLeg(loops.memory(loop));
        leg.receiver(receiver);
        bootstrap(loop, leg).connect(address).addListener((ChannelFuture future) -> {
            if (future.isSuccess()) {
                leg.opened(future.channel());
                connected.complete(leg);
            } else {
                connected.completeExceptionally(new AnepException(ErrorCode.UNREACHABLE, "cannot reach " + TcpSockets.text(address) + ": "
                        + TcpSockets.reason(future.cause(), address), future.cause()));
            }
        });
        return connected;
    }

    /**
     * Joins a group with a socket that gets nothing else, beside those of other programs. To be called on the loop.
     *
     * @throws AnepException EE-502
     */
    public UdpLeg join(EventLoop loop, InetSocketAddress group, NetworkInterface on, UdpLeg.Receiver receiver) {
        UdpLeg leg = new UdpLeg(loops.memory(loop));
        leg.receiver(receiver);
        SocketProtocolFamily family = group.getAddress() instanceof Inet6Address ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET;
        DatagramChannel channel = loops.isEpoll() ? new EpollDatagramChannel(family) : new NioDatagramChannel(family);
        leg.opened(channel);
        channel.config().setAllocator(PooledByteBufAllocator.DEFAULT).setRecvByteBufAllocator(leg.budget())
                .setReceiveBufferSize(RECEIVE_BUFFER).setReuseAddress(true);
        if (loops.isEpoll()) {
            // The node's own sockets have it: one that is bound to every address and the group's port would be in the way.
            channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
            channel.config().setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, LoopMemory.DATAGRAM);
        }
        channel.pipeline().addLast(leg);
        try {
            done(loop.register(channel));
            done(channel.bind(scoped(group, on)));
            done(channel.joinGroup(group, on));
            return leg;
        } catch (IOException e) {
            channel.close();
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot join " + TcpSockets.text(group) + " on " + on.getName() + ": "
                    + TcpSockets.reason(e, group), e);
        }
    }

    /** On the loop itself all of it is done at once. */
    private static void done(ChannelFuture future) throws IOException {
        if (!future.isSuccess()) {
            throw new IOException(future.cause() == null ? "it takes too long" : future.cause().getMessage(), future.cause());
        }
    }

    /** A group that means another one on each link needs the interface with its address (RFC 4007 section 6). */
    private static InetSocketAddress scoped(InetSocketAddress group, NetworkInterface on) throws IOException {
        return group.getAddress() instanceof Inet6Address six && six.isMCLinkLocal()
                ? new InetSocketAddress(Inet6Address.getByAddress(null, six.getAddress(), on.getIndex()), group.getPort()) : group;
    }

    private Bootstrap bootstrap(EventLoop loop, UdpLeg leg) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(loops.datagramChannel())
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(PENDING / 2, PENDING))
                .option(ChannelOption.RECVBUF_ALLOCATOR, leg.budget())
                .handler(leg);
        if (loops.isEpoll()) {
            bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, LoopMemory.DATAGRAM);
        }
        return bootstrap;
    }
}
