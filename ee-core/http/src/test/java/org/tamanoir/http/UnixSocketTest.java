package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.HttpFetch;

/** The same server and the same client over a Unix socket. */
class UnixSocketTest {
    @TempDir
    private Path directory;
    private final CompletableFuture<EventStream> listener = new CompletableFuture<>();
    private final byte[] content = new byte[3_000_000];
    private Path socket;
    private HttpServer server;
    private HttpFetch fetch;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(content);
        Path file = Files.write(directory.resolve("file"), content);
        Path uploads = Files.createDirectory(directory.resolve("uploads"));
        socket = directory.resolve("a.sock");
        // What a process that was killed leaves.
        Files.createFile(socket);
        server = HttpServer.at(socket)
                .route("GET", "/who", r -> Response.json(Map.of("user", r.caller().user(), "address", String.valueOf(r.caller().address()))))
                .route("GET", "/file", r -> Response.file(file, "application/octet-stream"))
                .route("GET", "/events", r -> Response.events(listener::complete))
                .route(Route.of("PUT", "/upload", r -> Response.json(Map.of("mismatch", Files.mismatch(r.file(), file)))).uploads(uploads, 4_000_000))
                .start();
        fetch = HttpFetch.of(server.url(), ErrorCode.UNREACHABLE);
    }

    @AfterEach
    void stop() {
        server.close();
        assertThat(socket).doesNotExist();
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.json("/who")).withMessageStartingWith("EE-204");
    }

    @Test
    void theKernelSaysWhoAsksAndNobodyElseCan() throws IOException {
        assertThat(fetch.json("/who").path("user").asText()).isEqualTo(Files.getOwner(Path.of("/proc/self")).getName());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket))).isEqualTo("rw-------");
        assertThat(HttpSocket.isOurs("root")).isTrue();
        assertThat(HttpSocket.isOurs("nobody")).isFalse();
    }

    @Test
    void filesUploadsErrorsAndEventsPass() throws Exception {
        assertThat(fetch.bytes("/file", 4_000_000)).isEqualTo(content);
        assertThat(fetch.put("/upload", directory.resolve("file")).path("mismatch").asInt()).isEqualTo(-1);
        Path large = Files.write(directory.resolve("large"), new byte[5_000_000]);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.put("/upload", large)).extracting(AnepException::code)
                .isEqualTo(ErrorCode.TOO_LARGE);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.bytes("/file", 1_000)).extracting(AnepException::code)
                .isEqualTo(ErrorCode.TOO_LARGE);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> fetch.json("/nothing")).extracting(AnepException::code)
                .isEqualTo(ErrorCode.NOT_FOUND);
        AtomicBoolean gone = new AtomicBoolean();
        try (EventFeed feed = fetch.events("/events")) {
            EventStream stream = listener.get(5, TimeUnit.SECONDS);
            stream.onClose(() -> gone.set(true));
            for (String text : List.of("one", "two")) {
                stream.send("n", text);
                assertThat(feed.next().data()).isEqualTo(text);
            }
        }
        await().untilTrue(gone);
    }

    @Test
    void aPathThatIsTooLongForASocketSaysSo() {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> HttpServer.at(directory.resolve("x".repeat(120))).start())
                .withMessageStartingWith("EE-502").withMessageContaining("longer than the 107 octets");
    }

    /** Whatever listens there: an error with a code, in time, and no thread that waits for ever. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "LONG", "SILENT"})
    void aServerThatLiesIsAnError(String answer) throws Exception {
        Path lying = directory.resolve("lying.sock");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(lying))) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                try (SocketChannel peer = listener.accept()) {
                    peer.read(ByteBuffer.allocate(1000));
                    String text = answer.equals("LONG") ? "HTTP/1.1 200 OK\r\n" + "a: b\r\n".repeat(20_000) : answer;
                    if (answer.equals("SILENT")) {
                        // Until the client has given up.
                        assertThat(peer.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                    } else {
                        peer.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
                    }
                } catch (IOException e) {
                    assertThat(answer).as("whom the client hangs up on").isEqualTo("LONG");
                }
            }, task -> new Thread(task).start());
            HttpFetch hopeful = HttpFetch.of("unix:" + lying, ErrorCode.UNREACHABLE).timeout(Duration.ofSeconds(1));
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> hopeful.bytes("/", 100)).withMessageStartingWith("EE-204");
            served.get(5, TimeUnit.SECONDS);
        }
        await().until(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(thread -> thread.getName().equals("tamanoir-unix-http")));
    }
}
