package org.tamanoir.cluster.plan;

import java.net.InetAddress;

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
