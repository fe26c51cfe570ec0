package org.tamanoir.cluster.plan;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.membership.Method;

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
