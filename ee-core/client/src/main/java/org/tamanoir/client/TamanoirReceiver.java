package org.tamanoir.client;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.client.resumable.Session;
import org.tamanoir.client.resumable.SessionPort;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.PacketInbound;

/**
 * Listens for the streams that nodes deliver here.
 *
 * <pre>{@code
 * try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(address)); IncomingStream stream = receiver.accept()) {
 *     for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
 *         ... payload.release();
 *     }
 *     stream.finish();          // tells the source that everything is here
 * }
 * }</pre>
 */
public final class TamanoirReceiver implements AutoCloseable {
    private final ReceiverOptions options;
    private final EventLoopGroup group;
    private final AcceptQueue opened;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger streams = new AtomicInteger();
    private final LongAdder refused = new LongAdder();
    private UdpStreams udp;
    private SessionPort port;
    private InetSocketAddress address;

    private TamanoirReceiver(ReceiverOptions options) {
        this.options = options;
        this.opened = new AcceptQueue(options.maxStreams());
        this.group = EventLoops.newGroup(options.udp() ? 1 : Math.min(4, Runtime.getRuntime().availableProcessors()),
                "tamanoir-receiver");
    }

    /**
     * A receiver that listens.
     *
     * @throws AnepException EE-502 if the address cannot be listened on
     */
    public static TamanoirReceiver listen(ReceiverOptions options) {
        InetSocketAddress at = NetworkFailures.resolved(options.listen());
        TamanoirReceiver receiver = new TamanoirReceiver(options);
        if (options.sessions() != null) {
            try {
                receiver.port = SessionPort.listen(at, receiver.group, options.sessions(), receiver::accept);
                receiver.address = receiver.port.address();
                return receiver;
            } catch (AnepException e) {
                receiver.close();
                throw e;
            }
        }
        ChannelFuture bound = (options.udp() ? receiver.bindUdp(at) : receiver.tcp().bind(at)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            receiver.close();
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + EventLoops.text(at) + ": "
                    + bound.cause().getMessage(), bound.cause());
        }
        receiver.channels.add(bound.channel());
        receiver.address = (InetSocketAddress) bound.channel().localAddress();
        return receiver;
    }

    private ServerBootstrap tcp() {
        return EventLoops.tcpServer(group).childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                accept(channel);
            }
        });
    }

    private ChannelFuture bindUdp(InetSocketAddress at) {
        udp = new UdpStreams(options, opened::offer);
        return EventLoops.udp(group).handler(new ChannelInitializer<DatagramChannel>() {
            @Override
            protected void initChannel(DatagramChannel channel) {
                channel.config().setRecvByteBufAllocator(DatagramInbound.allocator());
                channel.pipeline().addLast(udp);
            }
        }).bind(at);
    }

    private void accept(SocketChannel channel) {
        channels.add(channel);
        TcpLink link = new TcpLink(channel);
        if (streams.incrementAndGet() > options.maxStreams()) {
            streams.decrementAndGet();
            refused.increment();
            if (options.raw()) {
                link.reset();
            } else {
                link.closeWith(PacketBuilder.error(channel.alloc(), ErrorCode.TOO_MANY_STREAMS, "the receiver holds "
                        + options.maxStreams() + " streams", 0));
            }
            return;
        }
        channel.closeFuture().addListener(closed -> streams.decrementAndGet());
        IncomingStream stream = new IncomingStream(link, opened::offer);
        if (options.raw()) {
            channel.pipeline().addLast(new RawInbound(stream.state));
            channel.eventLoop().execute(stream::openRaw);
        } else {
            channel.pipeline().addLast(new PacketInbound(stream));
            Future<?> late = channel.eventLoop().schedule(() -> expire(stream), options.openTimeout().toMillis(), TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> late.cancel(false));
        }
        channel.eventLoop().execute(channel::read);
    }

    /** A stream that outlives its nodes. */
    private Session.Application accept(Session session, Packet first) {
        SessionLink link = new SessionLink(session.loop(), address, options.keepsItself());
        IncomingStream stream = new IncomingStream(link, opened::offer);
        link.join(stream.state, session);
        stream.openSession(first);
        session.ready();
        return link;
    }

    private static void expire(IncomingStream stream) {
        if (!stream.isOpen()) {
            stream.onFailure(new AnepException(ErrorCode.HEADER_TIMEOUT, "no packet came in time"));
        }
    }

    /** Where this listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** The next stream, when its first packet has come; waits for it. Null when the receiver is closed. The caller closes the stream. */
    public IncomingStream accept() throws InterruptedException {
        return opened.take();
    }

    /** Streams that were refused because there were as many as may be. */
    public long refused() {
        return refused.sum() + (udp == null ? 0 : udp.refused());
    }

    /** Datagrams that were no packet. */
    public long malformed() {
        return udp == null ? 0 : udp.malformed();
    }

    /** Stops listening; streams that are open go on. */
    public void stopListening() {
        if (port != null) {
            port.drain();
        }
        channels.stream().filter(channel -> channel.parent() == null && !options.udp()).forEach(Channel::close);
        opened.close();
    }

    /** Stops listening and ends every stream that is open. */
    @Override
    public void close() {
        opened.close();
        if (port != null) {
            port.close();
        }
        channels.close().awaitUninterruptibly();
        EventLoops.close(group).awaitUninterruptibly();
    }

    /** Takes the octets of a TCP connection as the payloads of a stream, for what a node delivers raw. */
    static final class RawInbound extends ChannelInboundHandlerAdapter {
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
            stream.onFailure(NetworkFailures.of(cause, stream.link().peer()));
        }
    }

    /** Streams that are open and nobody has accepted yet: bounded, and wakes who waits when it closes. */
    static final class AcceptQueue {
        private final int limit;
        private final ArrayDeque<IncomingStream> waiting = new ArrayDeque<>();
        private boolean closed;

        AcceptQueue(int limit) {
            this.limit = limit;
        }

        void offer(IncomingStream stream) {
            boolean taken;
            synchronized (this) {
                taken = !closed && waiting.size() < limit;
                if (taken) {
                    waiting.add(stream);
                    notifyAll();
                }
            }
            if (!taken) {
                refuse(stream);
            }
        }

        /** The next stream; null when the queue is closed. */
        synchronized IncomingStream take() throws InterruptedException {
            while (waiting.isEmpty() && !closed) {
                wait();
            }
            return waiting.poll();
        }

        /** Refuses what nobody has accepted and all that comes. */
        void close() {
            List<IncomingStream> left;
            synchronized (this) {
                closed = true;
                left = List.copyOf(waiting);
                waiting.clear();
                notifyAll();
            }
            left.forEach(this::refuse);
        }

        private void refuse(IncomingStream stream) {
            stream.refuse(ErrorCode.TOO_MANY_STREAMS, "the receiver takes no more streams");
        }
    }
}
