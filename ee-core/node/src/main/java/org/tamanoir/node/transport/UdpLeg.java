package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.util.ArrayList;
import java.util.List;

/** One UDP socket: hands datagrams to a receiver in the buffer that they came in, and writes others. On one event loop. */
public final class UdpLeg extends ChannelInboundHandlerAdapter {
    /** The code point is the upper six bits of the octet (RFC 2474 section 3). */
    static final int DSCP_SHIFT = 2;

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
    private final ReadBudget budget = new ReadBudget(this::nextRead);
    private ByteBuf buffer;
    private boolean unflushed;
    /** The socket did not take everything at the last flush. */
    private boolean blocked;
    private long sent;
    private int dscp;

    UdpLeg(LoopMemory memory) {
        this.memory = memory;
    }

    /** Names the receiver; before the first datagram can come. */
    public void receiver(Receiver receiver) {
        this.receiver = receiver;
    }

    void opened(Channel channel) {
        this.channel = channel;
    }

    RecvByteBufAllocator budget() {
        return budget;
    }

    /** Whether the last turn of reading has emptied the socket. */
    public boolean isDrained() {
        return !budget.isSpent();
    }

    /** The same buffer again as soon as nobody holds a slice of it. */
    private ByteBuf nextRead() {
        if (buffer != null && buffer.refCnt() > 1) {
            memory.give(buffer);
            buffer = null;
        }
        if (buffer == null) {
            buffer = memory.take();
        }
        return buffer.clear().retain();
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
        if (!channel.isWritable() || pending() > 0 && memory.room() == 0) {
            datagram.release();
            return false;
        }
        mark(codePoint);
        sent += datagram.readableBytes();
        unflushed = true;
        ByteBuf kept = datagram;
        if (blocked) {
            kept = own(datagram);
            datagram.release();
        }
        channel.write(to == null ? kept : new DatagramPacket(kept, to), channel.voidPromise());
        return true;
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
            channel.flush();
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
            waiting.add(next instanceof DatagramPacket datagram ? new DatagramPacket(own(datagram.content()), datagram.recipient()) : own((ByteBuf) next));
            out.remove();
        }
        waiting.forEach(datagram -> channel.write(datagram, channel.voidPromise()));
        channel.flush();
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
        if (buffer != null) {
            memory.give(buffer);
            buffer = null;
        }
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
}
