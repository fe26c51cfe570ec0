package org.tamanoir.client.gateway;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.resumable.SessionTally;
import org.tamanoir.client.resumable.Ways;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.NodeConnection;
import org.tamanoir.client.wire.NodeConnections;
import org.tamanoir.client.wire.Packetizer;
import org.tamanoir.identity.destination.DestinationRules.Range;

/**
 * Accepts ordinary TCP connections and carries each as a stream of its own, delivered raw, through active nodes to an ordinary server.
 * Half-close travels both ways, a slow reader at one end stops the writer at the other, and a stream that is refused or breaks resets
 * the program's connection; the reason is in the log. With {@link GatewayOptions#sessions} the streams outlive their nodes, and lead to an
 * {@link Endpoint} beside the server.
 *
 * <pre>{@code
 * try (Gateway gateway = Gateway.open(new GatewayOptions(listen).via(node).to(server).services("compression"))) {
 *     ... gateway.address()
 * }
 * }</pre>
 */
public final class Gateway implements AutoCloseable {
    /** Octets that wait for one side before the other is no longer read: one read more is the most that a connection holds each way. */
    static final WriteBufferWaterMark WATER = new WriteBufferWaterMark(128 << 10, 512 << 10);

    /** Told to each program's connection when the gateway stops: it is reset, and the other end learns it. */
    static final Object STOP = new Object();

    private final GatewayOptions options;
    private final EventLoopGroup group;
    private final List<InetSocketAddress> nodes;
    private final GatewayCounters counters = new GatewayCounters();
    private final AtomicInteger open = new AtomicInteger();
    private final ChannelGroup programs = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    /** Null where each connection is a stream of its own. */
    private final Ways ways;
    private final Map<EventLoop, NodeConnections> connections = new ConcurrentHashMap<>();
    /** Programs that have not said yet where they want to go, the oldest first. */
    private final Set<ProxyEntry> unheard = new LinkedHashSet<>();
    /** Null where nobody names a destination. */
    private final Names names;
    private final List<Channel> listeners = new CopyOnWriteArrayList<>();

    private Gateway(GatewayOptions options) {
        this.options = options;
        // Says now what would otherwise be wrong with every connection.
        options.check();
        this.nodes = options.request().nodes().stream().map(way -> NetworkFailures.resolved(way.address())).toList();
        this.ways = options.sessions() == null ? null : options.ways();
        this.names = options.proxy() == null ? null : new Names();
        this.group = EventLoops.newFastGroup(options.threads(), "tamanoir-gateway");
    }

    /**
     * A gateway that listens. Whether the nodes carry its streams is for {@link #checkWay} to say.
     *
     * @throws AnepException EE-408 if node, destination or service are missing, EE-204 if a host has no address, EE-502 if the address
     *     cannot be listened on
     */
    public static Gateway open(GatewayOptions options) {
        InetSocketAddress at = NetworkFailures.resolved(options.listen());
        Gateway gateway = new Gateway(options);
        ServerBootstrap server = EventLoops.tcpServer(gateway.group)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        gateway.accept(channel);
                    }
                });
        if (options.transparent() != null && !Epoll.isAvailable()) {
            gateway.close();
            throw new AnepException(ErrorCode.MISSING_TOOL, "a transparent gateway needs Netty's native epoll, which does not load here", Epoll.unavailabilityCause());
        } else if (options.transparent() != null) {
            server.option(EpollChannelOption.IP_TRANSPARENT, true);
        }
        for (int port = 0; port < options.ports(); port++) {
            gateway.listen(server, new InetSocketAddress(at.getAddress(), at.getPort() + port));
        }
        if (options.transparent() != null && options.transparent().ranges().stream().anyMatch(Range::isIp6)) {
            // TPROXY leads packets of each family to a socket of that family.
            gateway.listen(server, new InetSocketAddress(NetUtil.LOCALHOST6, gateway.address().getPort()));
        }
        return gateway;
    }

    private void listen(ServerBootstrap server, InetSocketAddress at) {
        ChannelFuture bound = server.bind(at).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + EventLoops.text(at) + ": " + bound.cause().getMessage(), bound.cause());
        }
        listeners.add(bound.channel());
    }

    private void accept(SocketChannel program) {
        OpenConnection connection = counters.opened(program.remoteAddress());
        ChannelHandler carrier;
        try {
            carrier = options.proxy() != null ? unheard(program, connection) : carrier(program, connection);
        } catch (AnepException e) {
            counters.closed(connection);
            counters.broken(program.remoteAddress(), e);
            Closing.reset(program);
            return;
        }
        if (open.incrementAndGet() >= options.maxConnections()) {
            listeners.forEach(listener -> listener.config().setAutoRead(false));
        }
        programs.add(program);
        program.closeFuture().addListener(closed -> {
            counters.closed(connection);
            if (open.decrementAndGet() < options.maxConnections()) {
                listeners.forEach(listener -> listener.config().setAutoRead(true));
            }
        });
        program.config().setRecvByteBufAllocator(ways == null ? new Headroom() : new Headroom(ways.tally()::portion));
        program.pipeline().addLast(carrier);
    }

    private ChannelHandler carrier(SocketChannel program, OpenConnection connection) {
        InetSocketAddress to = destination(program);
        connection.leadsTo(to);
        return ways == null ? new Carrier(program, connection, packetizer(to), this)
                : new SessionCarrier(program.remoteAddress(), connection, counters).by(ways, options.request().newStreamId());
    }

    /** Where a program wants to go is asked; silent ones leave room for those that speak. */
    private ProxyEntry unheard(SocketChannel program, OpenConnection connection) {
        ProxyEntry entry = new ProxyEntry(program, connection, this, options.proxy(), this::heard);
        ProxyEntry oldest = null;
        synchronized (unheard) {
            if (unheard.size() >= Math.max(1, options.maxConnections() / 2)) {
                oldest = unheard.iterator().next();
                unheard.remove(oldest);
            }
            unheard.add(entry);
        }
        if (oldest != null) {
            oldest.makeRoom();
        }
        return entry;
    }

    private void heard(ProxyEntry entry) {
        synchronized (unheard) {
            unheard.remove(entry);
        }
    }

    Names names() {
        return names;
    }

    /** Where connections lead that come in at a port. */
    private InetSocketAddress destination(SocketChannel program) {
        if (options.transparent() != null) {
            return meant(program.localAddress());
        }
        InetSocketAddress to = options.request().to();
        return options.ports() == 1 ? to : new InetSocketAddress(to.getAddress(), to.getPort() + program.localAddress().getPort() - options.listen().getPort());
    }

    /** Where a program meant to go is the address that its connection has on this side. */
    private InetSocketAddress meant(InetSocketAddress destination) {
        if (listeners.stream().anyMatch(listener -> destination.equals(listener.localAddress())) || !options.transparent().allows(null, destination.getAddress(), destination.getPort())) {
            throw new AnepException(ErrorCode.PROXY_FORBIDDEN, "the rules of this gateway do not allow " + EventLoops.text(destination));
        }
        return destination;
    }

    Packetizer packetizer(InetSocketAddress destination) {
        Packetizer packets = options.packetizer(destination);
        if (nodes.get(0).getPort() != Anep.PORT_LIGHT && !options.keepConnections().isZero()) {
            packets.offerConnection();
        }
        return packets;
    }

    private NodeConnections connections(EventLoop loop) {
        return connections.computeIfAbsent(loop, any -> new NodeConnections(loop, nodes, options.tls(), options.request().connectTimeout(),
                options.keepConnections(), WATER));
    }

    /** A connection to the node that waits for another stream, or null. */
    NodeConnection idleConnection(EventLoop loop) {
        return connections(loop).idle();
    }

    /** Starts a carrier on a new connection to the node, or ends it. */
    void connect(Carrier carrier, EventLoop loop) {
        connections(loop).connect(carrier::start, carrier::end);
    }

    AnepException failureOfNode(Throwable cause) {
        return NetworkFailures.of(cause, nodes.get(0));
    }

    /**
     * Opens a stream through the nodes to the destination and ends it at once, to hear whether it can be had. The destination sees a
     * connection without an octet. Services that the nodes have to fetch for it are there for the first program. Without a destination of
     * its own a gateway only sees whether a node accepts a connection.
     *
     * @param most how long to wait; after that the way counts as closed
     * @return why the way is closed, with the code of the node that says so, EE-204 where there is no node or no answer; empty if it is open
     */
    public Optional<AnepException> checkWay(Duration most) throws InterruptedException {
        EventLoop loop = group.next();
        CompletableFuture<AnepException> closed = new CompletableFuture<>();
        if (ways != null) {
            loop.execute(() -> SessionCheck.start(ways, loop, options.request().newStreamId(), closed));
        } else {
            InetSocketAddress to = options.request().to();
            Packetizer packets = to == null ? null : options.packetizer(to);
            loop.execute(() -> WayCheck.start(connections(loop), packets, options.ports() > 1, closed));
        }
        closed.completeOnTimeout(new AnepException(ErrorCode.UNREACHABLE, "the nodes said neither yes nor no within " + most.toMillis() + " ms"), most.toNanos(), TimeUnit.NANOSECONDS);
        AnepException reason;
        try {
            reason = closed.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        if (reason != null) {
            counters.closedWay(reason);
        }
        return Optional.ofNullable(reason);
    }

    /** Where programs connect. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listeners.get(0).localAddress();
    }

    /** What has become of the sessions of connections that outlive nodes; null where none do. */
    public SessionTally sessions() {
        return ways == null ? null : ways.tally();
    }

    public GatewayCounters counters() {
        return counters;
    }

    /** Connections that are open. */
    public int openConnections() {
        return open.get();
    }

    /** Connections to the node that wait for the next stream. */
    public int idleConnections() {
        int idle = 0;
        for (Map.Entry<EventLoop, NodeConnections> one : connections.entrySet()) {
            idle += one.getKey().submit(one.getValue()::ready).awaitUninterruptibly().getNow();
        }
        return idle;
    }

    /**
     * Accepts no more and waits until the connections have ended.
     *
     * @return whether they all have
     */
    public boolean drain(Duration most) throws InterruptedException {
        for (Channel listener : listeners) {
            listener.close().await();
        }
        long deadline = System.nanoTime() + most.toNanos();
        while (isBusy() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return !isBusy();
    }

    private boolean isBusy() {
        return open.get() > 0 || ways != null && ways.tally().open() > 0;
    }

    /** Stops at once: connections that are open are reset. Does nothing if it is closed already. */
    @Override
    public void close() {
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        if (names != null) {
            names.close();
        }
        programs.forEach(program -> program.eventLoop().execute(() -> program.pipeline().fireUserEventTriggered(STOP)));
        // Waited for: a loop that shuts down closes its channels first, and these are ended and not reset.
        connections.forEach((loop, kept) -> loop.submit(kept::close).awaitUninterruptibly());
        connections.clear();
        EventLoops.close(group).awaitUninterruptibly();
    }

    /**
     * Receive buffers that leave room for a packet's header in front of what is read, and never hold more than one packet's payload. Their
     * size follows the traffic of the connection: a read that fills one makes the next four times as large, many small ones make it smaller.
     */
    static final class Headroom extends DefaultMaxMessagesRecvByteBufAllocator {
        static final int SMALLEST = 2 << 10;
        private static final int FACTOR = 4;
        /** Small reads in a row before the size falls. */
        private static final int PATIENCE = 8;

        private final IntSupplier most;

        Headroom() {
            this(() -> Anep.MAX_PACKET);
        }

        /** @param most octets that may be read at a time just now */
        Headroom(IntSupplier most) {
            this.most = most;
        }

        @Override
        @SuppressWarnings("deprecation")
        public RecvByteBufAllocator.Handle newHandle() {
            return new MaxMessageHandle() {
                private int size = SMALLEST;
                private int smallReads;

                @Override
                public ByteBuf allocate(ByteBufAllocator allocator) {
                    size = Math.min(size, Math.max(SMALLEST, most.getAsInt()));
                    return allocator.directBuffer(size, size).setIndex(Anep.HEADER_SIZE, Anep.HEADER_SIZE);
                }

                @Override
                public int guess() {
                    return size;
                }

                @Override
                public void lastBytesRead(int octets) {
                    super.lastBytesRead(octets);
                    if (octets > 0 && octets == attemptedBytesRead()) {
                        size = Math.min(Anep.MAX_PACKET, size * FACTOR);
                        smallReads = 0;
                    } else if (octets > size / (2 * FACTOR)) {
                        smallReads = 0;
                    } else if (octets > 0 && ++smallReads > PATIENCE) {
                        size = Math.max(SMALLEST, size / FACTOR);
                        smallReads = 0;
                    }
                }
            };
        }
    }
}
