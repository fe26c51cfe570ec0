package org.tamanoir.node.stream;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.service.FlowSink;

/**
 * Where streams end that name this node itself, if their service takes them ({@link FlowSink}). To the rest of the node such a stream is one like any other:
 * its next hop is a listener on loopback that throws away what comes, and nothing does. It is opened with the first such service.
 */
final class FlowEnd {
    private static final Logger LOG = LoggerFactory.getLogger(FlowEnd.class);

    private final RouteTable routes;
    private final ServiceRegistry registry;
    private final AtomicBoolean isOpening = new AtomicBoolean();
    private volatile InetSocketAddress listener;

    FlowEnd(RouteTable routes, ServiceRegistry registry, TcpSockets sockets) {
        this.routes = routes;
        this.registry = registry;
        registry.onCurrent((before, now) -> {
            if (takesFlows(now) && isOpening.compareAndSet(false, true)) {
                sockets.discard().whenComplete((address, failure) -> {
                    listener = address;
                    if (failure != null) {
                        LOG.warn("flows to this node are refused: {}", failure.toString());
                    }
                });
            }
        });
    }

    private static boolean takesFlows(RunningService service) {
        return service != null && service.service() instanceof FlowSink;
    }

    /** The next hop of a stream that ends here; null for any other. */
    InetSocketAddress of(Packet first) {
        InetSocketAddress end = listener;
        PacketOptions options = first.options();
        InetAddress address = end == null || options.destination() == null || !takesFlows(registry.find(first.typeId())) ? null : options.destination().inetAddress();
        return address != null && options.port() > 0 && options.chain().length == 0 && routes.isOwn(new InetSocketAddress(address, options.port())) ? end : null;
    }
}
