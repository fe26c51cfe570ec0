package org.tamanoir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.board.Board;
import org.tamanoir.console.gather.Gatherer;
import org.tamanoir.console.gather.Recording;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.HttpFetch;

/** Feeds over real sockets: followed, gathered, recorded and played. */
class ConsoleServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What a node would show. */
    private final Map<String, Map<String, Object>> entries = new ConcurrentHashMap<>();

    private static ConsoleServer serve(Supplier<Map<String, Map<String, Object>>> source, int port, Path record) {
        return ConsoleServer.start(new ConsoleServer.Settings(new InetSocketAddress("127.0.0.1", port), null, List.of(), null, record), source);
    }

    private static HttpFetch at(String url) {
        return HttpFetch.of(url, ErrorCode.UNREACHABLE);
    }

    private static JsonNode all(String url) {
        return at(url).json("/console/state").path("all");
    }

    @Test
    @Tag("long")
    void aReaderThatDoesNotReadLosesFramesAndFindsOutAndNobodyElseDoes() throws Exception {
        AtomicInteger look = new AtomicInteger();
        Supplier<Map<String, Map<String, Object>>> busy = () -> {
            Map<String, Map<String, Object>> all = new HashMap<>();
            int now = look.incrementAndGet();
            for (int i = 0; i < 2000; i++) {
                all.put("stream/a/" + i, Map.of("in", now, "from", now + "x".repeat(200)));
            }
            return all;
        };
        try (ConsoleServer server = serve(busy, 0, null); Socket slow = new Socket()) {
            slow.setReceiveBufferSize(4096);
            slow.setSoTimeout((int) PATIENCE.toMillis());
            slow.connect(new InetSocketAddress("127.0.0.1", port(server)));
            long number = at(server.url()).json("/console/state").path("number").asLong();
            slow.getOutputStream().write(("GET /console/feed?since=" + number + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            try (EventFeed quick = at(server.url()).timeout(PATIENCE).events("/console/feed?since=" + number)) {
                long read = number;
                // Until there was more than the sockets and the server hold together for the other one.
                for (int begun = look.get(); look.get() < begun + 15; ) {
                    assertThat(JSON.readTree(quick.next().data()).path("number").asLong()).isEqualTo(++read);
                }
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(slow.getInputStream(), StandardCharsets.UTF_8));
            long seen = number;
            for (long next = number; next <= seen + 1; ) {
                String line = lines.readLine();
                if (line.startsWith("data: {\"number\":")) {
                    seen = next;
                    next = Long.parseLong(line.substring(16, line.indexOf(',')));
                }
            }
        }
    }

    private static int port(ConsoleServer server) {
        return java.net.URI.create(server.url()).getPort();
    }

    @Test
    @Tag("long")
    void manyNodesAreOneFeedAndOneThatIsLostIsOldUntilItComesBackAsWhateverItIsThen() throws Exception {
        entries.putAll(Map.of("node/aa", Map.of("address", "192.0.2.1:3322", "health", "ok", "rate", 7), "stream/aa/1", Map.of("in", 1)));
        Map<String, Map<String, Object>> others = Map.of("node/bb", Map.of("address", "192.0.2.2:3322", "health", "ok"), "edge/bb/x|y|", Map.of("in", 2));
        ConsoleServer first = serve(() -> new HashMap<>(entries), 0, null);
        int port = port(first);
        try (ConsoleServer second = serve(() -> others, 0, null); ConsoleServer console = serve(new Gatherer(List.of(new Gatherer.Node("lyon", at(first.url())),
                new Gatherer.Node(null, at(second.url())), new Gatherer.Node("nowhere", at("127.0.0.1:1"))), List.of()), 0, null)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode all = all(console.url());
                assertThat(all.path("node/aa").path("name").asText()).isEqualTo("lyon");
                assertThat(all.path("stream/aa/1").path("in").asInt()).isEqualTo(1);
                assertThat(all.path("edge/bb/x|y|").path("in").asInt()).isEqualTo(2);
                assertThat(all.path("node/http://127.0.0.1:1").path("stale").asLong()).isPositive();
            });

            entries.putAll(Map.of("stream/bb/1", Map.of("in", 666), "node/bb", Map.of("health", "forged"), "stream/aa/1", Map.of("in", 5)));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(all(console.url()).path("stream/aa/1").path("in").asInt()).isEqualTo(5));
            assertThat(all(console.url()).path("node/bb").path("health").asText()).as("a node speaks for itself alone").isEqualTo("ok");
            assertThat(all(console.url()).has("stream/bb/1")).isFalse();

            first.close();
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode all = all(console.url());
                assertThat(all.path("node/aa").path("stale").asLong()).isPositive();
                assertThat(all.path("node/aa").path("rate").asInt()).isZero();
                assertThat(all.has("stream/aa/1")).as("nothing is known to move there").isFalse();
                assertThat(all.path("node/bb").has("stale")).isFalse();
            });

            Map<String, Map<String, Object>> again = Map.of("node/cc", Map.of("address", "192.0.2.1:3322", "health", "ok"));
            try (ConsoleServer back = serve(() -> again, port, null)) {
                assertThat(back.url()).isEqualTo(first.url());
                await().atMost(PATIENCE).untilAsserted(() -> {
                    JsonNode all = all(console.url());
                    assertThat(all.path("node/cc").path("name").asText()).isEqualTo("lyon");
                    assertThat(all.path("node/cc").has("stale")).isFalse();
                    assertThat(all.has("node/aa")).as("it has another id now").isFalse();
                });
            }
        }
    }

    @Test
    @Tag("long")
    void whatWasRecordedIsPlayedAgainAlsoFromAFileThatWasCutShort(@TempDir Path directory) throws Exception {
        Path tape = directory.resolve("tape");
        entries.put("node/aa", Map.of("health", "ok"));
        try (ConsoleServer server = serve(() -> new HashMap<>(entries), 0, tape)) {
            for (int i = 1; i <= 3; i++) {
                int now = i;
                entries.put("stream/aa/" + i, Map.of("in", i));
                await().atMost(PATIENCE).until(() -> all(server.url()).has("stream/aa/" + now));
            }
        }
        byte[] whole = Files.readAllBytes(tape);

        try (Recording played = new Recording("tape", () -> Files.newInputStream(tape))) {
            assertThat(played.get()).containsKeys("node/aa", "console/replayed");
            await().atMost(PATIENCE).until(() -> played.get().containsKey("stream/aa/3"));
            await().atMost(PATIENCE).until(() -> !played.get().containsKey("stream/aa/2"));
        }
        // Without the trailer of its last part and the end of what that has compressed.
        Files.write(tape, java.util.Arrays.copyOf(whole, whole.length - 12));
        try (Recording played = new Recording("tape", () -> Files.newInputStream(tape))) {
            assertThat(played.get()).containsKey("node/aa");
        }
        Files.writeString(tape, "no tape");
        assertThatThrownBy(() -> new Recording("tape", () -> Files.newInputStream(tape))).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
    }

    @Test
    void onTheNetworkNothingIsToldWithoutATokenButThePage() {
        try (ConsoleServer server = ConsoleServer.start(new ConsoleServer.Settings(new InetSocketAddress("127.0.0.1", 0), "secret", List.of(), null, null), () -> new HashMap<>(entries))) {
            // Somebody else by way of a browser here: what such a request has and a local one has not.
            for (String path : List.of("/console/state", "/console/feed?since=0", "/console/history", "/console/history/1")) {
                assertThat(status(server, path, "Origin: http://elsewhere.example\r\n")).as(path).isEqualTo(401);
                assertThat(status(server, path, "Host: rebound.example\r\n")).as(path).isEqualTo(401);
            }
            assertThat(status(server, "/console/state", "Origin: http://elsewhere.example\r\nAuthorization: Bearer secret\r\n")).isEqualTo(200);
            assertThat(status(server, "/", "Origin: http://elsewhere.example\r\n")).isEqualTo(200);
            assertThat(status(server, "/page/model.js", "")).isEqualTo(200);
            assertThat(status(server, "/page/none.js", "")).isEqualTo(404);
            assertThat(status(server, "/page/Page.class", "")).isEqualTo(404);
            assertThat(status(server, "/page/parts", "")).isEqualTo(404);
            assertThat(status(server, "/console/feed?since=x", "")).isEqualTo(400);
            assertThat(status(server, "/console/history/99", "")).isEqualTo(404);
        }
    }

    private static int status(ConsoleServer server, String path, String headers) {
        try (Socket socket = new Socket("127.0.0.1", port(server))) {
            String host = headers.contains("Host:") ? "" : "Host: localhost\r\n";
            socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\n" + host + headers + "\r\n").getBytes(StandardCharsets.US_ASCII));
            String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            return Integer.parseInt(line.substring(9, 12));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
