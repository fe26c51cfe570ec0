package org.tamanoir.http.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.EventStream;
import org.tamanoir.http.HttpLimits;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.fetch.EventFeed.Event;

@Timeout(60)
class EventFeedTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

    private final CompletableFuture<EventStream> listener = new CompletableFuture<>();

    private HttpServer server() {
        return HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
                .limits(HttpLimits.DEFAULTS.withTimes(Duration.ofMillis(400), Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .route("GET", "/events", request -> Response.events(listener::complete))
                .route("GET", "/json", request -> Response.json(Map.of()))
                .route("GET", "/refused", request -> {
                    throw new AnepException(ErrorCode.NOT_AUTHORISED, "no token");
                }).start();
    }

    private static HttpFetch fetch(String url, int millis) {
        return HttpFetch.of(url, ErrorCode.UNREACHABLE).timeout(Duration.ofMillis(millis));
    }

    private static void assertFails(ErrorCode code, Runnable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call::run).extracting(AnepException::code).isEqualTo(code);
    }

    @Test
    @Tag("long")
    void eventsComeAsTheyWereSentAlsoAfterASilenceLongerThanTheTimeOut() throws Exception {
        try (HttpServer server = server(); EventFeed feed = fetch(server.url(), 1000).events("/events")) {
            EventStream stream = listener.get(5, TimeUnit.SECONDS);
            stream.send("service", "one\ntwo: é");
            assertThat(feed.next()).isEqualTo(new Event("service", "one\ntwo: é"));
            new Thread(() -> {
                try {
                    // Heartbeats show meanwhile that the server lives.
                    Thread.sleep(1600);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                stream.send(null, "");
                stream.close();
            }).start();
            assertThat(feed.next()).isEqualTo(new Event("message", ""));
            assertThat(feed.next()).isNull();
            assertThat(feed.next()).isNull();
        }
    }

    @Test
    void whoeverClosesTheFeedLeavesTheServer() throws Exception {
        try (HttpServer server = server()) {
            fetch(server.url(), 1000).events("/events").close();
            EventStream stream = listener.get(5, TimeUnit.SECONDS);
            Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !stream.isOpen());
        }
    }

    @Test
    void whatIsNoFeedIsAnErrorAtOnce() {
        try (HttpServer server = server()) {
            HttpFetch fetch = fetch(server.url(), 5000);
            assertFails(ErrorCode.NOT_AUTHORISED, () -> fetch.events("/refused"));
            assertFails(ErrorCode.NOT_FOUND, () -> fetch.events("/nothing"));
            assertFails(ErrorCode.UNREACHABLE, () -> fetch.events("/json"));
        }
    }

    @Test
    void aServerThatFallsSilentBreaksOffOrNeverEndsALineIsGivenUp() throws Exception {
        try (Hostile silent = new Hostile(HEAD, 0); EventFeed feed = fetch(silent.url(), 500).events("/")) {
            assertFails(ErrorCode.UNREACHABLE, feed::next);
        }
        String broken = HEAD.replace("Connection: close", "Transfer-Encoding: chunked") + "10\r\ndata";
        try (Hostile breaking = new Hostile(broken, -1); EventFeed feed = fetch(breaking.url(), 5000).events("/")) {
            assertFails(ErrorCode.UNREACHABLE, feed::next);
        }
        try (Hostile endless = new Hostile(HEAD + "data:", Integer.MAX_VALUE); EventFeed feed = fetch(endless.url(), 5000).events("/")) {
            assertFails(ErrorCode.TOO_LARGE, feed::next);
        }
    }

    @Test
    @Tag("long")
    void aListenerThatDoesNotReadHoldsTheServerBackInsteadOfItsOwnMemory() throws Exception {
        try (Hostile flood = new Hostile(HEAD, 1 << 30); EventFeed feed = fetch(flood.url(), 5000).events("/")) {
            AtomicLong before = new AtomicLong();
            Awaitility.await("it stands still").pollInterval(Duration.ofMillis(500)).atMost(Duration.ofSeconds(20))
                    .until(() -> flood.sent > 0 && before.getAndSet(flood.sent) == flood.sent);
            assertThat(flood.sent).isLessThan(64 << 20);
            assertThat(feed).isNotNull();
        }
    }

    @Test
    void theStandardsExamplesAreReadWhereverTheyAreCut() throws Exception {
        String text = "\uFEFF: test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\r\n\r\nevent: add\r"
                + "data: 73857293\r\rdata\n\ndata\ndata\n\nevent: none\n\nretry: 5\nunknown: x\ndata: é:é\n\ndata: never ended";
        List<Event> expected = List.of(new Event("message", "first event"), new Event("message", "second event"),
                new Event("message", " third event"), new Event("add", "73857293"), new Event("message", ""), new Event("message", "\n"),
                new Event("message", "é:é"));
        byte[] octets = text.getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= octets.length; cut++) {
            EventParser parser = new EventParser();
            parser.feed(ByteBuffer.wrap(octets, 0, cut));
            parser.feed(ByteBuffer.wrap(octets, cut, octets.length - cut));
            List<Event> events = new ArrayList<>();
            for (Event event = parser.poll(); event != null; event = parser.poll()) {
                events.add(event);
            }
            assertThat(events).as("cut at %d", cut).isEqualTo(expected);
        }
    }

    @Test
    void commentsOfAnyNumberCostNothingAndEventsOfAnyLengthDo() throws Exception {
        EventParser parser = new EventParser();
        byte[] comment = (":" + "x".repeat(999) + "\n").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 200; i++) {
            parser.feed(ByteBuffer.wrap(comment));
        }
        byte[] line = ("data:" + "x".repeat(999) + "\n").getBytes(StandardCharsets.US_ASCII);
        assertThatExceptionOfType(BoundedBody.TooLong.class).isThrownBy(() -> {
            for (int i = 0; i < 200; i++) {
                parser.feed(ByteBuffer.wrap(line));
            }
        });
    }

    /** Answers every request with the same octets and then with more of them, or with the end. */
    private static final class Hostile implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final Thread thread;
        private volatile long sent;

        /** @param more octets that follow; -1 to end the connection instead */
        Hostile(String answer, int more) throws IOException {
            thread = new Thread(() -> serve(answer, more));
            thread.start();
        }

        String url() {
            return "http://127.0.0.1:" + listening.getLocalPort();
        }

        private void serve(String answer, int more) {
            try (Socket socket = listening.accept()) {
                socket.getInputStream().read(new byte[4096]);
                OutputStream out = socket.getOutputStream();
                out.write(answer.getBytes(StandardCharsets.US_ASCII));
                byte[] block = "data: x\n\n".repeat(1000).replace(more == Integer.MAX_VALUE ? "\n" : "?", "-").getBytes(StandardCharsets.US_ASCII);
                while (sent < more) {
                    out.write(block);
                    sent += block.length;
                }
                while (more >= 0 && socket.getInputStream().read() >= 0) {
                    // Waits for the other side to leave.
                }
            } catch (SocketException e) {
                // The other side has had enough.
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            listening.close();
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> !thread.isAlive());
        }
    }
}
