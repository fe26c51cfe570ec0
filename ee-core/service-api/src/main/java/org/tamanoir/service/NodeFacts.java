package org.tamanoir.service;

import java.net.InetSocketAddress;

/**
 * Who this node is.
 *
 * @param id      its number; stays the same over restarts
 * @param address where it takes streams; an unspecified host if it listens on all of them
 */
public record NodeFacts(long id, InetSocketAddress address) {
    /** The id as everybody writes it: 16 hexadecimal digits. */
    public String name() {
        return String.format("%016x", id);
    }
}
