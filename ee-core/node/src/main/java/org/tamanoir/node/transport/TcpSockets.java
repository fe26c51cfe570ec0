package org.tamanoir.node.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Listening;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.identity.tls.NettyTls;

/** Listens for TCP connections and makes them. */
public final class TcpSockets {
    private static final Pattern CALL_AND_NUMBER = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

    /** Connections of a listener that may have been taken and not looked at. */
    static final int MOST_UNSEEN = 256;

    private final EventLoops loops;
    private final Tls tls;
    private final IntSupplier labels;
    private final Map<EventLoop, Kept> kept = new IdentityHashMap<>();

    /** The connections of a loop that wait for another stream, and those that were refused. */
    private record Kept(KeptLegs plain, KeptLegs secure, Lingering refused) {
        KeptLegs of(boolean isSecure) {
            return isSecure ? secure : plain;
        }
    }

    /** @param tls of the node; null for none */
    public TcpSockets(EventLoops loops, Tls tls) {
        this(loops, tls, () -> 0);
    }

    /** @param labels the flow label of each new connection by IPv6; 0 for that of the system */
    public TcpSockets(EventLoops loops, Tls tls, IntSupplier labels) {
        this.labels = labels;
        this.loops = loops;
        this.tls = tls;
        loops.all().forEach(loop -> kept.put(loop, new Kept(new KeptLegs(loop), new KeptLegs(loop), Lingering.onOneOf(loops.all().size()))));
    }

    /** A connection to a next hop that was kept and on which a new stream begins; null if there is none. On the loop. */
    public TcpLeg kept(EventLoop loop, InetSocketAddress hop, boolean secure) {
        TcpLeg leg = kept.get(loop).of(secure).take(hop);
        if (leg != null) {
            leg.offerAgain();
        }
        return leg;
    }

    /** Who takes connections. Each call comes on the loop of the connection. */
    public interface Acceptor {
        /**
         * Somebody has connected.
         *
         * @return this node's number for the connection
         * @throws AnepException if it may not come in; it is told
         */
        long admit(InetSocketAddress peer);

        /** One that was admitted has ended before it was known who it is. */
        void gone(InetSocketAddress peer);

        /** It is known who it is, as far as that is asked: the owner makes the leg, calls {@link TcpLeg#events} and keeps it. */
        void accepted(NewLeg connection, long number);

        /** Somebody was not let in. */
        void refused(AnepException why);
    }

    /** A connection that has no leg yet, because the leg needs a sink and the owner knows it. */
    public static final class NewLeg {
        private final Channel channel;
        private final LoopMemory memory;
        private final Kept kept;
        private final TcpInput.Reads reads;
        private final SslHandler secured;

        NewLeg(Channel channel, LoopMemory memory, Kept kept, TcpInput.Reads reads, SslHandler secured) {
            this.channel = channel;
            this.memory = memory;
            this.kept = kept;
            this.reads = reads;
            this.secured = secured;
        }

        /** The same, after a handshake. */
        NewLeg secured(SslHandler by) {
            return new NewLeg(channel, memory, kept, reads, by);
        }

        public InetSocketAddress peer() {
            return (InetSocketAddress) channel.remoteAddress();
        }

        public EventLoop loop() {
            return channel.eventLoop();
        }

        /** Segments that TCP has sent again since the connection was made; -1 if the system does not say. */
        public long retransmissions() {
            try {
                return channel instanceof EpollSocketChannel epoll && channel.isOpen() ? epoll.tcpInfo().totalRetrans() : -1;
            } catch (ChannelException e) {
                // It was closed meanwhile.
                return -1;
            }
        }

        /** Says why in a packet and closes. */
        void refuse(AnepException why) {
            leg(null).refuse(PacketBuilder.error(PooledByteBufAllocator.DEFAULT, why.code(), why.text(), 0));
        }

        /** Makes the leg; see the constructor of {@link TcpLeg}. */
        public TcpLeg leg(Stage sink) {
            TcpLeg leg = new TcpLeg(channel, sink, memory, secured, reads, kept.refused());
            channel.pipeline().addLast(leg);
            return leg;
        }

        /** Makes the leg of a connection that this node has opened and offers for further streams; {@link TcpLeg#flowTo} must follow. */
        public TcpLeg offeredLeg() {
            TcpLeg leg = leg(null);
            leg.offer(kept.of(secured != null));
            return leg;
        }
    }

    /**
     * Listens on an address; port 0 takes a free one.
     *
     * @param guarded whether it is asked who comes in, if this node has TLS
     * @throws AnepException EE-502 if that is not possible
     */
    public Channel listen(InetSocketAddress address, boolean guarded, Acceptor acceptor) {
        Unseen unseen = new Unseen(OpenFiles.uncounted(MOST_UNSEEN));
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops.group(), loops.group())
                .channel(loops.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 1024)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, Listening.all())
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .handler(unseen)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connected(channel, guarded && tls != null, acceptor);
                        unseen.seen(channel);
                    }
                });
        return bound(bootstrap.bind(address), address);
    }

    /**
     * The connections of a listener that were taken and that nobody has admitted or refused yet, since that is done by their own loops. Each has a descriptor that
     * {@link Acceptor#admit} has not counted; while there are too many no further one is taken.
     */
    private static final class Unseen extends ChannelInboundHandlerAdapter {
        private final int most;
        private final Set<Channel> connections = new HashSet<>();
        private Channel listener;

        Unseen(int most) {
            this.most = most;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object taken) {
            Channel connection = (Channel) taken;
            synchronized (this) {
                listener = context.channel();
                connections.add(connection);
                if (connections.size() == most) {
                    listener.config().setAutoRead(false);
                }
            }
            // One that fails before it is looked at gives its place back, too.
            connection.closeFuture().addListener(closed -> seen(connection));
            context.fireChannelRead(connection);
        }

        synchronized void seen(Channel connection) {
            if (connections.remove(connection) && connections.size() == most - 1) {
                listener.config().setAutoRead(true);
            }
        }
    }

    /** Listens on a free port of loopback and throws away what comes, until its peer ends it or the node stops. */
    public CompletableFuture<InetSocketAddress> discard() {
        CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
        new ServerBootstrap()
                .group(loops.group(), loops.group())
                .channel(loops.serverChannel())
                .option(ChannelOption.RECVBUF_ALLOCATOR, Listening.all())
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object octets) {
                                ReferenceCountUtil.release(octets);
                            }

                            @Override
                            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                                context.close();
                            }
                        });
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .addListener((ChannelFuture bound) -> {
                    if (bound.isSuccess()) {
                        listening.complete((InetSocketAddress) bound.channel().localAddress());
                    } else {
                        listening.completeExceptionally(bound.cause());
                    }
                });
        return listening;
    }

    private void connected(Channel channel, boolean guarded, Acceptor acceptor) {
        NewLeg connection = newLeg(channel, guarded);
        try {
            long number = acceptor.admit(connection.peer());
            if (guarded) {
                channel.pipeline().addLast(new FirstOctet(tls, connection, acceptor, number));
            } else {
                acceptor.accepted(connection, number);
            }
        } catch (AnepException e) {
            acceptor.refused(e);
            connection.refuse(e);
        }
    }

    /** @param readsBefore whether the connection reads something before it has a leg */
    private NewLeg newLeg(Channel channel, boolean readsBefore) {
        TcpInput.Reads reads = null;
        if (readsBefore) {
            reads = new TcpInput.Reads();
            channel.config().setRecvByteBufAllocator(TcpInput.budget(channel, reads));
        }
        return new NewLeg(channel, loops.memory(channel.eventLoop()), kept.get(channel.eventLoop()), reads, null);
    }

    /** Waits for a bind and turns its failure into EE-502. */
    static Channel bound(ChannelFuture bind, InetSocketAddress address) {
        bind.awaitUninterruptibly();
        if (!bind.isSuccess()) {
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + text(address) + ": "
                    + reason(bind.cause(), address), bind.cause());
        }
        return bind.channel();
    }

    /**
     * Connects on a loop that the caller names, so that both legs of a stream live on one.
     *
     * @param secure whether by TLS
     * @param made   called on the loop before anything of the stream can be read; its future fails with EE-204, or EE-215 if the peer is not who it should be
     */
    public CompletableFuture<Void> connect(EventLoop loop, InetSocketAddress address, boolean secure, int timeoutMillis, Consumer<NewLeg> made) {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        if (secure && tls == null) {
            connected.completeExceptionally(new AnepException(ErrorCode.NOT_IDENTIFIED, "a route leads to " + text(address) + " by TLS, and this node has no certificate: tls in its configuration"));
            return connected;
        }
        new Bootstrap()
                .group(loop)
                .channel(loops.socketChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        // The leg is added once the connection stands: a failed attempt is the future's to report.
                        FlowLabels.begin(channel, address, labels.getAsInt());
                    }
                })
                .connect(address)
                .addListener((ChannelFuture future) -> {
                    if (future.isSuccess() && secure) {
                        shakeHands(newLeg(future.channel(), true), address, made, connected);
                    } else if (future.isSuccess()) {
                        made.accept(newLeg(future.channel(), false));
                        connected.complete(null);
                    } else {
                        connected.completeExceptionally(new AnepException(ErrorCode.UNREACHABLE, "cannot reach " + text(address) + ": "
                                + reason(future.cause(), address), future.cause()));
                    }
                });
        return connected;
    }

    private void shakeHands(NewLeg connection, InetSocketAddress address, Consumer<NewLeg> made, CompletableFuture<Void> connected) {
        SslHandler handler = tls.connecting(connection.channel, address);
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                made.accept(connection.secured(handler));
                connected.complete(null);
            } else {
                connection.channel.close();
                connected.completeExceptionally(NettyTls.reason(done.cause(), address));
            }
        });
        connection.channel.pipeline().addLast(new Tls.EndHeld(handler), handler, new NettyTls.Shaking(handler));
    }

    /** Whether {@link #connect} failed because the host answers and nothing listens there; its native transports say so by the number of Linux. */
    public static boolean isRefusal(AnepException failure) {
        String said = failure.getCause() instanceof ConnectException ? String.valueOf(failure.getCause().getMessage()) : "";
        return said.contains("error(-111)") || said.startsWith("Connection refused");
    }

    /** What the kernel said. Netty puts the name of the call and the error's number in front of it, and the address behind. */
    static String reason(Throwable cause, InetSocketAddress address) {
        String text = reason(cause);
        String suffix = ": " + address;
        return text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
    }

    /** What the kernel said, without the name of the call and the number. */
    static String reason(Throwable cause) {
        return CALL_AND_NUMBER.matcher(String.valueOf(cause.getMessage())).replaceFirst("");
    }

    /** {@code host:port} as it is written on the command line. */
    public static String text(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }
}
