package org.tamanoir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.gather.Gatherer;
import org.tamanoir.console.gather.Gatherer.Kind;
import org.tamanoir.http.Guard;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.http.fetch.HttpFetch;

/** What queues, front-ends and observatories say, gathered over real sockets. */
class ServersBesideNodesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);

    /** By path. */
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private HttpServer server(int port, Guard guard) {
        List<Route> routes = new ArrayList<>();
        for (String path : List.of("/status", "/transfers", "/v1/matrix")) {
            routes.add(Route.of("GET", path, request -> Response.bytes(200, "application/json", answers.get(path).getBytes(StandardCharsets.UTF_8))).guarded(guard));
        }
        return HttpServer.at(new InetSocketAddress("127.0.0.1", port)).name("beside").route(routes.toArray(Route[]::new)).start();
    }

    private static Gatherer.Server watch(Kind kind, String url, String token) {
        return new Gatherer.Server(kind, "it", HttpFetch.of(url, ErrorCode.UNREACHABLE).token(token));
    }

    private String console(List<Gatherer.Node> nodes, Gatherer.Server... servers) {
        ConsoleServer console = ConsoleServer.start(new ConsoleServer.Settings(ANY, null, List.of(), null, null), new Gatherer(nodes, List.of(servers)));
        open.add(console);
        return console.url();
    }

    private static JsonNode all(String url) {
        return HttpFetch.of(url, ErrorCode.UNREACHABLE).json("/console/state").path("all");
    }

    private static void until(String url, java.util.function.Predicate<JsonNode> so) {
        await().atMost(PATIENCE).until(() -> so.test(all(url)));
    }

    private static String transfer(int number, String more) {
        return "{\"id\":\"t-" + number + "\",\"state\":\"running\",\"sources\":[\"tam://a:1/x\"],\"destination\":\"tam://b:1/y\",\"from\":\"a\",\"to\":\"b\"" + more + "}";
    }

    /** Wrong: a queue whose rates are octets, whose size is what stood in the request, that is asked without its token, and one that fills the page. */
    @Test
    @Tag("long")
    void aQueueIsShownWithItsTokenAndNoMoreOfItThanAPersonReads() {
        answers.put("/status", "{\"transfers\":{\"RUNNING\":1,\"DONE\":299},\"octets\":7,\"failedAttempts\":2,\"late\":1}");
        String progress = ",\"octets\":10,\"by\":\"2026-11-26T06:00:00Z\",\"promised\":true,\"rateOctetsPerSecond\":1000,\"progress\":{\"files\":1,\"ofFiles\":3,\"octets\":4000,\"moved\":1000,\"resumed\":500,"
                + "\"octetsPerSecond\":250,\"secondsLeft\":10},\"attempts\":[{},{}]";
        answers.put("/transfers", IntStream.rangeClosed(1, 300).mapToObj(i -> transfer(i, i == 1 ? progress : ",\"reason\":\"" + "x".repeat(5000) + "\"")).collect(Collectors.joining(",", "[", "]")));
        HttpServer queue = server(0, TokenCheck.always("secret"));
        open.add(queue::close);
        String refused = console(List.of(), watch(Kind.QUEUE, queue.url(), null));
        String url = console(List.of(), watch(Kind.QUEUE, queue.url(), "secret"));
        until(url, all -> all.has("transfer/1/t-1"));

        JsonNode all = all(url);
        assertThat(all.path("transfer/1/t-1").toString()).contains("\"octets\":4000").contains("\"done\":1500").contains("\"resumed\":500").contains("\"rate\":2000").contains("\"wanted\":8000")
                .contains("\"by\":1795672800000").contains("\"attempts\":2").contains("\"files\":1").contains("\"ofFiles\":3");
        assertThat(all.path("queue/1").path("transfers").asInt()).isEqualTo(300);
        assertThat(all.path("queue/1").path("transfersDrawn").asInt()).isEqualTo(200);
        assertThat(all.properties().stream().filter(each -> each.getKey().startsWith("transfer/"))).hasSize(200);
        assertThat(all.path("transfer/1/t-2").path("reason").asText()).hasSizeLessThan(600);
        until(refused, each -> each.path("queue/1").path("problem").asText().contains("EE-406") || each.path("queue/1").path("problem").asText().contains("token"));
        assertThat(all(refused).properties().stream().filter(each -> each.getKey().startsWith("transfer/"))).isEmpty();
    }

    /** Wrong: a cluster that disappears with its front-end, or looks well without it. */
    @Test
    @Tag("long")
    void whatAFrontEndSaidStaysAndIsOldWhileItIsAway() {
        answers.put("/status", "{\"frontend\":\"d1\",\"director\":{\"engine\":\"ipvs\",\"why\":\"w\",\"role\":\"master\",\"carries\":true,\"problem\":null},\"pools\":[{\"name\":\"default\",\"addresses\":[\"192.0.2.3\"],"
                + "\"port\":3322,\"method\":\"nat\",\"scheduler\":\"wlc\",\"backEnds\":[{\"name\":\"b1\",\"address\":\"10.0.2.1\",\"port\":3322,\"standing\":\"DRAINING\",\"why\":\"leaves\",\"weight\":7,\"answers\":true,"
                + "\"load\":{\"streams\":3,\"cpu\":0.5},\"services\":[\"forward\"],\"virtual\":[{\"active\":2,\"inOctetRate\":10,\"outOctetRate\":20},{\"active\":1,\"inOctetRate\":5,\"outOctetRate\":0}]}]}],\"refused\":[{}]}");
        HttpServer frontEnd = server(0, Guard.OPEN);
        String url = console(List.of(), watch(Kind.FRONT_END, frontEnd.url(), null));
        until(url, all -> all.has("member/1/b1"));
        JsonNode all = all(url);
        assertThat(all.path("frontend/1").path("stale").isMissingNode()).isTrue();
        assertThat(all.path("member/1/b1").toString()).contains("\"standing\":\"DRAINING\"").contains("\"because\":\"leaves\"").contains("\"weight\":7").contains("\"connections\":3").contains("\"rate\":120")
                .contains("\"rateBack\":160");
        assertThat(all.path("pool/1/default").toString()).contains("192.0.2.3").contains("3322");

        int port = frontEnd.address().getPort();
        frontEnd.close();
        until(url, each -> each.path("frontend/1").has("stale"));
        assertThat(all(url).has("member/1/b1")).isTrue();
        HttpServer back = server(port, Guard.OPEN);
        open.add(back::close);
        until(url, each -> !each.path("frontend/1").has("stale"));
    }

    /** Wrong: a pair that has the figure of an older session, or of another class; hosts that stand apart though they are of one domain. */
    @Test
    void sessionsBetweenTwoDomainsAreOnePairWithTheNewestOfEachFigure() {
        answers.put("/v1/matrix", "[" + String.join(",", sample("a1", "b", "be", 100, "\"rtt-median\":20,\"loss\":0.5"), sample("a2", "b", "be", 200, "\"rtt-median\":10"),
                sample("a1", "b", "be", 150, "\"mbits\":90,\"steady-mbits\":95"), sample("a1", "b", "ef", 300, "\"rtt-median\":1"), "{\"from\":\"c\",\"to\":\"b\",\"fromDomain\":null,\"class\":\"be\",\"time\":1,\"values\":{}}") + "]");
        HttpServer observatory = server(0, Guard.OPEN);
        open.add(observatory::close);
        String url = console(List.of(), watch(Kind.OBSERVATORY, observatory.url(), null));
        until(url, all -> all.has("path/1/A|B|be"));
        JsonNode pair = all(url).path("path/1/A|B|be");
        assertThat(pair.path("roundTrip").asInt()).isEqualTo(10);
        assertThat(pair.path("roundTripTime").asInt()).isEqualTo(200);
        assertThat(pair.path("loss").asDouble()).isEqualTo(0.5);
        assertThat(pair.path("lossTime").asInt()).isEqualTo(100);
        assertThat(pair.path("throughput").asInt()).isEqualTo(95);
        assertThat(all(url).path("path/1/A|B|ef").path("roundTrip").asInt()).isEqualTo(1);
        assertThat(all(url).has("path/1/c|b|be")).isTrue();
        assertThat(all(url).path("observatory/1").path("pairs").asInt()).isEqualTo(3);
    }

    private static String sample(String from, String to, String qosClass, long time, String values) {
        return "{\"from\":\"" + from + "\",\"to\":\"" + to + "\",\"fromDomain\":\"A\",\"toDomain\":\"B\",\"class\":\"" + qosClass + "\",\"time\":" + time + ",\"values\":{" + values + "}}";
    }

    /** Wrong: a node that calls itself as a server is numbered, and forges what that says. */
    @Test
    void aNodeSpeaksForNoQueue() {
        answers.put("/status", "{\"transfers\":{}}");
        answers.put("/transfers", "[]");
        HttpServer queue = server(0, Guard.OPEN);
        open.add(queue::close);
        ConsoleServer forger = ConsoleServer.start(new ConsoleServer.Settings(ANY, null, List.of(), null, null),
                () -> Map.of("node/1", Map.of("health", "ok"), "transfer/1/t-1", Map.of("id", "forged"), "queue/1", Map.of("name", "forged"), "event/1/1", Map.of("text", "its own")));
        open.add(forger);
        String url = console(List.of(new Gatherer.Node(null, HttpFetch.of(forger.url(), ErrorCode.UNREACHABLE))), watch(Kind.QUEUE, queue.url(), null));
        until(url, all -> all.has("event/1/1") && all.path("queue/1").has("transfers"));
        assertThat(all(url).has("transfer/1/t-1")).isFalse();
        assertThat(all(url).path("queue/1").path("name").asText()).isEqualTo("it");
    }

    /** Wrong: a clock that nobody looks at, and events of an hour to come that stand first. */
    @Test
    void aNodeWhoseClockIsApartIsSaidAndItsEventsStandWhereTheyCame() {
        long ahead = 3_600_000;
        AtomicLong number = new AtomicLong(5);
        Route state = Route.of("GET", "/console/state", request -> Response.json(Map.of("number", number.get(), "time", System.currentTimeMillis() + ahead, "all",
                Map.of("node/a", Map.of("health", "ok"), "event/a/1", Map.of("time", Instant.now().plusMillis(ahead - 60_000).toString(), "text", "a minute ago")))));
        Route feed = Route.of("GET", "/console/feed", request -> Response.events(reader -> {
            // As late as a frame that waited on its way, and at once.
            for (int late : List.of(1500, 0, 900, 1200)) {
                reader.send("frame", "{\"number\":" + number.incrementAndGet() + ",\"time\":" + (System.currentTimeMillis() + ahead - late) + ",\"set\":{\"event/a/2\":{\"time\":\"" + Instant.now().plusMillis(ahead)
                        + "\",\"text\":\"now\"}}}");
            }
        }, 1 << 20));
        HttpServer node = HttpServer.at(ANY).name("apart").route(state, feed).start();
        open.add(node);
        String url = console(List.of(new Gatherer.Node("apart", HttpFetch.of(node.url(), ErrorCode.UNREACHABLE))));
        until(url, all -> all.path("event/a/2").has("arrived") && all.path("node/a").has("clockMillis"));
        JsonNode all = all(url);
        assertThat(all.path("node/a").path("clockMillis").asLong()).isBetween(ahead - 1000, ahead + 100);
        assertThat(all.path("event/a/2").path("arrived").asLong()).isBetween(System.currentTimeMillis() - 30_000, System.currentTimeMillis());
        assertThat(all.path("event/a/1").path("arrived").asLong()).isBetween(System.currentTimeMillis() - 120_000, System.currentTimeMillis() - 55_000);
    }

    /** Wrong: a line of time that begins when the page is opened. */
    @Test
    @Tag("long")
    void whatNodesCarriedBeforeIsToldWithItsTime() {
        ConsoleServer console = ConsoleServer.start(new ConsoleServer.Settings(ANY, null, List.of(), null, null),
                () -> Map.of("node/a", Map.of("rate", 3, "rateBack", 1), "node/b", Map.of("rate", 4), "edge/a/x", Map.of("rate", 100)));
        open.add(console);
        HttpFetch at = HttpFetch.of(console.url(), ErrorCode.UNREACHABLE);
        await().atMost(PATIENCE).until(() -> at.json("/console/rates").path("points").size() >= 3);
        JsonNode points = at.json("/console/rates").path("points");
        for (int i = 0; i < points.size(); i++) {
            assertThat(points.path(i).path(1).asInt()).isEqualTo(7);
            assertThat(points.path(i).path(2).asInt()).isEqualTo(1);
            assertThat(points.path(i).path(0).asLong()).isGreaterThan(i == 0 ? 0 : points.path(i - 1).path(0).asLong());
        }
    }
}
