package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One UDP socket: hands datagrams to a receiver in the buffer that they came in, and writes others. On one event loop. */
public final class UdpLeg extends ChannelInboundHandlerAdapter {
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(1);
    /** The code point is the upper six bits of the octet (RFC 2474 section 3). */
    static final int DSCP_SHIFT = 2;
    /** Octets after which what was written leaves before the turn of reading ends: a socket that is free never refuses a datagram. */
    private static final int FLUSH = UdpSockets.PENDING / 2;

    /** Who gets the datagrams of a socket; each call comes on its loop. */
    public interface Receiver {
        /** A datagram, lent during the call. */
        void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender);

        /** Nothing more comes for the moment. */
        void readComplete();

        /** The system says that the peer of a connected socket does not listen. */
        default void unreachable() {
        }
    }

    private final LoopMemory memory;
    private Channel channel;
    private Receiver receiver;
    private final ReadBudget budget = ReadBudget.ofMessages(this::nextRead, () -> LoopTurn.begin(channel.eventLoop()));
    private final DatagramRun run;
    /** Whether the system takes runs. */
    private boolean segments;
    private boolean unflushed;
    /** The socket did not take everything at the last flush. */
    private boolean blocked;
    private long sent;
    private int dscp;

    UdpLeg(LoopMemory memory) {
        this.memory = memory;
        this.run = new DatagramRun(memory);
    }

    /** Names the receiver; before the first datagram can come. */
    public void receiver(Receiver receiver) {
        this.receiver = receiver;
    }

    void opened(Channel channel) {
        opened(channel, DatagramRun.isSupported(channel));
    }

    /** @param segments whether the system takes runs of datagrams */
    void opened(Channel channel, boolean segments) {
        this.channel = channel;
        this.segments = segments;
    }

    RecvByteBufAllocator budget() {
        return budget;
    }

    /** Whether the last turn of reading has emptied the socket. */
    public boolean isDrained() {
        return !budget.isSpent();
    }

    private ByteBuf nextRead() {
        return memory.datagrams(budget.places()).retain();
    }

    /**
     * Whether programs in the kernel look at the datagrams of this socket first. A turn then reads until nothing is left, by which the node
     * knows that it has been overtaken by none.
     */
    public void behindKernel(boolean behind) {
        budget.untilEmpty(behind);
    }

    /** Octets that wait for the socket. */
    public long pending() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Octets given to the socket. */
    public long sent() {
        return sent;
    }

    /**
     * Sends a datagram without a code point; the reference is given away. Nothing leaves before {@link #flush}.
     *
     * @param to the recipient, or null on a connected socket
     * @return whether it was taken; false if too many wait already, or there is no memory for one that has to wait
     */
    public boolean write(ByteBuf datagram, InetSocketAddress to) {
        return write(datagram, to, 0);
    }

    /** As {@link #write(ByteBuf, InetSocketAddress)}, with a code point, 0 to 63. */
    public boolean write(ByteBuf datagram, InetSocketAddress to, int codePoint) {
        if (pending() >= FLUSH && !blocked) {
            flush();
        }
        if (!channel.isWritable() || blocked && memory.room() == 0) {
            datagram.release();
            return false;
        }
        mark(codePoint);
        int octets = datagram.readableBytes();
        if (octets == 0 && to == null && channel instanceof EpollDatagramChannel epoll) {
            datagram.release();
            return empty(epoll);
        }
        sent += octets;
        unflushed = true;
        boolean joins = segments && !blocked && run.mayHave(octets, to);
        if (!joins || !run.continues(octets, to)) {
            endRun();
        }
        if (joins) {
            run.add(datagram, to);
            datagram.release();
        } else if (blocked) {
            send(own(datagram), to);
            datagram.release();
        } else {
            send(datagram, to);
        }
        return true;
    }

    /** A datagram without an octet: Netty's channel leaves it out where no other stands behind it, and the program may wait for it. */
    private boolean empty(EpollDatagramChannel epoll) {
        flush();
        try {
            return !blocked && ((Socket) epoll.fd()).send(NOTHING, 0, 0) == 0;
        } catch (IOException e) {
            // As for any other datagram: the next one finds out what is wrong.
            return false;
        }
    }

    private void send(ByteBuf datagram, InetSocketAddress to) {
        channel.write(to == null ? datagram : new DatagramPacket(datagram, to), channel.voidPromise());
    }

    private void endRun() {
        if (!run.isEmpty()) {
            send(run.end(address()));
        }
    }

    private void send(Object message) {
        if (message instanceof SegmentedDatagramPacket segmented) {
            segmented.retain();
            channel.write(segmented).addListener((ChannelFuture sending) -> {
                if (!sending.isSuccess() && channel.isOpen()) {
                    apart(segmented, sending.cause());
                }
                segmented.release();
            });
        } else {
            channel.write(message, channel.voidPromise());
        }
    }

    /** The datagrams of a run that the system has refused go one by one. */
    private void apart(SegmentedDatagramPacket refused, Throwable why) {
        if (why instanceof Errors.NativeIoException e && e.expectedErr() == Errors.ERROR_ECONNREFUSED_NEGATIVE) {
            // An error of a datagram before.
            receiver.unreachable();
        } else {
            run.refused(refused.recipient());
        }
        for (ByteBuf rest = refused.content(); rest.isReadable();) {
            send(rest.readRetainedSlice(Math.min(refused.segmentSize(), rest.readableBytes())), refused.recipient());
        }
        channel.flush();
    }

    /** The code point of datagrams that are written from now on; those before leave with theirs. */
    private void mark(int codePoint) {
        if (codePoint != dscp) {
            flush();
            channel.config().setOption(ChannelOption.IP_TOS, codePoint << DSCP_SHIFT);
            dscp = codePoint;
        }
    }

    /** Which interface datagrams to groups leave by, null for whichever the routes say, and how many hops they may go, 1 to 255. */
    public void groups(NetworkInterface by, int ttl) {
        if (by != null) {
            GroupOptions.sending(channel, by, ttl);
        }
    }

    public void flush() {
        if (unflushed) {
            unflushed = false;
            endRun();
            channel.flush();
            run.letGo();
            boolean before = blocked;
            blocked = pending() > 0;
            if (blocked && !before) {
                keep();
            }
        }
    }

    /** Moves the datagrams that wait for the socket out of the buffers that they came in, each into one of its own size. */
    private void keep() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        List<Object> waiting = new ArrayList<>();
        for (Object next = out.current(); next != null; next = out.current()) {
            waiting.add(kept(next));
            out.remove();
        }
        waiting.forEach(this::send);
        channel.flush();
    }

    private Object kept(Object message) {
        if (message instanceof SegmentedDatagramPacket run) {
            return new SegmentedDatagramPacket(own(run.content()), run.segmentSize(), run.recipient(), run.sender());
        }
        return message instanceof DatagramPacket datagram ? new DatagramPacket(own(datagram.content()), datagram.recipient()) : own((ByteBuf) message);
    }

    private ByteBuf own(ByteBuf datagram) {
        return memory.counts(datagram) && datagram.unwrap() == null ? datagram.retain()
                : memory.copy(datagram, datagram.readerIndex(), datagram.readableBytes());
    }

    public void close() {
        channel.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DatagramPacket datagram = (DatagramPacket) message;
        ByteBuf content = datagram.content();
        try {
            receiver.datagram(content, content.readerIndex(), content.readableBytes(), datagram.sender());
        } finally {
            datagram.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        receiver.readComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        channelReadComplete(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // An ICMP error of a datagram before; the socket goes on. Nothing else can be known of datagrams that were sent.
        if (cause instanceof PortUnreachableException) {
            receiver.unreachable();
        }
    }

    /**
     * How a socket sends to groups. A socket of Netty's epoll is one for IPv6 that IPv4 goes through too, so both families are told; the
     * numbers are Linux's (ip(7), ipv6(7)). What other sockets have joined does not come to one: Netty and Java switch IP_MULTICAST_ALL off.
     */
    static final class GroupOptions {
        private static final Logger LOG = LoggerFactory.getLogger(GroupOptions.class);
        private static final int IPPROTO_IP = 0;
        private static final int IPPROTO_IPV6 = 41;
        /** Octets of {@code struct ip_mreqn}: group, address, index of the interface. */
        private static final int MREQN = 12;
        private static final RawUnixChannelOption INTERFACE4 = new RawUnixChannelOption("IP_MULTICAST_IF", IPPROTO_IP, 32, MREQN);
        private static final IntegerUnixChannelOption TTL4 = new IntegerUnixChannelOption("IP_MULTICAST_TTL", IPPROTO_IP, 33);
        private static final IntegerUnixChannelOption INTERFACE6 = new IntegerUnixChannelOption("IPV6_MULTICAST_IF", IPPROTO_IPV6, 17);
        private static final IntegerUnixChannelOption TTL6 = new IntegerUnixChannelOption("IPV6_MULTICAST_HOPS", IPPROTO_IPV6, 18);

        private GroupOptions() {
        }

        /** Which interface datagrams to groups leave by, and how many hops they may go. */
        static void sending(Channel channel, NetworkInterface by, int ttl) {
            if (channel instanceof EpollDatagramChannel) {
                ByteBuffer request = ByteBuffer.allocate(MREQN).order(ByteOrder.nativeOrder()).putInt(8, by.getIndex());
                set(channel, INTERFACE4, request);
                set(channel, TTL4, ttl);
                set(channel, INTERFACE6, by.getIndex());
                set(channel, TTL6, ttl);
            } else {
                set(channel, ChannelOption.IP_MULTICAST_IF, by);
                set(channel, ChannelOption.IP_MULTICAST_TTL, ttl);
            }
        }

        private static <T> void set(Channel channel, ChannelOption<T> option, T value) {
            try {
                channel.config().setOption(option, value);
            } catch (ChannelException e) {
                // A host without one of the two families, or an interface without addresses of it.
                LOG.debug("{} is not set: {}", option, e.getMessage());
            }
        }
    }
}
