package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer that means ill, or a broken one, gets; and that nobody else notices. */
@Tag("long")
class HostilePeerTest {
    private static final HttpLimits LIMITS = HttpLimits.DEFAULTS.withTimes(Duration.ofMillis(600), Duration.ofMillis(300), Duration.ofMillis(500))
            .withConnections(64, 20).withBody(1_000, 1_000_000);

    @TempDir
    private Path directory;
    private Path uploads;
    private final AtomicInteger handled = new AtomicInteger();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        uploads = directory.resolve("uploads");
        Path large = directory.resolve("large");
        try (RandomAccessFile sparse = new RandomAccessFile(large.toFile(), "rw")) {
            sparse.setLength(40_000_000);
        }
        Files.createDirectory(uploads);
        server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).limits(LIMITS)
                .route("GET", "/slow", r -> {
                    Thread.sleep(200);
                    return Response.empty();
                })
                .route("GET", "/health", r -> Response.text("well"))
                .route("GET", "/files/{name}", r -> Response.text("file " + r.parameter("name")))
                .route("GET", "/large", r -> Response.file(large, "application/octet-stream"))
                .route("POST", "/body", r -> Response.text(handled.incrementAndGet() + ":" + r.body().length))
                .route(Route.of("POST", "/wide", r -> Response.text(handled.incrementAndGet() + ":" + r.body().length)).body(12_000))
                .route(Route.of("PUT", "/upload", r -> Response.text("ok " + handled.incrementAndGet())).uploads(uploads, 100_000))
                .route(Route.of("PUT", "/guarded", r -> Response.text("ok " + handled.incrementAndGet()))
                        .guarded(TokenCheck.always("t0k")).uploads(uploads, 100_000))
                .start();
    }

    /** Patient, because the machine may be busy, and quick to see that it need not be. */
    private static ConditionFactory await() {
        return Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(20));
    }

    @AfterEach
    void othersAreServedAndNothingIsLeft() throws IOException {
        assertThat(Raw.ask(server, Raw.get("/health"))).endsWith("well");
        await().until(() -> server.connections() == 0);
        await().untilAsserted(() -> assertThat(uploads).isEmptyDirectory());
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/files/..%2f..%2fetc%2fpasswd", "/files/%2e%2e", "/files/..", "/files/a%5cb", "/files/a%00b", "/files/%zz",
        "/files/%2F"})
    void aPathCannotClimb(String path) throws IOException {
        assertThat(Raw.ask(server, Raw.get(path))).startsWith("HTTP/1.1 400 ").contains("EE-408");
    }

    @Test
    void whatIsTooLongIsRefusedBeforeItIsAllRead() throws IOException {
        assertThat(Raw.ask(server, "GET /" + "a".repeat(5_000) + " HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 414 ");
        assertThat(Raw.ask(server, "GET / HTTP/1.1\r\nA: " + "a".repeat(17 << 10))).startsWith("HTTP/1.1 431 ");
        assertThat(Raw.ask(server, "GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(5_000))).startsWith("HTTP/1.1 431 ");
        assertThat(Raw.ask(server, "POST /body HTTP/1.1\r\nContent-Length: 1001\r\n\r\n")).startsWith("HTTP/1.1 413 ").contains("EE-405");
        assertThat(Raw.ask(server, "POST /body HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n")).startsWith("HTTP/1.1 4");
        String chunk = "64\r\n" + "x".repeat(100) + "\r\n";
        assertThat(Raw.ask(server, "POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(11)))
                .startsWith("HTTP/1.1 413 ");
        assertThat(Raw.ask(server, "PUT /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(1_001) + "0\r\n\r\n"))
                .startsWith("HTTP/1.1 413 ");
        assertThat(handled).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0016\u0003\u0001\u0002\u0000 this is TLS\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nBad Name: x\r\n\r\n",
        "POST /body HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "POST /body HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n", "GET * HTTP/1.1\r\n\r\n"})
    void whatIsNoRequestIsAnswered400AndClosed(String octets) throws IOException {
        assertThat(Raw.ask(server, octets)).startsWith("HTTP/1.1 400 ").contains("EE-408");
        assertThat(handled).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /hea", "GET /health HTTP/1.1\r\nHost: x\r\n"})
    void halfARequestIsClosedWhenItsTimeIsOver(String half) throws IOException {
        long start = System.nanoTime();
        assertThat(Raw.ask(server, half)).isEmpty();
        assertThat(System.nanoTime() - start).isBetween(500_000_000L, 8_000_000_000L);
    }

    @Test
    void aHeaderThatTricklesGetsNoMoreTimeThanOneThatStops() throws Exception {
        try (Raw raw = new Raw(server)) {
            raw.send("GET /health HTTP/1.1\r\n");
            await().until(() -> server.connections() == 1);
            long start = System.nanoTime();
            Awaitility.await().pollInterval(Duration.ofMillis(50)).atMost(Duration.ofSeconds(8)).until(() -> {
                boolean closed = server.connections() == 0;
                if (!closed) {
                    trickle(raw);
                }
                return closed;
            });
            assertThat(System.nanoTime() - start).isGreaterThan(400_000_000L);
        }
    }

    /** One more field; the server may close at any moment. */
    private static void trickle(Raw raw) {
        try {
            raw.send("A: b\r\n");
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
        }
    }

    @Test
    void aBodyThatCrawlsIsAnswered408AndItsFileRemoved() throws Exception {
        for (String path : new String[] {"POST /body", "PUT /upload"}) {
            try (Raw raw = new Raw(server)) {
                raw.send(path + " HTTP/1.1\r\nContent-Length: 900\r\n\r\nx");
                assertThat(raw.readAll()).startsWith("HTTP/1.1 408 ");
            }
        }
        assertThat(handled).hasValue(0);
    }

    @Test
    void whoIsRefusedWhileItSendsCanSendOnAndReadWhy() throws IOException {
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /upload HTTP/1.1\r\nContent-Length: 20000000\r\n\r\n").send(new byte[20_000_000]);
            assertThat(raw.readAll()).startsWith("HTTP/1.1 413 ").endsWith("}");
        }
    }

    @Test
    void anUploadThatBreaksOffLeavesNothing() throws IOException {
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /upload HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(50_000));
            await().until(() -> uploads.toFile().list().length == 1);
        }
        assertThat(handled).hasValue(0);
    }

    @Test
    void withoutATokenNotAnOctetOfTheBodyIsKept() throws IOException {
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /guarded HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(50_000));
            assertThat(raw.readUntil("\r\n\r\n").toLowerCase()).startsWith("http/1.1 401 ").contains("www-authenticate: bearer");
            assertThat(uploads).isEmptyDirectory();
        }
        assertThat(Raw.ask(server, "PUT /guarded HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer t0k\r\nContent-Length: 1\r\n\r\nx"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void thousandsOfTinyChunksThatWaitTogetherAreTakenOneAfterTheOther() throws IOException {
        try (Raw raw = new Raw(server)) {
            // The server reads more at a time from a connection that has brought much.
            for (int i = 1; i <= 10; i++) {
                raw.send("POST /wide HTTP/1.1\r\nContent-Length: 12000\r\n\r\n" + "x".repeat(12_000));
                raw.readUntil("\r\n\r\n" + i + ":12000");
            }
            String tiny = "1\r\nx\r\n".repeat(10_000);
            raw.send("GET /slow HTTP/1.1\r\n\r\nPOST /wide HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + tiny + "0\r\n\r\n");
            raw.readUntil("11:10000");
        }
        String wide = "00000001\r\nx\r\n".repeat(90_000) + "0\r\n\r\n";
        assertThat(Raw.ask(server, "PUT /upload HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + wide))
                .endsWith("ok 12");
    }

    @Test
    void bodiesTogetherHoldNoMoreMemoryThanAllowed() throws IOException {
        String request = "POST /body HTTP/1.1\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" + "x".repeat(1_000);
        try (HttpServer patient = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).limits(HttpLimits.DEFAULTS.withBody(1_000, 2_500))
                .route("POST", "/body", r -> Response.empty()).start();
                Raw first = new Raw(patient); Raw second = new Raw(patient)) {
            for (Raw holder : List.of(first, second)) {
                holder.send("POST /body HTTP/1.1\r\nContent-Length: 1000\r\n\r\n" + "x".repeat(999));
            }
            // Asked too soon, the question itself takes the room of a holder whose octets are still on their way.
            Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> Raw.ask(patient, request).startsWith("HTTP/1.1 503 "));
            for (Raw holder : List.of(first, second)) {
                assertThat(holder.send("x").readUntil("\r\n\r\n")).startsWith("HTTP/1.1 204 ");
            }
            assertThat(Raw.ask(patient, request)).startsWith("HTTP/1.1 204 ");
        }
    }

    @Test
    void onePeerCannotTakeAllConnections() throws IOException {
        List<Raw> taken = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                taken.add(new Raw(server));
            }
            await().until(() -> server.connections() == 20);
            try (Raw another = new Raw(server)) {
                assertThat(another.readAll()).startsWith("HTTP/1.1 503 ").contains("EE-410");
            }
        } finally {
            for (Raw raw : taken) {
                raw.close();
            }
        }
        await().until(() -> server.connections() == 0);
    }

    @Test
    void whoDoesNotReadItsAnswerIsCutOff() throws Exception {
        try (Raw raw = new Raw(server)) {
            raw.send(Raw.get("/large"));
            raw.readUntil("\r\n\r\n");
            await().until(() -> server.connections() == 0);
            assertThat(raw.readAll().length()).isLessThan(40_000_000);
        }
    }

    /** Whatever is said, the server answers in HTTP or not at all, serves others meanwhile, and keeps no connection in the end. */
    @Test
    void aHundredRandomConversationsEndEach() throws IOException {
        Random random = new Random(42);
        String[] words = {"GET ", "POST /body", " HTTP/1.1", "\r\n", "\r\n\r\n", "Content-Length: 5", "Transfer-Encoding: chunked", "5\r\n", "0", ":",
            "\u0000", "%", "?", " ", "HTTP/1.0", "Expect: 100-continue", "Connection: close", "PUT /upload"};
        for (int i = 0; i < 100; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(12); n >= 0; n--) {
                text.append(words[random.nextInt(words.length)]);
            }
            try (Raw raw = new Raw(server)) {
                raw.send(text.toString());
                if (i % 10 == 0) {
                    assertThat(raw.readAll()).as("the answer to %s", text).matches("(?s)|HTTP/1\\.1 [1-5]\\d\\d .*");
                    assertThat(Raw.ask(server, Raw.get("/health"))).as("another peer's answer meanwhile").endsWith("well");
                }
            }
        }
        await().until(() -> server.connections() == 0);
    }
}
