package org.tamanoir.node.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.tamanoir.service.rule.Prefix;

/**
 * How a node is a back end.
 *
 * @param name      of the back end, as {@link org.tamanoir.membership.Report#name}
 * @param address   where directors send streams to: one of this machine, and not the virtual one
 * @param pool      that it belongs to
 * @param frontends their URLs, 1 to {@link #MOST_FRONTENDS}, each once
 * @param token     that front-ends ask for; null for none
 * @param health    where {@code GET /health} is answered; port 0 for any that is free
 * @param replyVia  the router by which answers from virtual addresses leave; null for whatever the machine's routes say
 * @param virtualAddresses where front-ends may place virtual addresses on this machine; empty for nowhere
 */
public record ClusterSettings(String name, InetAddress address, String pool, List<String> frontends, String token, InetSocketAddress health,
                              InetAddress replyVia, List<Prefix> virtualAddresses) {
    /** Each costs a thread and a request a period. */
    public static final int MOST_FRONTENDS = 8;

    public ClusterSettings {
        frontends = List.copyOf(frontends);
        virtualAddresses = List.copyOf(virtualAddresses);
    }

    /** Whether front-ends would know it for the same back end. */
    boolean isSameMember(ClusterSettings other) {
        return name.equals(other.name) && address.equals(other.address) && pool.equals(other.pool)
                && Objects.equals(token, other.token);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return name + " of " + pool + " at " + address.getHostAddress() + ", front-ends " + frontends;
    }
}
