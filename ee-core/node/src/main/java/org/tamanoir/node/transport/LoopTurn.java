package org.tamanoir.node.transport;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How much each connection of an event loop reads before the others have their turn: the more of them have something to read, the less, so that
 * a turn of the loop stays short. What waits for several turns, such as the opening of a stream, would otherwise wait for seconds beside a
 * thousand busy streams.
 *
 * <p>After a turn that has moved much, the loop offers its processor to those who fill and empty the sockets. With nobody waiting that costs a
 * microsecond; with somebody, the next turn finds more to read, and costs less an octet or datagram. To a program that computes without a pause
 * the loop would lose its share of the processor in this way, so after an absence that was too long it makes no offer for a while.
 */
final class LoopTurn implements Runnable {
    /** Octets of all connections in one turn of the loop: 16 of them read as much as a buffer holds. */
    static final int OCTETS = 16 << 20;
    /** What is read at a time costs a call of the system, however little it is. */
    static final int LEAST = 16 << 10;

    /** An absence that is too long: senders and receivers on the same processor are back sooner, as a rule. */
    static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** The time without an offer after one, in absences: at most a seventeenth is lost. */
    static final int RESTS = 16;

    private static final FastThreadLocal<LoopTurn> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected LoopTurn initialValue() {
            return new LoopTurn(System::nanoTime, Thread::yield);
        }
    };

    private final LongSupplier clock;
    private final Runnable offer;
    private int readers;
    private int readersBefore;
    private long octets;
    private long restsSince;
    private long restNanos;

    /**
     * The tests' way in.
     *
     * @param clock nanoseconds
     * @param offer lets others run, if somebody waits
     */
    LoopTurn(LongSupplier clock, Runnable offer) {
        this.clock = clock;
        this.offer = offer;
        restsSince = clock.getAsLong();
    }

    /** A connection of a loop begins to read. On the loop. @return octets that it may read now, at most {@link LoopMemory#BUFFER} */
    static int begin(Executor loop) {
        LoopTurn turn = OF_THREAD.get();
        if (turn.readers++ == 0) {
            // Tasks run when all connections have read.
            loop.execute(turn);
        }
        return share(Math.max(turn.readers, turn.readersBefore));
    }

    /** A connection of this loop has read so many octets in this turn; a datagram counts for {@link #LEAST}. On the loop. */
    static void read(int octets) {
        OF_THREAD.get().moved(octets);
    }

    void moved(int more) {
        octets += more;
    }

    /** For tests: what the connections of this loop have read in this turn. */
    static long octets() {
        return OF_THREAD.get().octets;
    }

    static int share(int readers) {
        return Math.max(LEAST, Math.min(LoopMemory.BUFFER, OCTETS / readers));
    }

    /** The turn is over. */
    @Override
    public void run() {
        readersBefore = readers;
        readers = 0;
        if (octets >= LoopMemory.LEAST_ROOM) {
            offer();
        }
        octets = 0;
    }

    private void offer() {
        long now = clock.getAsLong();
        if (now - restsSince < restNanos) {
            return;
        }
        offer.run();
        restsSince = clock.getAsLong();
        long away = restsSince - now;
        restNanos = away > LONG_NANOS ? RESTS * away : 0;
    }
}
