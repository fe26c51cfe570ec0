package org.tamanoir.node.transport;

import io.netty.channel.Channel;

/**
 * The refused connections of one event loop that wait a moment for their peers to read why. Each keeps a descriptor that no other limit counts, so there is
 * a bound: beyond it a refused peer may see a reset in place of the word. On the loop.
 */
final class Lingering {
    static final int MOST = 256;

    private int now;

    /** Whether a connection may wait; it counts until it is closed. */
    boolean begin(Channel connection) {
        if (now >= MOST) {
            return false;
        }
        now++;
        connection.closeFuture().addListener(closed -> now--);
        return true;
    }
}
