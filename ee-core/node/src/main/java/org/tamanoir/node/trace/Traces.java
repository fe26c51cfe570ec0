package org.tamanoir.node.trace;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.TraceContext;

/** The traces of a node: which streams are recorded, and the queue of what leaves. No stream waits for it. Any thread. */
public final class Traces implements AutoCloseable {
    private final Supplier<TraceSettings> settings;
    private final SamplingBound bound = new SamplingBound();
    private final SpanQueue queue;
    private final LongAdder begun = new LongAdder();

    /**
     * @param settings asked anew each time, so that they can change; null while nothing is recorded
     * @param sinks    makes who takes spans to the collector of settings
     */
    public Traces(Supplier<TraceSettings> settings, Function<TraceSettings, SpanSink> sinks) {
        this.settings = settings;
        this.queue = new SpanQueue(settings, sinks);
    }

    /**
     * A stream begins.
     *
     * @param first    its first packet, whose options are good
     * @param believed whether a listed node sends it
     * @return null if it is not recorded: then what its first packet says of a trace goes on as it came
     */
    public StreamTrace begin(Packet first, boolean believed) {
        TraceSettings now = settings.get();
        if (now == null) {
            return null;
        }
        TraceContext given = first.has(OptionType.TRACE) ? first.options().trace() : null;
        double drawn = ThreadLocalRandom.current().nextDouble();
        if (!bound.takes(System.nanoTime(), given, believed, now, drawn)) {
            return null;
        }
        begun.increment();
        Instant time = Instant.now();
        return new StreamTrace(this, given, TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano());
    }

    void add(List<FinishedSpan> spans) {
        queue.add(spans);
    }

    /** At random, not 0. */
    static long newId() {
        long id = 0;
        while (id == 0) {
            id = ThreadLocalRandom.current().nextLong();
        }
        return id;
    }

    /** Streams that were recorded. */
    public LongAdder begun() {
        return begun;
    }

    /** Spans that the collector has taken. */
    public LongAdder sent() {
        return queue.sent();
    }

    /** Spans that were dropped: the queue was full, or the collector has not taken them. */
    public LongAdder dropped() {
        return queue.dropped();
    }

    /** Sends what is left, for {@link SpanQueue#LAST_MILLIS} at most; what is left then is dropped. */
    @Override
    public void close() {
        queue.close();
    }
}
