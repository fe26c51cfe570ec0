package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.oci.FakeRegistry.status;
import static org.tamanoir.oci.Registries.failure;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;

/** Whatever a registry answers, a bundle is what its SHA-256 says, or is not there. */
@Tag("long")
@Timeout(60)
class ALyingRegistryTest {
    private static final byte[] BLOB = Registries.octets(300_000, 1);
    private static final String ANY_BLOB = "GET .*/blobs/.*";

    @TempDir
    private Path directory;
    private FakeRegistry fake;
    private Registry registry;
    private String sha256;
    private Path file;

    @BeforeEach
    void start() throws IOException {
        fake = new FakeRegistry();
        sha256 = fake.put(BLOB);
        registry = new Registry(Registries.impatient());
        file = directory.resolve("fetched");
    }

    @AfterEach
    void stop() {
        fake.close();
    }

    private void fetch() {
        registry.fetch(fake.location(), sha256, BLOB.length, file);
    }

    private void assertFetched() throws IOException {
        fetch();
        assertThat(Files.readAllBytes(file)).isEqualTo(BLOB);
    }

    /** So many octets of a body that is said to be longer, and the connection is cut. */
    private static void cut(HttpExchange exchange, int status, byte[] body, int from, int octets) throws IOException {
        exchange.sendResponseHeaders(status, body.length - from);
        exchange.getResponseBody().write(body, from, octets);
        exchange.getResponseBody().flush();
    }

    @Test
    void aBundleIsFetchedByItsContentAlone() throws Exception {
        assertFetched();
        assertThat(fake.requests).containsExactly("GET /v2/grid/meter/blobs/sha256:" + sha256);
        registry.verify(fake.location(), sha256, BLOB.length);
        assertThat(registry.has(fake.location(), sha256, BLOB.length)).isTrue();
        assertThat(registry.has(fake.location(), sha256, BLOB.length + 1)).isFalse();
        assertThat(registry.has(fake.location(), "0".repeat(64), BLOB.length)).isFalse();
    }

    @Test
    void otherContentIsRefused() {
        byte[] other = BLOB.clone();
        other[BLOB.length - 1] ^= 1;
        fake.blobs.put("sha256:" + sha256, other);
        fake.lie(ANY_BLOB, exchange -> FakeRegistry.reply(exchange, 200, other));
        assertThat(failure(ErrorCode.REGISTRY_ANSWER, this::fetch)).hasMessageContaining("its content is sha256:");
        failure(ErrorCode.REGISTRY_ANSWER, () -> registry.verify(fake.location(), sha256, BLOB.length));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 299_999, 300_001, 900_000})
    void anotherLengthIsRefused(int length) throws Exception {
        byte[] other = Arrays.copyOf(BLOB, length);
        fake.lie(ANY_BLOB, exchange -> FakeRegistry.reply(exchange, 200, other));
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
        // The same without a word of how long it is.
        fake.lie(ANY_BLOB, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(other);
        });
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
        assertThat(Files.size(file)).isLessThanOrEqualTo(BLOB.length);
    }

    @Test
    void aBodyWithoutEndEndsAtTheSizeThatIsKnown() throws Exception {
        fake.lie(ANY_BLOB, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            for (int i = 0; i < 100_000; i++) {
                exchange.getResponseBody().write(BLOB);
            }
        });
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
        assertThat(Files.size(file)).isLessThanOrEqualTo(BLOB.length);
    }

    @Test
    void anotherDigestInTheHeaderIsRefusedBeforeTheBody() throws Exception {
        fake.lie(ANY_BLOB, status(200, "x".repeat(BLOB.length), "Docker-Content-Digest", "sha256:" + "0".repeat(64)));
        assertThat(failure(ErrorCode.REGISTRY_ANSWER, this::fetch)).hasMessageContaining("0".repeat(64));
        assertThat(Files.size(file)).isZero();
    }

    @Test
    void afterACutTheRestIsAskedFor() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        fake.lie(ANY_BLOB, exchange -> {
            switch (asked.getAndIncrement()) {
                case 0 -> cut(exchange, 200, BLOB, 0, 100_000);
                case 1 -> {
                    assertThat(exchange.getRequestHeaders().getFirst("Range")).matches("bytes=\\d+-");
                    int from = Integer.parseInt(exchange.getRequestHeaders().getFirst("Range").replaceAll("\\D", ""));
                    exchange.getResponseHeaders().add("Content-Range", "bytes " + from + "-" + (BLOB.length - 1) + "/" + BLOB.length);
                    cut(exchange, 206, BLOB, from, 50_000);
                }
                default -> fake.answer(exchange);
            }
        });
        assertFetched();
        assertThat(fake.requests).hasSize(3);
    }

    @Test
    void whoKnowsNoRangesSendsItAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        fake.lie(ANY_BLOB, exchange -> {
            if (asked.getAndIncrement() == 0) {
                cut(exchange, 200, BLOB, 0, 100_000);
            } else {
                FakeRegistry.reply(exchange, 200, BLOB);
            }
        });
        assertFetched();
    }

    @Test
    void whoForgetsWhatItBeganIsAskedFromTheStart() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        fake.lie(ANY_BLOB, exchange -> {
            switch (asked.getAndIncrement()) {
                case 0 -> cut(exchange, 200, BLOB, 0, 100_000);
                case 1 -> FakeRegistry.reply(exchange, 416, new byte[0]);
                default -> fake.answer(exchange);
            }
        });
        assertFetched();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes 0-299999/300000", "bytes 99-299999/300000", "lines 1-2", ""})
    void anotherPartThanWasAskedForIsRefused(String range) {
        AtomicInteger asked = new AtomicInteger();
        fake.lie(ANY_BLOB, exchange -> {
            if (asked.getAndIncrement() == 0) {
                cut(exchange, 200, BLOB, 0, 100_000);
            } else {
                exchange.getResponseHeaders().add("Content-Range", range);
                FakeRegistry.reply(exchange, 206, BLOB);
            }
        });
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
    }

    @Test
    void otherContentAfterACutIsRefused() {
        AtomicInteger asked = new AtomicInteger();
        fake.lie(ANY_BLOB, exchange -> {
            if (asked.getAndIncrement() == 0) {
                cut(exchange, 200, BLOB, 0, 100_000);
                return;
            }
            int from = Integer.parseInt(exchange.getRequestHeaders().getFirst("Range").replaceAll("\\D", ""));
            exchange.getResponseHeaders().add("Content-Range", "bytes " + from + "-" + (BLOB.length - 1) + "/" + BLOB.length);
            FakeRegistry.reply(exchange, 206, new byte[BLOB.length - from]);
        });
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
    }

    @Test
    void oneThatAlwaysCutsIsGivenUp() {
        fake.lie(ANY_BLOB, exchange -> cut(exchange, 200, BLOB, 0, 0));
        failure(ErrorCode.REGISTRY_AWAY, this::fetch);
        assertThat(fake.requests).hasSize(3);
    }

    @Test
    void oneThatFallsSilentIsGivenUpSoon() {
        fake.lie(ANY_BLOB, exchange -> {
            exchange.sendResponseHeaders(200, BLOB.length);
            exchange.getResponseBody().write(BLOB, 0, 100_000);
            exchange.getResponseBody().flush();
            sleep(Duration.ofSeconds(30));
        });
        registry = new Registry(Registries.impatient().withTimes(Duration.ofSeconds(20), Duration.ofMillis(300)));
        long start = System.nanoTime();
        assertThat(failure(ErrorCode.REGISTRY_AWAY, this::fetch)).hasMessageContaining("silent");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void oneThatSendsAnOctetNowAndThenHasItsTimeAndNoMore() {
        fake.lie(ANY_BLOB, exchange -> {
            exchange.sendResponseHeaders(200, BLOB.length);
            for (int i = 0; i < 100; i++) {
                exchange.getResponseBody().write(BLOB, i, 1);
                exchange.getResponseBody().flush();
                sleep(Duration.ofMillis(200));
            }
        });
        registry = new Registry(Registries.impatient().withTimes(Duration.ofMillis(1500), Duration.ofMillis(500)));
        long start = System.nanoTime();
        failure(ErrorCode.REGISTRY_AWAY, this::fetch);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void nobodyThereIsAway() {
        Location nowhere = fake.location();
        fake.close();
        assertThat(failure(ErrorCode.REGISTRY_AWAY, () -> registry.has(nowhere, sha256, 1))).hasMessageContaining("cannot be reached");
    }

    @ParameterizedTest
    @CsvSource({"400, REGISTRY_REJECTS", "401, REGISTRY_DENIES", "403, REGISTRY_DENIES", "404, REGISTRY_LACKS", "405, REGISTRY_REJECTS", "413, REGISTRY_REJECTS", "429, REGISTRY_AWAY", "500, REGISTRY_AWAY",
        "503, REGISTRY_AWAY", "507, REGISTRY_AWAY", "204, REGISTRY_ANSWER", "206, REGISTRY_ANSWER", "304, REGISTRY_ANSWER"})
    void eachStatusHasItsMeaningAndTheRegistrysWords(int status, ErrorCode code) {
        fake.lie(ANY_BLOB, status(status, status == 204 || status == 304 ? "" : "{\"errors\":[{\"code\":\"SOME_CODE\",\"message\":\"some\\u001b words\\nforged\"}]}"));
        AnepException error = failure(code, this::fetch);
        if (status == 401) {
            assertThat(error).hasMessageContaining("does not say what it wants to see");
        } else if (status > 400) {
            assertThat(error.getMessage()).contains(" answers " + status + ": SOME_CODE some? words forged");
        }
    }

    @Test
    void whatARegistrySaysOfAFailureHasABound() {
        fake.lie(ANY_BLOB, status(404, "{\"errors\":[" + "{\"code\":\"A\",\"message\":\"" + "x".repeat(500) + "\"}," + "{},".repeat(10_000) + "{}]}"));
        assertThat(failure(ErrorCode.REGISTRY_LACKS, this::fetch).getMessage()).hasSizeLessThan(400);
        fake.lie(ANY_BLOB, status(502, "<html>" + "x".repeat(500_000)));
        failure(ErrorCode.REGISTRY_AWAY, this::fetch);
        fake.lie(ANY_BLOB, status(404, "[".repeat(50_000)));
        failure(ErrorCode.REGISTRY_LACKS, this::fetch);
        fake.lie(ANY_BLOB, exchange -> {
            exchange.sendResponseHeaders(404, 0);
            for (int i = 0; i < 100_000; i++) {
                exchange.getResponseBody().write(BLOB);
            }
        });
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
    }

    @Test
    void aRegistryThatAsksForPatienceIsAskedAgainOrLeftAloneForSoLong() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        HttpHandler busyOnce = exchange -> {
            if (asked.getAndIncrement() == 0) {
                status(429, "{\"errors\":[{\"code\":\"TOOMANYREQUESTS\"}]}", "Retry-After", "1").handle(exchange);
            } else {
                fake.answer(exchange);
            }
        };
        fake.lie(ANY_BLOB, busyOnce);
        long start = System.nanoTime();
        assertFetched();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));

        fake.requests.clear();
        fake.lie(ANY_BLOB, status(429, "", "Retry-After", "77"));
        assertThat(HttpError.retryAfter(failure(ErrorCode.REGISTRY_AWAY, this::fetch))).isEqualTo(77);
        assertThat(fake.requests).hasSize(1);
        fake.lie(ANY_BLOB, status(503, "", "Retry-After", "Fri, 27 Nov 2026 12:00:00 GMT"));
        assertThat(HttpError.retryAfter(failure(ErrorCode.REGISTRY_AWAY, this::fetch))).isEqualTo(2);
        fake.lie(ANY_BLOB, status(503, "", "Retry-After", "999999999"));
        assertThat(HttpError.retryAfter(failure(ErrorCode.REGISTRY_AWAY, this::fetch))).isEqualTo(3600);
    }

    @Test
    void redirectsInACircleEnd() {
        fake.lie("GET .*", status(307, "", "Location", "/v2/grid/meter/blobs/sha256:" + sha256));
        assertThat(failure(ErrorCode.REGISTRY_ANSWER, this::fetch)).hasMessageContaining("from one place to the next");
        assertThat(fake.requests).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://", "::", "ftp://store.example/x", "file:///etc/passwd", "http://user:secret@store.example/x", "gopher:x"})
    void aRedirectToNowhereIsRefused(String to) {
        fake.lie("GET .*", status(302, "", "Location", to));
        fake.lie("GET /", status(302, "", "Location", to));
        assertThat(failure(ErrorCode.REGISTRY_ANSWER, this::fetch).getMessage()).doesNotContain("secret");
        fake.lie("GET .*", status(302, ""));
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
    }

    @Test
    void garbageInPlaceOfHttpIsSaid() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread garbage = new Thread(() -> {
                try {
                    while (true) {
                        try (Socket peer = socket.accept()) {
                            peer.getOutputStream().write("\u0001\u0002 not http\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                        }
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            });
            garbage.setDaemon(true);
            garbage.start();
            Location there = Location.parse("oci://127.0.0.1:" + socket.getLocalPort() + "/grid/meter");
            failure(ErrorCode.REGISTRY_AWAY, () -> registry.has(there, sha256, 1));
        }
    }

    @Test
    void aDiskThatDoesNotTakeItIsSaid() {
        Path nowhere = directory.resolve("missing/file");
        failure(ErrorCode.STORAGE, () -> registry.fetch(fake.location(), sha256, BLOB.length, nowhere));
    }
}
