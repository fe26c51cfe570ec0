package org.tamanoir.node.transport;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/**
 * The refused connections of one event loop that wait a moment for their peers to read why. Each keeps a descriptor that no other limit counts, so there is
 * a bound: beyond it a refused peer may see a reset in place of the word. On the loop.
 */
final class Lingering {
    static final int MOST = 256;
    /** How long a refused peer may go on sending before the connection is cut; its octets are thrown away. */
    private static final long LINGER_MILLIS = 2000;

    private final int most;
    private int now;

    /** @param most connections */
    Lingering(int most) {
        this.most = most;
    }

    /** So many that on each of some loops as many may wait. */
    static Lingering onOneOf(int loops) {
        return new Lingering(OpenFiles.uncounted(MOST * loops) / loops);
    }

    /** Whether a connection may wait; it counts until it is closed, which happens after a moment at the latest. */
    boolean begin(Channel connection) {
        if (now >= most) {
            return false;
        }
        now++;
        connection.closeFuture().addListener(closed -> now--);
        connection.eventLoop().schedule(() -> connection.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        return true;
    }
}
