package org.tamanoir.node.stream;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpEvents;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.service.Transport;

/**
 * The connections of one event loop whose stream is over and on which the peer may open another: the acceptor's side of <i>one stream after
 * another</i> in {@code docs/anep.md}. On that loop.
 */
final class IdleConnections {
    /** Nanoseconds without a stream after which a connection is ended: well above the 15 s of the opener. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60);
    /** Connections that may wait; beyond it the one that has waited for the longest is ended. */
    private static final int MOST = 1024;

    private final StreamEnvironment environment;
    /** By their legs, the one that has waited for the longest first. */
    private final Map<TcpLeg, Idle> idle = new LinkedHashMap<>();
    private final List<TcpLeg> ending = new ArrayList<>();
    private volatile int open;
    private boolean stopping;

    IdleConnections(StreamEnvironment environment) {
        this.environment = environment;
    }

    /** A connection waits for its next stream. */
    void add(TcpLeg leg) {
        Idle waits = new Idle(leg);
        leg.reopen(waits, waits);
        idle.put(leg, waits);
        if (stopping) {
            end(leg);
        } else if (idle.size() > MOST) {
            end(oldest().leg);
        }
        count();
    }

    private void end(TcpLeg leg) {
        idle.remove(leg);
        ending.add(leg);
        leg.giveUp();
    }

    void tick(long elapsed) {
        idle.values().forEach(one -> one.waited += elapsed);
        while (!idle.isEmpty() && oldest().waited > LONGEST) {
            end(oldest().leg);
        }
        count();
    }

    private Idle oldest() {
        return idle.values().iterator().next();
    }

    /** The node takes no further stream. */
    void stop() {
        stopping = true;
        List.copyOf(idle.keySet()).forEach(this::end);
        count();
    }

    private void count() {
        ending.removeIf(leg -> !leg.isOpen());
        open = idle.size() + ending.size();
    }

    /** Connections that wait, or are being ended. Any thread. */
    int open() {
        return open;
    }

    /** One connection: its next packet is the first of a stream. */
    private final class Idle extends Stage implements TcpEvents {
        private final TcpLeg leg;
        private long waited;

        Idle(TcpLeg leg) {
            super(null);
            this.leg = leg;
        }

        @Override
        public void packet(Packet packet) {
            idle.remove(leg);
            count();
            try {
                TcpStream stream = new TcpStream(environment, environment.table().admit(leg.peer().getAddress(), Transport.TCP), leg, null);
                environment.counters().reused().increment();
                stream.open(packet);
            } catch (AnepException e) {
                environment.counters().error(e.code());
                leg.refuse(PacketBuilder.error(PooledByteBufAllocator.DEFAULT, e.code(), e.text(), 0));
            }
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }

        @Override
        public void ended(boolean clean) {
            idle.remove(leg);
            leg.close();
            count();
        }

        @Override
        public void broken(AnepException cause) {
            idle.remove(leg);
            leg.abort();
            count();
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
