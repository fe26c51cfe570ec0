package org.tamanoir.node.flow;

import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.routing.RouteTable.FirstHop;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.service.flow.Flows;

/** The flows of a node's services. Safe for all threads. */
public final class FlowService {
    private static final Logger LOG = LoggerFactory.getLogger(FlowService.class);
    private static final int CONNECT_MILLIS = 10_000;

    private final EventLoops loops;
    private final List<EventLoop> all;
    private final TcpSockets sockets;
    private final RouteTable routes;
    private final AtomicInteger turns = new AtomicInteger();

    /** @param tls null for none */
    public FlowService(EventLoops loops, Tls tls, RouteTable routes) {
        this.loops = loops;
        this.all = loops.all();
        this.sockets = new TcpSockets(loops, tls);
        this.routes = routes;
    }

    /**
     * The flows of one service.
     *
     * @param typeId asked for each flow
     * @param tasks  where it is told; what it refuses is not told
     */
    public ServiceFlows forService(IntSupplier typeId, Executor tasks) {
        return new ServiceFlows(typeId, tasks);
    }

    /** See {@link Flows}; ends with its service. */
    public final class ServiceFlows implements Flows, AutoCloseable {
        private final IntSupplier typeId;
        private final Executor tasks;
        private final Set<Running> underWay = new HashSet<>();
        private boolean ended;

        private ServiceFlows(IntSupplier typeId, Executor tasks) {
            this.typeId = typeId;
            this.tasks = tasks;
        }

        @Override
        public boolean send(Flow flow, Consumer<Result> done) {
            Running running = new Running(flow, done);
            synchronized (this) {
                if (ended || underWay.size() >= MOST_FLOWS) {
                    return false;
                }
                underWay.add(running);
                running.start();
            }
            return true;
        }

        @Override
        public void close() {
            List<Running> left;
            synchronized (this) {
                ended = true;
                left = List.copyOf(underWay);
            }
            left.forEach(running -> running.cut(new AnepException(ErrorCode.STOPPING, "the service stops")));
        }

        /** One flow with its connections, each on a loop of its own. */
        private final class Running {
            private final Flow flow;
            private final Consumer<Result> done;
            private final List<FlowConnection> connections = new ArrayList<>();
            private final List<Connection> over = new ArrayList<>();

            Running(Flow flow, Consumer<Result> done) {
                this.flow = flow;
                this.done = done;
            }

            void start() {
                for (int i = 0; i < flow.connections(); i++) {
                    EventLoop loop = all.get(Math.floorMod(turns.getAndIncrement(), all.size()));
                    connections.add(new FlowConnection(flow, typeId.getAsInt(), loop, loops.memory(loop), this::ended));
                }
                connections.forEach(this::connect);
            }

            private void connect(FlowConnection connection) {
                try {
                    FirstHop hop = routes.firstHop(flow.to());
                    sockets.connect(connection.loop(), hop.address(), hop.secure(), CONNECT_MILLIS, connection::begin).exceptionally(failure -> {
                        Throwable why = failure.getCause() == null ? failure : failure.getCause();
                        connection.cut(why instanceof AnepException known ? known : new AnepException(ErrorCode.UNREACHABLE, why.toString(), why));
                        return null;
                    });
                } catch (AnepException e) {
                    connection.cut(e);
                }
            }

            void cut(AnepException why) {
                connections.forEach(each -> each.cut(why));
            }

            /** Any loop. */
            private void ended(Connection connection) {
                synchronized (over) {
                    over.add(connection);
                    if (over.size() < flow.connections()) {
                        return;
                    }
                }
                synchronized (ServiceFlows.this) {
                    underWay.remove(this);
                }
                try {
                    tasks.execute(() -> done.accept(new Result(flow, over)));
                } catch (RejectedExecutionException e) {
                    LOG.debug("a service that has ended is not told of its flow", e);
                }
            }
        }
    }
}
