package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;

/**
 * Finds out whether an origin takes connections, before a program's stream connects to it: a stream whose destination refuses it ends, and nothing can be given away
 * on it any more.
 */
final class OriginProbe implements ConnectionHandler {
    private final OriginsAway away;
    private final InetSocketAddress origin;
    private final Runnable then;
    private boolean done;

    /** @param then runs once, when it is known */
    OriginProbe(OriginsAway away, InetSocketAddress origin, Runnable then) {
        this.away = away;
        this.origin = origin;
        this.then = then;
    }

    @Override
    public void onConnected(Connection connection) {
        done();
        connection.abort();
    }

    @Override
    public void onOctets(Connection connection, ByteBuf octets) {
        // Nothing was asked.
    }

    @Override
    public void onClosed(Connection connection, AnepException why) {
        if (!done) {
            away.failed(origin);
            done();
        }
    }

    private void done() {
        if (!done) {
            done = true;
            then.run();
        }
    }
}
