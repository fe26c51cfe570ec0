package org.tamanoir.node.cluster.virtual;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Welcome.Method;

/**
 * An address and port that directors forward to this node as they are.
 *
 * @param method {@link Method#DIRECT} or {@link Method#TUNNEL}
 */
public record VirtualAddress(InetAddress address, int port, Method method) {
    InetSocketAddress socket() {
        return new InetSocketAddress(address, port);
    }

    /** {@code 198.51.100.1/32} */
    static String host(InetAddress address) {
        return text(address) + "/" + 8 * address.getAddress().length;
    }

    /** As {@code ip} writes it (RFC 5952). */
    static String text(InetAddress address) {
        return Addresses.text(address);
    }

    static boolean isFour(InetAddress address) {
        return address.getAddress().length == 4;
    }
}
