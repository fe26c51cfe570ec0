package org.tamanoir.node.deploy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;

/**
 * On whose account a service is got.
 *
 * @param account    for quotas: an IPv4 address, an IPv6 network of 64 bits, everybody who sends datagrams, or this node
 * @param codeServer of the node that a stream came from; null if there is none to ask
 */
record Asker(String account, InetSocketAddress codeServer) {
    /** Operators, services that run, and the node itself: nothing that a peer does makes these wait. */
    static final Asker NODE = new Asker("node", null);
    /** The source of a datagram shows nothing: all of them together are one. */
    static final Asker DATAGRAMS = new Asker("datagrams", null);
    private static final int NETWORK_OCTETS = 8;

    /** @param previous the peer of a connection, with the port of its code server or 0; null for a datagram */
    static Asker of(InetSocketAddress previous) {
        return previous == null ? DATAGRAMS : new Asker(account(previous.getAddress()), previous.getPort() == 0 ? null : previous);
    }

    static String account(InetAddress address) {
        return address instanceof Inet6Address ? HexFormat.of().formatHex(address.getAddress(), 0, NETWORK_OCTETS) : address.getHostAddress();
    }

    boolean isNode() {
        return this == NODE;
    }
}
