package org.tamanoir.http;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Who is at the other end of a connection, as far as the connection itself proves it.
 *
 * @param address of the peer; null over a Unix socket
 * @param user    whose process it is, over a Unix socket: the user of this server, or root; null over TCP
 * @param names   what its certificate says, such as {@code spiffe://example.org/operator/ada}; empty without one
 */
public record Caller(InetSocketAddress address, String user, List<String> names) {
    /** Whom {@link HttpServer} counts connections by. */
    Object account() {
        return address == null ? "user " + user : address.getAddress();
    }

    /** Whether it is a process of this machine, or one that speaks through a proxy here. */
    public boolean isLoopback() {
        return address == null || address.getAddress().isLoopbackAddress();
    }
}
