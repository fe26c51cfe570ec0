package org.tamanoir.node.stream;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets;

/** Makes the connection of a TCP stream to its next hop: one that was kept, a new one, or one to another hop of its route. On the loop of the stream. */
final class NextHop {
    private static final Logger LOG = LoggerFactory.getLogger(NextHop.class);
    /** How long a next hop is waited for while there is another one. */
    private static final int TRY_MILLIS = 500;

    private final TcpStream stream;
    private final StreamEnvironment environment;

    NextHop(TcpStream stream, StreamEnvironment environment) {
        this.stream = stream;
        this.environment = environment;
    }

    /** Has the next hop, by a connection that was kept or a new one. @param made while the stream still waits for it */
    void reach(boolean offers, Consumer<TcpLeg> made) {
        StreamInfo info = stream.info;
        TcpLeg kept = offers ? environment.connector().kept(stream.loop(), info.next(), info.secure()) : null;
        if (kept != null) {
            environment.routes().hops().reached(info.next());
            made.accept(kept);
            return;
        }
        try {
            environment.overload().descriptor(environment.peers().isStranger(info.believed()));
        } catch (AnepException e) {
            // It may be a service that lets a payload go in this moment, and that has nothing to do with it.
            stream.failLater(e);
            return;
        }
        connect(offers, made);
    }

    /** The same by a new connection. */
    void connect(boolean offers, Consumer<TcpLeg> made) {
        StreamInfo info = stream.info;
        int timeout = timeout();
        boolean last = info.others().isEmpty();
        environment.connector().connect(stream.loop(), info.next(), info.secure(), last ? timeout : Math.min(timeout, TRY_MILLIS), offers, leg -> {
            environment.routes().hops().reached(info.next());
            wanted(leg, made);
        }).exceptionally(failure -> {
            stream.loop().execute(() -> unreached(StreamEnvironment.reason(failure), offers, made));
            return null;
        });
    }

    private int timeout() {
        return (int) environment.limits().get().connectTimeout().toMillis();
    }

    private void wanted(TcpLeg leg, Consumer<TcpLeg> made) {
        if (stream.isConnecting()) {
            made.accept(leg);
        } else {
            leg.abort();
        }
    }

    /** The next hop cannot be reached: another one of its route may. */
    private void unreached(AnepException why, boolean offers, Consumer<TcpLeg> made) {
        StreamInfo info = stream.info;
        environment.routes().hops().failed(info.next(), why.getMessage());
        if (!stream.isConnecting() || info.others().isEmpty()) {
            // A destination that refuses is there.
            stream.fail(info.next().equals(info.destination()) && TcpSockets.isRefusal(why) ? new AnepException(ErrorCode.DESTINATION_REFUSED, why.text(), why) : why);
            return;
        }
        LOG.debug("stream {} tries {}: {}", stream.number(), info.others().get(0), why.getMessage());
        environment.counters().hopsLeft().increment();
        stream.info = info.byAnother();
        connect(offers, made);
    }

    /** A connection that goes nowhere, for as long as the stream may not need a next hop. */
    void standIn(Consumer<TcpLeg> made) {
        environment.end().listener().thenCompose(nowhere ->
                environment.connector().connect(stream.loop(), nowhere, false, timeout(), false, leg -> wanted(leg, made))).exceptionally(failure -> {
                    stream.failLater(StreamEnvironment.reason(failure));
                    return null;
                });
    }
}
