package org.tamanoir.node.stream;

import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.LoopMemory;

/**
 * Lets time pass for the streams of one loop: time in which this process ran, so that a node that was stopped does not hold it against its
 * peers. On the loop.
 */
final class StreamClock {
    static final long TICK_NANOS = 250_000_000;
    private static final long MOST_ELAPSED_NANOS = 1_000_000_000;

    private final LongSupplier nanoTime;
    private final Supplier<List<Stream>> streams;
    private final IdleConnections idle;
    private final LoopMemory memory;
    private final LongConsumer lag;
    private long last;

    /** @param lag told at each tick by how many nanoseconds it came too late */
    StreamClock(LongSupplier nanoTime, Supplier<List<Stream>> streams, IdleConnections idle, LoopMemory memory, LongConsumer lag) {
        this.nanoTime = nanoTime;
        this.streams = streams;
        this.idle = idle;
        this.memory = memory;
        this.lag = lag;
        this.last = nanoTime.getAsLong();
    }

    /** To be called every {@link #TICK_NANOS}. */
    void tick() {
        long now = nanoTime.getAsLong();
        long elapsed = Math.min(now - last, MOST_ELAPSED_NANOS);
        lag.accept(now - last - TICK_NANOS);
        last = now;
        List<Stream> open = streams.get();
        for (Stream stream : open) {
            try {
                stream.tick(elapsed);
            } catch (RuntimeException e) {
                // Without this the clock of every stream of this loop would stand still.
                stream.fail(new AnepException(ErrorCode.INTERNAL, e.toString(), e));
            }
        }
        idle.tick(elapsed);
        memory.tidy();
        if (memory.isShort()) {
            open.stream().max(Comparator.comparingLong(Stream::held)).filter(most -> most.held() > 0).ifPresent(most ->
                    most.fail(new AnepException(ErrorCode.MEMORY_FULL, "memory is short, and this stream holds " + most.held()
                            + " octets of it that have not moved for a while")));
        }
    }
}
