package org.tamanoir.node.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.trace.TraceSettings.Follow;

/** Nobody waits for a collector that hangs or fails; what it does not take is counted, and said once. */
@Timeout(60)
class SpanQueueTest {
    private static final TraceSettings SETTINGS = new TraceSettings("http://127.0.0.1:4318", 1, 10, Follow.ALL, "node");
    private static final FinishedSpan SPAN = new FinishedSpan(1, 2, 3, 0, false, "stream", 1, 2, Map.of(), Map.of(), null);

    private final Logger logger = (Logger) LoggerFactory.getLogger(SpanQueue.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    /** A collector that does something with each batch. */
    private interface Collector {
        void take(List<FinishedSpan> spans) throws IOException, InterruptedException;
    }

    private static Function<TraceSettings, SpanSink> to(Collector collector) {
        return settings -> new SpanSink() {
            @Override
            public void send(List<FinishedSpan> spans) throws IOException {
                try {
                    collector.take(spans);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted", e);
                }
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
    }

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private long warnings() {
        return lines.list.stream().filter(line -> line.getLevel() == Level.WARN).count();
    }

    @Test
    @Tag("long")
    void aCollectorThatHangsCostsNobodyTimeAndBoundedMemory() {
        CountDownLatch never = new CountDownLatch(1);
        SpanQueue queue = new SpanQueue(() -> SETTINGS, to(spans -> never.await()));
        int most = 100_000;
        long start = System.nanoTime();
        for (int i = 0; i < most; i++) {
            queue.add(List.of(SPAN));
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).as("who adds never waits").isLessThan(5_000);
        assertThat(queue.dropped().sum()).isGreaterThan(most - 4 * SpanQueue.MOST);
        long closing = System.nanoTime();
        queue.close();
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - closing)).isBetween(SpanQueue.LAST_MILLIS - 100L, SpanQueue.LAST_MILLIS + 3_000L);
        assertThat(queue.sent().sum()).isZero();
        assertThat(queue.dropped().sum()).as("every span is counted once").isEqualTo(most);
    }

    @Test
    @Tag("long")
    void aCollectorThatFailsIsSaidOnceAndWhatItDoesNotTakeIsCounted() {
        AtomicInteger calls = new AtomicInteger();
        SpanQueue queue = new SpanQueue(() -> SETTINGS, to(spans -> {
            calls.incrementAndGet();
            throw new IOException("status 503");
        }));
        queue.add(Collections.nCopies(600, SPAN));
        await().atMost(20, TimeUnit.SECONDS).until(() -> queue.dropped().sum() == 600);
        assertThat(calls.get()).isEqualTo(2);
        queue.close();
        assertThat(warnings()).isEqualTo(1);
        assertThat(lines.list.get(0).getFormattedMessage()).contains("status 503", "tamanoir_traces_dropped_total");
    }

    @Test
    void whatIsLeftIsSentWhenTheNodeStops() {
        AtomicInteger taken = new AtomicInteger();
        SpanQueue queue = new SpanQueue(() -> SETTINGS, to(spans -> taken.addAndGet(spans.size())));
        queue.add(Collections.nCopies(1500, SPAN));
        queue.close();
        assertThat(taken.get()).isEqualTo(1500);
        assertThat(queue.sent().sum()).isEqualTo(1500);
        assertThat(queue.dropped().sum()).isZero();
        assertThat(warnings()).isZero();
    }
}
