package org.tamanoir.node.firefly;

import java.net.InetSocketAddress;
import java.time.Instant;
import org.tamanoir.service.Transport;

/**
 * The connection by which a stream goes on.
 *
 * @param from this node's end
 * @param to   the next hop
 */
public record Flow(Transport transport, InetSocketAddress from, InetSocketAddress to, Instant start) {
}
