package org.tamanoir.node.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spans on their way to the collector, on a thread of their own that begins with the first. What finds no room is dropped and counted, and so is what the
 * collector does not take.
 */
final class SpanQueue implements AutoCloseable {
    /** Spans that wait: some hundred streams, about two megabytes. */
    static final int MOST = 2048;
    /** How long the last ones may take. */
    static final int LAST_MILLIS = 2000;
    private static final int COUNT_MILLIS = 1000;
    private static final int BATCH = 512;
    /** What comes within this time goes together. */
    private static final int GATHER_MILLIS = 200;
    private static final int LOOK_MILLIS = 1000;
    /** A collector that has failed is left alone for this time. */
    private static final int PAUSE_MILLIS = 5000;
    /** One that fails again and again is not spoken of more often. */
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final Logger LOG = LoggerFactory.getLogger(SpanQueue.class);

    private final Supplier<TraceSettings> settings;
    private final Function<TraceSettings, SpanSink> sinks;
    private final ArrayBlockingQueue<FinishedSpan> waiting = new ArrayBlockingQueue<>(MOST);
    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final CountDownLatch closing = new CountDownLatch(1);
    private Thread thread;
    // Of that thread.
    private SpanSink sink;
    private TraceSettings sinkFor;
    private boolean failing;
    private boolean hasWarned;
    private long warnedAt;

    SpanQueue(Supplier<TraceSettings> settings, Function<TraceSettings, SpanSink> sinks) {
        this.settings = settings;
        this.sinks = sinks;
    }

    void add(List<FinishedSpan> spans) {
        for (FinishedSpan span : spans) {
            if (!waiting.offer(span)) {
                dropped.increment();
            }
        }
        start();
    }

    private synchronized void start() {
        if (thread == null && !isClosing()) {
            thread = new Thread(this::run, "tamanoir-traces");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    LongAdder sent() {
        return sent;
    }

    LongAdder dropped() {
        return dropped;
    }

    private void run() {
        try {
            while (!isClosing() || !waiting.isEmpty()) {
                FinishedSpan first = waiting.poll(isClosing() ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    closing.await(GATHER_MILLIS, TimeUnit.MILLISECONDS);
                    List<FinishedSpan> batch = new ArrayList<>(List.of(first));
                    waiting.drainTo(batch, BATCH - 1);
                    send(batch);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the node stops before everything has left");
        } finally {
            closeSink();
        }
    }

    private void send(List<FinishedSpan> batch) throws InterruptedException {
        boolean taken = false;
        try {
            TraceSettings now = settings.get();
            if (now != null) {
                to(now).send(batch);
                taken = true;
                recovered(now);
            }
        } catch (IOException | RuntimeException e) {
            failed(e);
        } finally {
            (taken ? sent : dropped).add(batch.size());
        }
        if (failing) {
            closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private SpanSink to(TraceSettings now) {
        if (sink == null || !now.endpoint().equals(sinkFor.endpoint()) || !now.name().equals(sinkFor.name())) {
            closeSink();
            sink = sinks.apply(now);
            sinkFor = now;
        }
        return sink;
    }

    private void closeSink() {
        if (sink != null) {
            sink.close();
            sink = null;
        }
    }

    private void recovered(TraceSettings now) {
        if (failing) {
            failing = false;
            LOG.info("the collector of traces {} takes spans again", now.endpoint());
        }
    }

    private void failed(Exception why) {
        if (!failing && !isClosing() && (!hasWarned || System.nanoTime() - warnedAt > QUIET_NANOS)) {
            hasWarned = true;
            warnedAt = System.nanoTime();
            LOG.warn("the collector of traces{} does not take spans: {}; streams go on, and tamanoir_traces_dropped_total counts what is dropped", sinkFor == null ? "" : " " + sinkFor.endpoint(), why.getMessage());
        }
        failing = true;
    }

    @Override
    public void close() {
        closing.countDown();
        Thread last;
        synchronized (this) {
            last = thread;
        }
        if (last != null) {
            try {
                last.join(LAST_MILLIS);
                last.interrupt();
                // What it has in hand is counted.
                last.join(COUNT_MILLIS);
            } catch (InterruptedException e) {
                last.interrupt();
                Thread.currentThread().interrupt();
            }
        }
        dropped.add(waiting.size());
        waiting.clear();
    }
}
