package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** What the server does with requests that are as they should be. */
class HttpServerTest {
    @TempDir
    private Path directory;
    private final CountDownLatch slowStarted = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        Path file = directory.resolve("big");
        byte[] content = new byte[3_000_000];
        new Random(1).nextBytes(content);
        Files.write(file, content);
        Path uploads = Files.createDirectory(directory.resolve("uploads"));
        server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
                .route("GET", "/echo/{text}", r -> Response.text(r.parameter("text") + "|" + r.query("q").orElse("-")))
                .route("GET", "/slow", r -> {
                    slowStarted.countDown();
                    Thread.sleep(300);
                    return Response.text("slow");
                })
                .route("GET", "/tagged.json", r -> Response.json(Map.of("a", 1)).etag("v1"))
                .route("GET", "/file", r -> Response.file(file, "application/octet-stream"))
                .route("GET", "/defect", r -> {
                    throw new IllegalStateException("secret");
                })
                .route("GET", "/busy", r -> {
                    throw new AnepException(ErrorCode.VERSION_EXISTS, "it is there \"already\"");
                })
                .route(Route.of("PUT", "/upload", r -> Response.text(Files.size(r.file()) + " " + Files.mismatch(r.file(), file)))
                        .uploads(uploads, 4_000_000))
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrderEvenIfTheFirstTakesLongest() throws IOException {
        String answer = Raw.ask(server, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /echo/two HTTP/1.1\r\nHost: x\r\n\r\n" + Raw.get("/echo/three"));
        assertThat(answer).containsSubsequence("slow", "two|-", "three|-");
        assertThat(answer.split("HTTP/1.1 200 OK", -1)).hasSize(4);
    }

    @Test
    void aRequestMayComeOneOctetAtATime() throws IOException {
        try (Raw raw = new Raw(server)) {
            for (char c : Raw.get("/echo/a%20b+c?q=1%2B2").toCharArray()) {
                raw.send(String.valueOf(c));
            }
            assertThat(raw.readAll()).endsWith("a b+c|1+2");
        }
    }

    @Test
    void anErrorIsJsonWithItsCodeAndAStatusThatFits() throws IOException {
        assertThat(Raw.ask(server, Raw.get("/nowhere"))).startsWith("HTTP/1.1 404 ").contains("\"code\":\"EE-407\"");
        assertThat(Raw.ask(server, Raw.get("/busy"))).startsWith("HTTP/1.1 409 ")
                .endsWith("{\"code\":\"EE-404\",\"message\":\"it is there \\\"already\\\"\"}");
        assertThat(Raw.ask(server, Raw.get("/upload"))).startsWith("HTTP/1.1 405 ").contains("Allow: PUT");
        assertThat(Raw.ask(server, Raw.get("/defect"))).startsWith("HTTP/1.1 500 ").contains("EE-599").doesNotContain("secret");
    }

    @Test
    void headAnswersWithTheHeaderOfGetAndNothingElse() throws IOException {
        String answer = Raw.ask(server, Raw.get("/file").replace("GET", "HEAD"));
        assertThat(answer.toLowerCase()).startsWith("http/1.1 200 ").contains("content-length: 3000000").endsWith("\r\n\r\n");
    }

    @Test
    void whatHasNotChangedIsNotSentAgain() throws IOException {
        String first = Raw.ask(server, Raw.get("/tagged.json"));
        assertThat(first).contains("etag: \"v1\"").endsWith("{\"a\":1}");
        for (String names : new String[] {"\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*"}) {
            String answer = Raw.ask(server, Raw.get("/tagged.json").replace("\r\n\r\n", "\r\nIf-None-Match: " + names + "\r\n\r\n"));
            assertThat(answer).startsWith("HTTP/1.1 304 ").endsWith("\r\n\r\n");
        }
        assertThat(Raw.ask(server, Raw.get("/tagged.json").replace("\r\n\r\n", "\r\nIf-None-Match: \"v2\"\r\n\r\n"))).contains("200 OK");
    }

    @Test
    void aFileArrivesAsItIsAndAnUploadToo() throws IOException {
        String answer = Raw.ask(server, Raw.get("/file"));
        String expected = Files.readString(directory.resolve("big"), StandardCharsets.ISO_8859_1);
        assertThat(answer.substring(answer.indexOf("\r\n\r\n") + 4).equals(expected)).isTrue();

        byte[] content = Files.readAllBytes(directory.resolve("big"));
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + content.length + "\r\n\r\n").send(content);
            assertThat(raw.readAll()).endsWith("3000000 -1");
        }
        assertThat(directory.resolve("uploads")).isEmptyDirectory();
    }

    @Test
    void anUploadIsAskedForWhenTheClientWaitsForThat() throws IOException {
        try (Raw raw = new Raw(server)) {
            raw.send("PUT /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 3\r\n\r\n");
            assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
            assertThat(raw.send("abc").readAll()).startsWith("HTTP/1.1 200 ").contains("\r\n\r\n3 ");
        }
        String refused = Raw.ask(server, "PUT /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000000\r\n\r\n");
        assertThat(refused).startsWith("HTTP/1.1 413 ").doesNotContain("100 Continue");
    }

    @Test
    void closingLetsARequestFinishAndTakesNoNewOne() throws Exception {
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> {
            try {
                return Raw.ask(server, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
            } catch (IOException e) {
                return e.toString();
            }
        });
        try (Raw idle = new Raw(server)) {
            Awaitility.await().until(() -> server.connections() == 2);
            assertThat(slowStarted.await(5, TimeUnit.SECONDS)).isTrue();
            server.close();
            assertThat(slow.get(1, TimeUnit.SECONDS)).contains("200 OK", "connection: close").endsWith("slow");
            assertThat(idle.readAll()).isEmpty();
        }
    }

    @Test
    void lentEventLoopsAreUsedAndLeftRunning() throws Exception {
        EventLoopGroup lent = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("lent", true), NioIoHandler.newFactory());
        try {
            HttpServer guest = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).eventLoops(lent, NioServerSocketChannel.class)
                    .route(Route.of("GET", "/", r -> Response.empty()).guarded(r -> {
                        if (!Thread.currentThread().getName().startsWith("lent")) {
                            throw new IllegalStateException("another loop");
                        }
                    })).start();
            assertThat(Raw.ask(guest, Raw.get("/"))).startsWith("HTTP/1.1 204 ");
            guest.close();
            assertThat(lent.submit(() -> 7).get(1, TimeUnit.SECONDS)).isEqualTo(7);
        } finally {
            lent.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    /** Threads of a route that take no more cost that request, and no other route. */
    @Test
    void aRouteOnThreadsOfItsOwnHoldsUpNoOther() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ThreadPoolExecutor one = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(1));
        try (HttpServer busy = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).workers(1)
                .route(Route.of("POST", "/long", request -> {
                    release.await();
                    return Response.json("done");
                }).on(one))
                .route("GET", "/health", request -> Response.text("ok")).start()) {
            HttpFetch fetch = HttpFetch.of(busy.url(), ErrorCode.UNREACHABLE);
            List<CompletableFuture<String>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return fetch.post("/long", Map.of()).toString();
                    } catch (AnepException e) {
                        return e.code().toString();
                    }
                }, task -> new Thread(task).start()));
            }
            CompletableFuture.anyOf(calls.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
            assertThat(calls.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join)).containsExactly("EE-410");
            assertThat(new String(fetch.bytes("/health", 100), StandardCharsets.UTF_8)).isEqualTo("ok");
            release.countDown();
            CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
        } finally {
            one.shutdownNow();
        }
    }
}
