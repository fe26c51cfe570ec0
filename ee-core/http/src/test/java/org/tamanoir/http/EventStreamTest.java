package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    private final CompletableFuture<EventStream> listener = new CompletableFuture<>();
    private HttpServer server;

    @BeforeEach
    void start() {
        server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
                .limits(HttpLimits.DEFAULTS.withTimes(Duration.ofMillis(800), Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .route("GET", "/events", r -> Response.events(listener::complete)).start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    @Tag("long")
    void eventsArriveInOrderAndSilenceIsFilledWithHeartbeats() throws Exception {
        try (Raw raw = new Raw(server)) {
            raw.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(raw.readUntil("\r\n\r\n")).contains("text/event-stream", "transfer-encoding: chunked");
            EventStream stream = listener.get(5, TimeUnit.SECONDS);
            assertThat(stream.send("state", "one\ntwo")).isTrue();
            assertThat(stream.send(null, "")).isTrue();
            assertThat(raw.readUntil("data:\n\n")).contains("event: state\ndata: one\ndata: two\n\n");
            // More than the idle time passes: a listener that reads is not taken for one that is stuck.
            for (int i = 0; i < 3; i++) {
                raw.readUntil(":\n\n");
            }
            assertThat(stream.isOpen()).isTrue();
            stream.close();
            assertThat(raw.readAll()).endsWith("0\r\n\r\n");
            assertThat(stream.send("late", "")).isFalse();
        }
    }

    @Test
    @Tag("long")
    void aListenerThatDoesNotReadLosesEventsCostsLittleMemoryAndIsCutOff() throws Exception {
        try (Raw raw = new Raw(server)) {
            raw.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
            EventStream stream = listener.get(5, TimeUnit.SECONDS);
            AtomicBoolean gone = new AtomicBoolean();
            stream.onClose(() -> gone.set(true));
            String event = "x".repeat(10_000);
            long sent = 0;
            long offered = 0;
            long end = System.nanoTime() + 10_000_000_000L;
            while (!gone.get() && System.nanoTime() < end) {
                sent += stream.send("n", event) ? 1 : 0;
                offered++;
            }
            assertThat(gone).isTrue();
            // Far more was offered; what was taken is in the two socket buffers and in 64 KiB of the server.
            assertThat(offered).isGreaterThan(10_000);
            assertThat(sent * 10_000).isLessThan(16_000_000);
            assertThat(stream.dropped()).isEqualTo(offered - sent);
            assertThat(stream.isOpen()).isFalse();
        }
    }

    @Test
    void aListenerThatLeavesIsNoticed() throws Exception {
        AtomicBoolean gone = new AtomicBoolean();
        try (Raw raw = new Raw(server)) {
            raw.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
            listener.get(5, TimeUnit.SECONDS).onClose(() -> gone.set(true));
        }
        Awaitility.await().atMost(Duration.ofSeconds(5)).untilTrue(gone);
    }
}
