package org.tamanoir.client.multicast;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.util.concurrent.Future;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Outlet;

/**
 * The sockets of one source or receiver and the thread that they live on: one for unicast, from which groups are sent to as well, and for a
 * receiver one that hears the group.
 */
final class Sockets implements Outlet, AutoCloseable {
    private static final int LARGEST_DATAGRAM = 1 << 16;
    /** What fits an Ethernet frame, and every message but content: what one call of the kernel reads is this many times as much. */
    private static final int USUAL_DATAGRAM = 1 << 11;
    /** Datagrams that are read before a core is told that there are no more for the moment. */
    private static final int BATCH = 64;
    /** Octets that wait for the socket; a datagram more is lost here, as it would be on the way. */
    private static final int MOST_WAITING = 4 << 20;

    private static final int END_SECONDS = 5;

    /** Linux asks for the index of an interface, Netty's epoll for an IPv6 address that it has (ipv6(7)). */
    private static final ChannelOption<Integer> INTERFACE_OF_IPV6 = new IntegerUnixChannelOption("IPV6_MULTICAST_IF", 41, 17);

    private final IoEventLoopGroup group;
    private final IoEventLoop loop;
    private final LongAdder overflown = new LongAdder();
    private final List<DatagramChannel> channels = new ArrayList<>();
    private int largest = USUAL_DATAGRAM;
    private DatagramChannel unicast;

    Sockets(String name) {
        group = EventLoops.newFastGroup(1, name);
        loop = group.next();
    }

    /**
     * Opens the unicast socket.
     *
     * @param family     of what it speaks to
     * @param port       0 for any
     * @param networkInterface multicast leaves by it; null where none does
     * @param hops       that multicast may pass, 0 to 255
     * @throws AnepException EE-502 if the port is taken
     */
    void open(SocketProtocolFamily family, int port, NetworkInterface networkInterface, int hops, ChannelHandler handler) {
        Bootstrap bootstrap = bootstrap(family, handler).option(isEpoll() ? hopsOption(family) : ChannelOption.IP_MULTICAST_TTL, hops)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(MOST_WAITING / 2, MOST_WAITING));
        if (networkInterface != null && isEpoll() && family == SocketProtocolFamily.INET6) {
            bootstrap.option(INTERFACE_OF_IPV6, networkInterface.getIndex());
        } else if (networkInterface != null) {
            bootstrap.option(ChannelOption.IP_MULTICAST_IF, networkInterface);
        }
        unicast = bind(bootstrap, new InetSocketAddress(wildcard(family), port));
        channels.add(unicast);
    }

    /** What Netty's epoll sets for {@link ChannelOption#IP_MULTICAST_TTL} holds for unicast; the numbers are Linux's (ip(7), ipv6(7)). */
    private static ChannelOption<Integer> hopsOption(SocketProtocolFamily family) {
        return family == SocketProtocolFamily.INET ? new IntegerUnixChannelOption("IP_MULTICAST_TTL", 0, 33)
                : new IntegerUnixChannelOption("IPV6_MULTICAST_HOPS", 41, 18);
    }

    private Bootstrap bootstrap(SocketProtocolFamily family, ChannelHandler handler) {
        // On this very loop, whose thread the cores belong to.
        Bootstrap bootstrap = EventLoops.udp(loop, family).handler(handler);
        return isEpoll() ? bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, largest).option(ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(BATCH * USUAL_DATAGRAM).maxMessagesPerRead(BATCH))
                : bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(LARGEST_DATAGRAM).maxMessagesPerRead(BATCH));
    }

    private boolean isEpoll() {
        return loop.isIoType(EpollIoHandler.class);
    }

    /** Datagrams with so much content may come; on the thread of the sockets. Larger ones are cut before that is known. */
    void expect(int content) {
        int needed = content + Codec.DATA_OVERHEAD + Long.BYTES;
        if (needed > largest && isEpoll()) {
            largest = Math.min(LARGEST_DATAGRAM - 1, needed);
            channels.forEach(channel -> channel.config().setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, largest));
        }
    }

    private static InetAddress wildcard(SocketProtocolFamily family) {
        try {
            return InetAddress.getByAddress(new byte[family == SocketProtocolFamily.INET ? 4 : 16]);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 and 16 octets are addresses", e);
        }
    }

    private static DatagramChannel bind(Bootstrap bootstrap, InetSocketAddress address) {
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + EventLoops.text(address) + ": "
                    + bound.cause().getMessage(), bound.cause());
        }
        return (DatagramChannel) bound.channel();
    }

    /**
     * Hears a group on an interface. The socket is bound to the group's address, so that it gets that group's datagrams alone and several
     * receivers of a machine can have it.
     *
     * @throws AnepException EE-502 if it cannot
     */
    void join(InetSocketAddress group, NetworkInterface networkInterface, ChannelHandler handler) {
        InetSocketAddress at = new InetSocketAddress(scoped(group.getAddress(), networkInterface), group.getPort());
        DatagramChannel channel = bind(bootstrap(Interfaces.family(group), handler).option(ChannelOption.SO_REUSEADDR, true), at);
        ChannelFuture joined = channel.joinGroup(at.getAddress(), networkInterface, null).awaitUninterruptibly();
        if (!joined.isSuccess()) {
            channel.close();
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot join " + EventLoops.text(group) + " on " + networkInterface.getName()
                    + ": " + joined.cause().getMessage(), joined.cause());
        }
        channels.add(channel);
    }

    /** An IPv6 group of one link needs to be told which. */
    private static InetAddress scoped(InetAddress address, NetworkInterface networkInterface) {
        try {
            return address instanceof Inet4Address || !address.isMCLinkLocal() ? address
                    : Inet6Address.getByAddress(null, address.getAddress(), networkInterface.getIndex());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("the octets are those of an address", e);
        }
    }

    /** The thread of the cores. */
    IoEventLoop loop() {
        return loop;
    }

    /** Where the unicast socket is. */
    InetSocketAddress address() {
        return unicast.localAddress();
    }

    /** Datagrams that were not sent because too many waited. */
    long overflown() {
        return overflown.sum();
    }

    @Override
    public void send(Message message, InetSocketAddress to) {
        if (!unicast.isWritable()) {
            overflown.increment();
            return;
        }
        ByteBuf packet = Codec.encode(message, unicast.alloc());
        unicast.write(new DatagramPacket(packet, to), unicast.voidPromise());
    }

    /** Lets go what was sent since the last time. */
    void flush() {
        unicast.flush();
    }

    /**
     * Closes the sockets and ends the thread, after what it still has to do. Each is closed by itself: of those that are left to the end of
     * the thread some stay open, and the kernel goes on keeping what the group gets.
     */
    @Override
    public void close() {
        List<ChannelFuture> closed = channels.stream().map(Channel::close).toList();
        if (!loop.inEventLoop()) {
            closed.forEach(each -> each.awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS));
        }
        Future<?> ended = EventLoops.close(group);
        if (!loop.inEventLoop()) {
            ended.awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS);
        }
    }
}
