package org.tamanoir.client.gateway;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.Failures;
import org.tamanoir.client.wire.Packetizer;

/**
 * Accepts ordinary TCP connections and carries each as a stream of its own, delivered raw, through active nodes to an ordinary server.
 * Half-close travels both ways, a slow reader at one end stops the writer at the other, and a stream that is refused or breaks resets
 * the program's connection; the reason is in the log.
 *
 * <pre>{@code
 * try (Gateway gateway = Gateway.open(new GatewayOptions(listen).via(node).to(server).services("compression"))) {
 *     ... gateway.address()
 * }
 * }</pre>
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /** Octets that wait for one side before the other is no longer read: one read more is the most that a connection holds each way. */
    private static final WriteBufferWaterMark WATER = new WriteBufferWaterMark(128 << 10, 512 << 10);

    private final GatewayOptions options;
    private final EventLoopGroup group;
    private final InetSocketAddress via;
    private final GatewayCounters counters = new GatewayCounters();
    private final AtomicInteger open = new AtomicInteger();
    private final Set<Carrier> carriers = ConcurrentHashMap.newKeySet();
    private Channel listener;

    private Gateway(GatewayOptions options) {
        this.options = options;
        // Says now what would otherwise be wrong with every connection.
        options.request().packetizer(options.request().newStreamId());
        this.via = Failures.resolved(options.request().via());
        this.group = EventLoops.newGroup(Math.min(4, Runtime.getRuntime().availableProcessors()), "tamanoir-gateway");
    }

    /**
     * A gateway that listens. Whether the node can be reached shows with the first connection.
     *
     * @throws AnepException EE-408 if node, destination or service are missing, EE-204 if a host has no address, EE-502 if the address
     *     cannot be listened on
     */
    public static Gateway open(GatewayOptions options) {
        InetSocketAddress at = Failures.resolved(options.listen());
        Gateway gateway = new Gateway(options);
        ChannelFuture bound = EventLoops.tcpServer(gateway.group)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        gateway.accept(channel);
                    }
                }).bind(at).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            gateway.close();
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + EventLoops.text(at) + ": "
                    + bound.cause().getMessage(), bound.cause());
        }
        gateway.listener = bound.channel();
        return gateway;
    }

    private void accept(SocketChannel program) {
        counters.connection();
        if (open.incrementAndGet() >= options.maxConnections()) {
            program.parent().config().setAutoRead(false);
        }
        program.closeFuture().addListener(closed -> {
            if (open.decrementAndGet() < options.maxConnections()) {
                program.parent().config().setAutoRead(true);
            }
        });
        Packetizer packets = options.request().packetizer(options.request().newStreamId());
        Carrier carrier = new Carrier(program, via, packets, this);
        carriers.add(carrier);
        program.closeFuture().addListener(closed -> carriers.remove(carrier));
        program.config().setRecvByteBufAllocator(new Headroom());
        program.pipeline().addLast(carrier);
        connect(program, carrier);
    }

    private void connect(SocketChannel program, Carrier carrier) {
        Bootstrap bootstrap = EventLoops.tcp(program.eventLoop())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) options.request().connectTimeout().toMillis())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel node) {
                        // The handler comes with the carrier, when the node has accepted.
                    }
                });
        bootstrap.connect(via).addListener((ChannelFuture connected) -> {
            if (connected.isSuccess()) {
                carrier.start((SocketChannel) connected.channel());
            } else {
                carrier.end(Failures.of(connected.cause(), via));
            }
        });
    }

    /** A connection has broken; counts it and says why. */
    void broken(InetSocketAddress program, AnepException reason) {
        counters.brokenConnection();
        LOG.warn("connection from {} reset: {}", EventLoops.text(program), reason.getMessage());
    }

    /** Where programs connect. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    public GatewayCounters counters() {
        return counters;
    }

    /** Connections that are open. */
    public int openConnections() {
        return open.get();
    }

    /**
     * Accepts no more and waits until the connections have ended.
     *
     * @return whether they all have
     */
    public boolean drain(Duration most) throws InterruptedException {
        listener.close().await();
        long deadline = System.nanoTime() + most.toNanos();
        while (open.get() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return open.get() == 0;
    }

    /** Stops at once: connections that are open are reset. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
        carriers.forEach(Carrier::abandon);
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
