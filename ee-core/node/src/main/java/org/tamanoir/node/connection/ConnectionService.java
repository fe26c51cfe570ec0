package org.tamanoir.node.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.identity.destination.Target;
import org.tamanoir.node.routing.RouteTable.FirstHop;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections;

/** The connections of a node's services. Safe for all threads. */
public final class ConnectionService implements AutoCloseable {
    private static final int CONNECT_MILLIS = 10_000;
    /** Look-ups of names at once, and that may wait. */
    private static final int LOOKUPS = 4;
    private static final int IDLE_SECONDS = 30;

    private final EventLoops loops;
    private final List<EventLoop> all;
    private final TcpSockets sockets;
    private final RouteTable routes;
    private final PreviousNode self;
    private final AtomicInteger turns = new AtomicInteger();
    private final ThreadPoolExecutor names = new ThreadPoolExecutor(LOOKUPS, LOOKUPS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("tamanoir-names", true));

    /**
     * @param tls  null for none
     * @param self what this node says of itself to the next
     */
    public ConnectionService(EventLoops loops, Tls tls, RouteTable routes, PreviousNode self) {
        this.self = self;
        this.loops = loops;
        this.all = loops.all();
        this.sockets = new TcpSockets(loops, tls);
        this.routes = routes;
        names.allowCoreThreadTimeOut(true);
    }

    /**
     * The connections of one service.
     *
     * @param service asked whenever one is opened; null while it starts
     * @param tasks   where it is told
     */
    public Connections forService(Supplier<RunningService> service, Executor tasks) {
        return new OfService(service, tasks);
    }

    @Override
    public void close() {
        names.shutdownNow();
    }

    /** See {@link Connections}; ends with its service. */
    private final class OfService implements Connections, AutoCloseable {
        private final Supplier<RunningService> service;
        private final Executor tasks;
        private final Set<ServiceConnection> open = new HashSet<>();
        private boolean ended;

        private OfService(Supplier<RunningService> service, Executor tasks) {
            this.service = service;
            this.tasks = tasks;
        }

        @Override
        public Connection open(Remote remote, ConnectionHandler handler) {
            RunningService asking = service.get();
            if (asking == null) {
                throw new IllegalStateException("a service opens connections when it has started");
            }
            ServicePolicy policy = asking.policy();
            Target target = target(remote);
            if (!policy.reaches().mayAllow(target)) {
                throw forbidden(asking, remote);
            }
            EventLoop loop = all.get(Math.floorMod(turns.getAndIncrement(), all.size()));
            ServiceConnection connection = new ServiceConnection(asking.typeId(), self, remote, loop, loops.memory(loop), handler, tasks, this::gone);
            synchronized (this) {
                if (ended) {
                    throw new AnepException(ErrorCode.STOPPING, asking + " stops and opens no connection");
                }
                if (open.size() >= policy.connections()) {
                    throw new AnepException(ErrorCode.SERVICE_LIMIT, asking + " has " + open.size() + " connections and may have no more (connections of its policy)");
                }
                open.add(connection);
            }
            address(target).thenAccept(address -> {
                if (!policy.reaches().allows(target.name(), address.getAddress(), address.getPort())) {
                    throw forbidden(asking, remote);
                }
                connect(connection, remote, address);
            }).exceptionally(connection::failed);
            return connection;
        }

        private AnepException forbidden(RunningService asking, Remote remote) {
            return new AnepException(ErrorCode.NOT_PERMITTED, asking + " may not reach " + remote + ": its policy does not name it (reaches)");
        }

        private synchronized void gone(ServiceConnection connection) {
            open.remove(connection);
        }

        @Override
        public void close() {
            List<ServiceConnection> left;
            synchronized (this) {
                ended = true;
                left = List.copyOf(open);
            }
            left.forEach(ServiceConnection::forget);
        }
    }

    private static Target target(Connections.Remote remote) {
        try {
            return Target.of(remote.host(), remote.port());
        } catch (AnepException e) {
            throw new IllegalArgumentException("'" + remote.host() + "' is no address and no name", e);
        }
    }

    private CompletableFuture<InetSocketAddress> address(Target target) {
        if (target.address() != null) {
            return CompletableFuture.completedFuture(new InetSocketAddress(target.address(), target.port()));
        }
        return CompletableFuture.supplyAsync(() -> {
            try {
                return new InetSocketAddress(InetAddress.getByName(target.name()), target.port());
            } catch (UnknownHostException e) {
                throw new AnepException(ErrorCode.UNREACHABLE, "no address is known of " + target.name(), e);
            }
        }, names);
    }

    private void connect(ServiceConnection connection, Connections.Remote remote, InetSocketAddress to) {
        FirstHop hop = routes.firstHop(to);
        boolean raw = hop.isDirect() && remote.delivery() == Delivery.RAW;
        sockets.connect(connection.loop(), hop.address(), hop.secure(), CONNECT_MILLIS, made -> connection.begin(made, to, raw)).exceptionally(connection::failed);
    }
}
