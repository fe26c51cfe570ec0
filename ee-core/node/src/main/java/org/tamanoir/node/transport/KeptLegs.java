package org.tamanoir.node.transport;

import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.KeptConnections;
import org.tamanoir.anep.KeptConnections.Turn;

/**
 * The connections of one event loop to its next hops that wait for another stream: the opener's side of <i>one stream after another</i> in
 * {@code docs/anep.md}. On that loop.
 */
final class KeptLegs {
    private static final int SWEEP_SECONDS = 1;

    private final EventLoop loop;
    private final Map<InetSocketAddress, KeptConnections<TcpLeg>> byHop = new HashMap<>();
    private boolean sweeping;

    KeptLegs(EventLoop loop) {
        this.loop = loop;
    }

    /** A connection on which the next hop takes another stream; null if there is none. */
    TcpLeg take(InetSocketAddress hop) {
        KeptConnections<TcpLeg> kept = byHop.get(hop);
        Turn<TcpLeg> turn = kept == null ? null : kept.take(loop.ticker().nanoTime());
        return turn == null ? null : turn.connection();
    }

    /** Keeps a connection whose stream is over; false if it is to be closed. */
    boolean keep(Turn<TcpLeg> turn) {
        if (loop.isShuttingDown() || !byHop.computeIfAbsent(turn.connection().peer(), hop -> new KeptConnections<>(KeptConnections.LONGEST)).keep(turn, loop.ticker().nanoTime())) {
            return false;
        }
        turn.connection().events(new Idle(turn));
        if (!sweeping) {
            sweeping = true;
            loop.schedule(this::sweep, SWEEP_SECONDS, TimeUnit.SECONDS);
        }
        return true;
    }

    private void sweep() {
        long now = loop.ticker().nanoTime();
        byHop.values().forEach(kept -> kept.expired(now).forEach(turn -> turn.connection().close()));
        byHop.values().removeIf(kept -> kept.size() == 0);
        sweeping = !byHop.isEmpty();
        if (sweeping) {
            loop.schedule(this::sweep, SWEEP_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** What happens to a connection between two streams: whatever it is, there will be no other on it. */
    private final class Idle implements TcpEvents {
        private final Turn<TcpLeg> turn;

        Idle(Turn<TcpLeg> turn) {
            this.turn = turn;
        }

        @Override
        public void ended(boolean clean) {
            forget();
            turn.connection().close();
        }

        @Override
        public void broken(AnepException cause) {
            forget();
            turn.connection().abort();
        }

        private void forget() {
            KeptConnections<TcpLeg> kept = byHop.get(turn.connection().peer());
            if (kept != null) {
                kept.remove(turn);
            }
        }

        @Override
        public void finished() {
            throw new IllegalStateException("nothing is finished between two streams");
        }

        @Override
        public void room(boolean room) {
            // Nobody writes.
        }
    }
}
