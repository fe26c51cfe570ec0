package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Bodies that are taken as they arrive, answers that come bit by bit, and paths of any depth. */
class StreamedTest {
    private final AtomicInteger open = new AtomicInteger();
    private final HttpServer server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
            .route(Route.of("PUT", "/sum/{path*}", request -> Response.text(request.parameter("path") + " " + request.taker(Sum.class).sum)).taking(this::sum))
            .route(Route.of("GET", "/bits", request -> Response.text(202, "text/plain", stream -> {
                stream.text("one\n");
                stream.text("two\n");
                stream.close();
            })))
            .route(Route.of("GET", "/{path*}", request -> Response.text("'" + request.parameter("path") + "'")))
            .start();

    @AfterEach
    void stop() {
        server.close();
        assertThat(open).hasValue(0);
    }

    private final class Sum implements BodyTaker {
        private long sum;
        private boolean closed;

        @Override
        public void take(ByteBuffer piece) {
            while (piece.hasRemaining()) {
                int octet = piece.get();
                if (octet == '!') {
                    throw new AnepException(ErrorCode.STORAGE, "that is too much");
                }
                sum += octet;
            }
        }

        @Override
        public void close() {
            if (!closed) {
                open.decrementAndGet();
            }
            closed = true;
        }
    }

    private Sum sum(Request request) {
        if (request.header("Refuse").isPresent()) {
            throw new AnepException(ErrorCode.NOT_AUTHORISED, "not you");
        }
        open.incrementAndGet();
        return new Sum();
    }

    @Test
    void aBodyOfAnySizeIsTakenPieceByPiece() throws IOException {
        String body = "a".repeat(3_000_000);
        assertThat(Raw.ask(server, "PUT /sum/x/y HTTP/1.1\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)).startsWith("HTTP/1.1 200").endsWith("x/y " + 97 * 3_000_000);
        assertThat(Raw.ask(server, "PUT /sum/ HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\naa\r\n1\r\nb\r\n0\r\n\r\n")).endsWith(" " + (97 + 97 + 98));
        assertThat(Raw.ask(server, "PUT /sum/ HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")).endsWith(" 0");
        await().atMost(Duration.ofSeconds(20)).until(() -> open.get() == 0);
    }

    @Test
    void whoeverIsRefusedIsToldBeforeTheBodyAndWhatCannotBeTakenEndsIt() throws IOException {
        try (Raw raw = new Raw(server)) {
            assertThat(raw.send("PUT /sum/x HTTP/1.1\r\nExpect: 100-continue\r\nRefuse: yes\r\nContent-Length: 9\r\n\r\n").readUntil("\r\n\r\n")).startsWith("HTTP/1.1 401");
        }
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /sum/x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
            assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100");
            assertThat(raw.send("abc!").readUntil("\r\n\r\n")).startsWith("HTTP/1.1 507");
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> open.get() == 0);
    }

    @Test
    void whoeverHangsUpInTheMiddleLeavesNothingOpen() throws IOException {
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /sum/x HTTP/1.1\r\nContent-Length: 9000000\r\n\r\nabc");
            await().atMost(Duration.ofSeconds(20)).until(() -> open.get() == 1);
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> open.get() == 0);
    }

    @Test
    void anAnswerComesBitByBit() throws IOException {
        assertThat(Raw.ask(server, Raw.get("/bits"))).startsWith("HTTP/1.1 202").contains("one\n").contains("two\n").endsWith("0\r\n\r\n");
    }

    @Test
    void theRestOfAPathIsWithoutEmptyAndWithoutClimbingSegments() throws IOException {
        assertThat(Raw.ask(server, Raw.get("/"))).endsWith("''");
        assertThat(Raw.ask(server, Raw.get("//a///b%20c/"))).endsWith("'a/b c'");
        assertThat(Raw.ask(server, Raw.get("/a/../b"))).startsWith("HTTP/1.1 400");
        assertThat(Raw.ask(server, Raw.get("/a/%2e%2e/b"))).startsWith("HTTP/1.1 400");
        assertThat(Raw.ask(server, Raw.get("/a%2fb"))).startsWith("HTTP/1.1 400");
    }
}
