package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Answers that come when they can. */
class LaterTest {
    private final LinkedBlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();
    private final HttpServer server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).workers(1).route("GET", "/later", request -> {
        CompletableFuture<Response> answer = new CompletableFuture<>();
        waiting.add(answer);
        return Response.later(answer);
    }).route("GET", "/now", request -> Response.text("now")).start();

    @AfterEach
    void stop() {
        server.close();
    }

    private CompletableFuture<Response> next() throws InterruptedException {
        return waiting.poll(30, TimeUnit.SECONDS);
    }

    @Test
    void fiftyWaitAndHoldNoWorker() throws IOException, InterruptedException {
        List<Raw> all = new ArrayList<>();
        List<CompletableFuture<Response>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(new Raw(server).send(Raw.get("/later")));
            answers.add(next());
        }
        assertThat(Raw.ask(server, Raw.get("/now"))).endsWith("now");
        for (int i = 49; i >= 0; i--) {
            answers.get(i).complete(Response.text("answer " + i));
            assertThat(all.get(i).readAll()).startsWith("HTTP/1.1 200").endsWith("answer " + i);
            all.get(i).close();
        }
    }

    @Test
    void whatHasNotChangedIs304() throws IOException, InterruptedException {
        try (Raw raw = new Raw(server).send("GET /later HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"v1\"\r\nConnection: close\r\n\r\n")) {
            next().complete(Response.text("one").etag("v1"));
            assertThat(raw.readAll()).startsWith("HTTP/1.1 304");
        }
    }

    @Test
    void anErrorHasItsCodeAndADefectTellsNothing() throws IOException, InterruptedException {
        try (Raw known = new Raw(server).send(Raw.get("/later"))) {
            CompletableFuture<Response> first = next();
            first.completeExceptionally(new AnepException(ErrorCode.NOT_FOUND, "it has gone"));
            assertThat(known.readAll()).startsWith("HTTP/1.1 404").contains("EE-407");
        }
        try (Raw defect = new Raw(server).send(Raw.get("/later"))) {
            next().completeExceptionally(new IllegalStateException("secret"));
            assertThat(defect.readAll()).startsWith("HTTP/1.1 500").contains("EE-599").doesNotContain("secret");
        }
    }

    @Test
    void aClientThatHasGoneIsNotMissed() throws IOException, InterruptedException {
        new Raw(server).send(Raw.get("/later")).close();
        next().complete(Response.text("to nobody"));
        assertThat(Raw.ask(server, Raw.get("/now"))).endsWith("now");
    }
}
