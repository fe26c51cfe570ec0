package org.tamanoir.cluster.plan;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.membership.Welcome.Method;

/**
 * Everything that a director is to carry.
 *
 * @param services in the order of pool, address, port and transport; no two have the same address, port and transport
 */
public record Plan(List<VirtualService> services) {
    /** Nothing. */
    public static final Plan EMPTY = new Plan(List.of());

    public Plan {
        services = List.copyOf(services);
    }

    /**
     * An address and port that a director answers for.
     *
     * @param pool        whose back ends it has
     * @param address     the virtual one
     * @param port        1 to 65535; back ends serve the same one unless the method is {@link Method#NAT}
     * @param method      how packets get to the back ends
     * @param scheduler   who gets a new connection
     * @param persistence how long a source that has no connection any more is sent to the back end that it had; zero for no persistence. Virtual services
     *                    of one address and port, over TCP and UDP, with a persistence send a source to one and the same back end
     * @param servers     in the order of their names
     */
    public record VirtualService(String pool, InetAddress address, int port, Transport transport, Method method, Scheduler scheduler, Duration persistence,
                                 List<RealServer> servers) {
        public VirtualService {
            servers = List.copyOf(servers);
        }
    }

    /**
     * A back end of a virtual service.
     *
     * @param name    of the back end
     * @param address where packets for it go
     * @param port    1 to 65535
     * @param weight  its share of new connections, 0 to {@link #MOST_WEIGHT}; with 0 it keeps those that it has and gets no other
     * @param health  port of {@code GET /health} at its address
     */
    public record RealServer(String name, InetAddress address, int port, int weight, int health) {
        /** What keepalived takes. */
        public static final int MOST_WEIGHT = 253;
    }
}
