package org.tamanoir.node.deploy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.tamanoir.service.rule.Prefix;

/**
 * On whose account a service is got.
 *
 * @param account    for quotas: the {@link Prefix#ofPeer peer} that the stream came from, everybody who sends datagrams, or this node
 * @param codeServer of the node that a stream came from; null if there is none to ask
 */
record Asker(String account, InetSocketAddress codeServer) {
    /** Operators, services that run, and the node itself: nothing that a peer does makes these wait. */
    static final Asker NODE = new Asker("node", null);
    /** The source of a datagram shows nothing: all of them together are one. */
    static final Asker DATAGRAMS = new Asker("datagrams", null);

    /** @param previous the peer of a connection, with the port of its code server or 0; null for a datagram */
    static Asker of(InetSocketAddress previous) {
        return previous == null ? DATAGRAMS : new Asker(account(previous.getAddress()), previous.getPort() == 0 ? null : previous);
    }

    static String account(InetAddress address) {
        return Prefix.ofPeer(address).toString();
    }

    boolean isNode() {
        return this == NODE;
    }
}
