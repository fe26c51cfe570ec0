package org.tamanoir.http.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.http.fetch.HttpFetch.Download;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.http.fetch.HttpFetch.Read;

class HttpFetchTest {
    @TempDir
    private Path directory;
    private HttpServer server;
    private HttpFetch fetch;

    @BeforeEach
    void start() throws IOException {
        Path uploads = Files.createDirectory(directory.resolve("uploads"));
        server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
                .route("GET", "/things/{name}", r -> Response.json(Map.of("name", r.parameter("name"))))
                .route("GET", "/tagged", r -> Response.text("content").etag("t"))
                .route("GET", "/packed/{octets}", r -> Response.bytes(200, "text/plain", packed(new byte[Integer.parseInt(r.parameter("octets"))])).etag("p").header("Content-Encoding", "gzip"))
                .route("GET", "/half", r -> Response.bytes(200, "text/plain", Arrays.copyOf(packed(new byte[500]), 20)).header("Content-Encoding", "gzip"))
                .route("GET", "/refused", r -> {
                    throw new AnepException(ErrorCode.VERSION_EXISTS, "published already");
                })
                .route("POST", "/says", r -> Response.json(409, Map.of("code", "EE-404", "message", r.json(Map.class).get("text"))))
                .route("GET", "/escapes", r -> Response.bytes(500, "text/plain", "a\n12:00 WARN forged\u001b[2J\u009b\u202e".getBytes(StandardCharsets.UTF_8)))
                .route("GET", "/html", r -> Response.bytes(404, "text/html", "<html>gone".getBytes(StandardCharsets.UTF_8)))
                .route("DELETE", "/things/{name}", r -> Response.empty())
                .route("POST", "/things", r -> Response.json(r.json(Map.class)))
                .route(Route.of("PUT", "/upload", r -> Response.json(Map.of("size", Files.size(r.file())))).uploads(uploads, 1_000_000))
                .route(Route.of("PUT", "/guarded", r -> Response.empty()).guarded(TokenCheck.always("t")).uploads(uploads, 99_000_000))
                .start();
        fetch = HttpFetch.of(server.url() + "/", ErrorCode.REPOSITORY_UNREACHABLE).timeout(Duration.ofSeconds(10));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void assertFails(ErrorCode code, Runnable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call::run).extracting(AnepException::code).isEqualTo(code);
    }

    @Test
    void answersAndErrorsCrossTheWireAsTheyAre() {
        assertThat(fetch.json("/things/" + HttpFetch.segment("a b+ü%")).path("name").asText()).isEqualTo("a b+ü%");
        assertThat(fetch.post("/things", Map.of("k", 7)).path("k").asInt()).isEqualTo(7);
        assertThat(fetch.delete("/things/x").isMissingNode()).isTrue();
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.json("/refused")).withMessage("EE-404 published already");
        assertFails(ErrorCode.NOT_FOUND, () -> fetch.json("/html"));
        assertFails(ErrorCode.REPOSITORY_UNREACHABLE, () -> fetch.json("/tagged"));
    }

    /** What a server says may be printed: it neither moves the cursor nor writes another line. */
    @Test
    void noTextOfAServerHasWhatATerminalObeys() {
        String bad = "a\n12:00 WARN forged\u001b[2J\u009b\u202e";
        String plain = "a 12:00 WARN forged?[2J??";
        assertThat(fetch.post("/things", Map.of(bad, List.of(Map.of("k", bad))))).isEqualTo(
                new ObjectMapper().valueToTree(Map.of(plain, List.of(Map.of("k", plain)))));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.post("/says", Map.of("text", bad))).withMessage("EE-404 " + plain);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.json("/escapes")).withMessageContaining(plain);
    }

    @Test
    void anUnchangedAnswerIsNotFetchedAgain() {
        Fetched first = fetch.ifChanged("/tagged", null, 100);
        assertThat(first.body()).hasValueSatisfying(body -> assertThat(body).asString().isEqualTo("content"));
        assertThat(fetch.ifChanged("/tagged", first.etag(), 100).body()).isEmpty();
    }

    private static byte[] packed(byte[] octets) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(octets);
        }
        return out.toByteArray();
    }

    private static int length(InputStream in) {
        try {
            return in.readAllBytes().length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A hundred octets may have been a million. */
    @Test
    void whatIsPackedIsUnpackedUpToEightTimesWhatMayCome() {
        Read<Integer> first = fetch.readIfChanged("/packed/800", null, 100, HttpFetchTest::length);
        assertThat(first).isEqualTo(new Read<>(Optional.of(800), "\"p\""));
        assertThat(fetch.readIfChanged("/packed/800", first.etag(), 100, HttpFetchTest::length).value()).isEmpty();
        assertFails(ErrorCode.TOO_LARGE, () -> fetch.readIfChanged("/packed/801", null, 100, HttpFetchTest::length));
        assertFails(ErrorCode.TOO_LARGE, () -> fetch.readIfChanged("/packed/1000000", null, 100, HttpFetchTest::length));
        assertThatExceptionOfType(UncheckedIOException.class).as("the reader's own").isThrownBy(() -> fetch.readIfChanged("/half", null, 100, HttpFetchTest::length));
        assertThat(fetch.readIfChanged("/tagged", null, 100, HttpFetchTest::length).value()).as("not packed").contains(7);
    }

    @Test
    void moreThanAllowedIsRefusedAndNoFileStays() throws IOException {
        Path file = directory.resolve("file");
        Download download = fetch.toFile("/tagged", file, 7);
        assertThat(download).isEqualTo(new Download(7, "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"));
        assertThat(file).hasContent("content");
        assertFails(ErrorCode.TOO_LARGE, () -> fetch.toFile("/tagged", file, 6));
        assertThat(file).doesNotExist();
        assertFails(ErrorCode.STORAGE, () -> fetch.toFile("/tagged", directory.resolve("no/such/place"), 7));
    }

    @Test
    void aRefusedUploadIsToldWhyAlthoughItWasStillSending() throws IOException {
        Path large = Files.write(directory.resolve("large"), new byte[30_000_000]);
        assertFails(ErrorCode.TOO_LARGE, () -> fetch.put("/upload", large));
        assertFails(ErrorCode.NOT_AUTHORISED, () -> fetch.put("/guarded", large));
        assertThat(fetch.token("t").put("/guarded", large).isMissingNode()).isTrue();
        assertFails(ErrorCode.NOT_FOUND, () -> fetch.put("/upload", directory.resolve("missing")));
    }

    @Test
    void whoeverIsNotThereHasTheCodeOfTheCaller() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        assertFails(ErrorCode.UNREACHABLE, () -> HttpFetch.of("http://127.0.0.1:" + free, ErrorCode.UNREACHABLE).json("/"));
        assertFails(ErrorCode.BAD_REQUEST, () -> HttpFetch.of("ftp://127.0.0.1", ErrorCode.UNREACHABLE));
    }

    @Test
    void anAnswerThatDripsEndsWithTheTimeOut() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread dripper = new Thread(() -> drip(socket));
            dripper.start();
            HttpFetch slow = HttpFetch.of("http://127.0.0.1:" + socket.getLocalPort(), ErrorCode.REPOSITORY_UNREACHABLE)
                    .timeout(Duration.ofMillis(700));
            long start = System.nanoTime();
            assertFails(ErrorCode.REPOSITORY_UNREACHABLE, () -> slow.toFile("/x", directory.resolve("x"), 1_000_000));
            assertThat(System.nanoTime() - start).isBetween(600_000_000L, 8_000_000_000L);
            assertThat(directory.resolve("x")).doesNotExist();
            dripper.join(5_000);
            assertThat(dripper.isAlive()).as("the connection is given up").isFalse();
        }
    }

    /** Sends a good header, then one octet every 50 ms until the other side goes away. */
    private static void drip(ServerSocket socket) {
        try (Socket peer = socket.accept(); OutputStream out = peer.getOutputStream(); InputStream in = peer.getInputStream()) {
            in.read(new byte[4096]);
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 200; i++) {
                out.write('x');
                Thread.sleep(50);
            }
            throw new IllegalStateException("nobody went away");
        } catch (IOException e) {
            assertThat(e).isNotNull();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void hostAndPortAreEnough() {
        assertThat(HttpFetch.of(server.url().substring("http://".length()), ErrorCode.UNREACHABLE).json("/things/a").path("name").asText()).isEqualTo("a");
        assertThat(HttpFetch.of("[::1]:3380", ErrorCode.UNREACHABLE).base()).hasToString("http://[::1]:3380");
        for (String bad : List.of("not a url", "127.0.0.1", "ftp://127.0.0.1:1", ":80", "a:b")) {
            assertFails(ErrorCode.BAD_REQUEST, () -> HttpFetch.of(bad, ErrorCode.UNREACHABLE));
        }
    }

    /** The port of streams answers with an error packet: octets that would change the reader's terminal. */
    @Test
    void whatSpeaksNoHttpIsSaidInWordsAlone() throws Exception {
        try (ServerSocket streams = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> {
                try (Socket peer = streams.accept()) {
                    // To the last octet: closing over what was not read would take the answer with it.
                    BufferedReader request = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.US_ASCII));
                    while (!request.readLine().isEmpty()) {
                        continue;
                    }
                    peer.getOutputStream().write(new byte[] {1, 2, 0, 27, '[', '3', '1', 'm', 7, '\r', '\n', '\r', '\n'});
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            answering.start();
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> HttpFetch.of("127.0.0.1:" + streams.getLocalPort(), ErrorCode.UNREACHABLE).json("/status"))
                    .withMessageContaining("speaks no HTTP").withMessageNotContaining("\u001b").withMessageNotContaining("\u0000");
            answering.join();
        }
    }
}
