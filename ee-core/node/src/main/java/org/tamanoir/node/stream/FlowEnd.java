package org.tamanoir.node.stream;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Transport;

/**
 * Where streams go that go nowhere: those that name this node itself, if their service takes them ({@link FlowSink}), and those whose service wants no connection
 * to the next hop yet. To the rest of the node such a stream is one like any other: its next hop is a listener on loopback that throws away what comes, and
 * nothing does. It is opened with the first of them.
 */
final class FlowEnd {
    private static final Logger LOG = LoggerFactory.getLogger(FlowEnd.class);

    private final RouteTable routes;
    private final ServiceRegistry registry;
    private final Supplier<CompletableFuture<InetSocketAddress>> discard;
    private CompletableFuture<InetSocketAddress> listener;

    /** @param discard opens the listener */
    FlowEnd(RouteTable routes, ServiceRegistry registry, Supplier<CompletableFuture<InetSocketAddress>> discard) {
        this.routes = routes;
        this.registry = registry;
        this.discard = discard;
        registry.onCurrent((before, now) -> {
            if (takesFlows(now)) {
                listener();
            }
        });
    }

    private static boolean takesFlows(RunningService service) {
        return service != null && service.service() instanceof FlowSink;
    }

    private static boolean takesDatagrams(RunningService service) {
        return service != null && service.service() instanceof FlowSink sink && sink.takesDatagrams();
    }

    /** The next hop of what goes nowhere. */
    synchronized CompletableFuture<InetSocketAddress> listener() {
        if (listener == null) {
            listener = discard.get();
            listener.exceptionally(failure -> {
                LOG.warn("flows to this node are refused: {}", failure.toString());
                return null;
            });
        }
        return listener;
    }

    /** The next hop of a stream that ends here; null for any other. */
    InetSocketAddress of(Packet first, Transport transport) {
        PacketOptions options = first.options();
        RunningService service = registry.find(first.typeId());
        boolean takes = transport == Transport.TCP ? takesFlows(service) : takesDatagrams(service);
        InetAddress address = options.destination() == null || !takes ? null : options.destination().inetAddress();
        boolean ends = address != null && options.port() > 0 && options.chain().length == 0 && routes.isOwn(new InetSocketAddress(address, options.port()));
        CompletableFuture<InetSocketAddress> open = ends ? listener() : null;
        return open == null || !open.isDone() || open.isCompletedExceptionally() ? null : open.join();
    }
}
