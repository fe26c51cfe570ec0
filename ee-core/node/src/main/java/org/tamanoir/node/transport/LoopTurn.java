package org.tamanoir.node.transport;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.Executor;

/**
 * How much each connection of an event loop reads before the others have their turn: the more of them have something to read, the less, so that
 * a turn of the loop stays short. What waits for several turns, such as the opening of a stream, would otherwise wait for seconds beside a
 * thousand busy streams.
 */
final class LoopTurn implements Runnable {
    /** Octets of all connections in one turn of the loop: 16 of them read as much as a buffer holds. */
    static final int OCTETS = 16 << 20;
    /** What is read at a time costs a call of the system, however little it is. */
    static final int LEAST = 16 << 10;

    private static final FastThreadLocal<LoopTurn> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected LoopTurn initialValue() {
            return new LoopTurn();
        }
    };

    private int readers;
    private int readersBefore;

    private LoopTurn() {
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

    static int share(int readers) {
        return Math.max(LEAST, Math.min(LoopMemory.BUFFER, OCTETS / readers));
    }

    /** The turn is over. */
    @Override
    public void run() {
        readersBefore = readers;
        readers = 0;
    }
}
