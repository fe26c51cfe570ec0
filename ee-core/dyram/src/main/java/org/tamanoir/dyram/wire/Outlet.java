package org.tamanoir.dyram.wire;

import java.net.InetSocketAddress;

/** Where a core puts what it says. */
@FunctionalInterface
public interface Outlet {
    /**
     * Sends a message to a neighbour or to a group. What it holds is lent during the call.
     *
     * @param to a unicast address, or the session's group
     */
    void send(Message message, InetSocketAddress to);
}
