package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.access.GuestNames;
import org.tamanoir.node.firefly.Fireflies;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.tcpstate.TcpStates;
import org.tamanoir.node.trace.Traces;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.tuning.Tuning;

/**
 * What every stream of a node shares.
 *
 * @param tls    null for none
 * @param access who may open which streams
 * @param end    where streams end that name this node
 * @param tcp    what the kernel says of their connections
 * @param fireflies who is told of each flow
 * @param traces which streams are recorded
 * @param tuning rules for their connections
 */
record StreamEnvironment(Tls tls, AccessControl access, PreviousNode self, Supplier<StreamLimits> limits, RouteTable routes, Peers peers, ServiceSource source, ServiceWatch watch,
                  Function<EventLoop, LoopMemory> memories, Connector connector, StreamTable table, Overload overload, StreamCounters counters, Offload offload,
                  PoolChoice pools, Function<EventLoop, IdleConnections> idle, FlowEnd end, TcpStates tcp, Fireflies fireflies, Traces traces, Tuning tuning) {

    /** Where services come from; in a node the {@link org.tamanoir.node.deploy.Deployer}. */
    @FunctionalInterface
    interface ServiceSource {
        /** Gets the service of a Type ID for a stream to a destination; the peer as in {@link StreamEnvironment#serving}. */
        CompletableFuture<RunningService> request(int typeId, InetAddress destination, InetSocketAddress previous);

        /** What the service of a Type ID is called, without getting it. @param previous on whose account; null for a datagram's */
        default CompletableFuture<String> name(int typeId, InetSocketAddress previous) {
            return GuestNames.NONE.of(typeId);
        }
    }

    /** Makes the connections to next hops; in a node by sockets. */
    interface Connector {
        /** A connection that was kept and on which another stream begins; null if there is none. On the loop. */
        TcpLeg kept(EventLoop loop, InetSocketAddress hop, boolean secure);

        /**
         * Connects, so that both legs of a stream live on one loop.
         *
         * @param secure whether by TLS
         * @param offers whether the connection is offered for further streams
         * @param made   called on the loop before anything can be read; the future fails with EE-204
         */
        CompletableFuture<Void> connect(EventLoop loop, InetSocketAddress hop, boolean secure, int timeoutMillis, boolean offers, Consumer<TcpLeg> made);

        /** A socket for the datagrams of one stream; the future fails with EE-204. */
        CompletableFuture<UdpLeg> connect(EventLoop loop, InetSocketAddress hop, UdpLeg.Receiver receiver);
    }

    /** The connections of an event loop that wait for another stream. */
    IdleConnections idle(EventLoop loop) {
        return idle.apply(loop);
    }

    /**
     * Who serves a stream.
     *
     * @param handed   others; null for this node
     * @param services of this node, each {@link RunningService#open opened} for the stream: whoever does not use them closes them
     */
    record Serving(PoolAssignment handed, List<RunningService> services) {
        void unused() {
            services.forEach(RunningService::closed);
        }
    }

    /**
     * Who serves a stream, when the services are there if it is this node.
     *
     * @param previous the peer of the connection, with the port of its code server or 0; null for a datagram
     * @param fixed    whether a rule says where it goes: others would not know
     */
    CompletableFuture<Serving> serving(StreamInfo stream, InetSocketAddress previous, boolean fixed) {
        if (fixed || pools.pools().isEmpty()) {
            return services(stream, previous).thenApply(services -> new Serving(null, services));
        }
        return pools.of(stream.wanted(), stream.handedOver(), previous, stream.needAll()).thenCompose(handed -> handed == null
                ? services(stream, previous).thenApply(services -> new Serving(null, services))
                : CompletableFuture.completedFuture(new Serving(handed, List.of())));
    }

    /**
     * The services of a chain, in order, when all of them are there. One that cannot be had is left out if the packets allow that.
     *
     * @param previous as in {@link #serving}
     * @return services that are {@link RunningService#open opened} for the stream: whoever does not use them closes them
     */
    private CompletableFuture<List<RunningService>> services(StreamInfo stream, InetSocketAddress previous) {
        List<CompletableFuture<RunningService>> wanted = new ArrayList<>();
        for (int typeId : stream.wanted()) {
            CompletableFuture<RunningService> service = counters.waits().waitsFor(source.request(typeId, stream.destination().getAddress(), previous));
            wanted.add(stream.needAll() ? service : service.exceptionally(why -> leftOut(typeId)));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
        return all.thenCompose(nothing -> {
            List<RunningService> found = wanted.stream().map(CompletableFuture::join).filter(service -> service != null).toList();
            // One may have been retired while another was being got: then its successor is asked for.
            return opened(found) ? CompletableFuture.completedFuture(found) : services(stream, previous);
        });
    }

    /** Opens all of them or none. */
    private static boolean opened(List<RunningService> services) {
        int open = 0;
        try {
            while (open < services.size() && services.get(open).open()) {
                open++;
            }
            return open == services.size();
        } finally {
            if (open < services.size()) {
                services.subList(0, open).forEach(RunningService::closed);
            }
        }
    }

    private RunningService leftOut(int typeId) {
        counters.servicesLeftOut().increment();
        return null;
    }

    /** The error behind whatever a future failed with. */
    static AnepException reason(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, cause.toString(), cause);
    }

    /** Type IDs as text, for a stream whose services have no names yet. */
    static List<String> names(List<Integer> typeIds) {
        return typeIds.stream().map(Anep::typeName).toList();
    }
}
