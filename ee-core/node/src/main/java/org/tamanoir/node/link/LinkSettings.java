package org.tamanoir.node.link;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;

/**
 * What is next to a node.
 *
 * @param neighbours ANEP addresses of other nodes
 * @param groups     the interface where groups are joined and what is sent to them leaves; null for none
 * @param ttl        hops that a datagram to a group may go, 1 to 255
 */
public record LinkSettings(List<InetSocketAddress> neighbours, NetworkInterface groups, int ttl) {
    /** Alone. */
    public static final LinkSettings NONE = new LinkSettings(List.of(), null, 1);
}
