package org.tamanoir.node.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.server.Server;
import org.tamanoir.service.server.Server.Answer;
import org.tamanoir.service.server.Server.Message;

/** A service's way to a server of its options, over real connections: nothing is lost while the server is away, and nobody else is asked. */
@Timeout(60)
class ServerContactTest {
    private static final Duration WAIT = Duration.ofSeconds(20);

    @TempDir
    private Path directory;
    private final ServiceServers servers = new ServiceServers(() -> null);
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile String document = "one";
    private volatile ErrorCode refusal;
    private HttpServer http;
    private ServerContact contact;

    private void serve(InetSocketAddress at) {
        http = HttpServer.at(at).workers(12).route("GET", "/base/plan", this::plan).route("POST", "/base/samples", request -> {
            asked.add(new String(request.body(), UTF_8) + " " + request.header("Content-Type").orElse("") + " " + request.header("Authorization").orElse(""));
            if (refusal != null) {
                throw new HttpError(HttpError.statusOf(refusal), refusal, "as the test says");
            }
            return Response.text("kept " + new String(request.body(), UTF_8));
        }).start();
    }

    /** Holds the question until there is something new, as long as it is asked to. */
    private Response plan(Request request) throws InterruptedException {
        String known = request.header("If-None-Match").orElse("");
        asked.add("plan " + known);
        long end = System.nanoTime() + Duration.ofSeconds(Long.parseLong(request.query("wait").orElse("0"))).toNanos();
        while (known.equals("\"" + document + "\"") && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        return Response.text(document).etag(document);
    }

    private Server contact(Map<String, ?> options) {
        contact = servers.of("test", new MapConfiguration("services: test", options), "collector", Runnable::run);
        return contact;
    }

    private Server start() {
        serve(new InetSocketAddress("127.0.0.1", 0));
        return contact(Map.of("collector", http.url() + "/base"));
    }

    @AfterEach
    void stop() {
        if (contact != null) {
            contact.close();
        }
        servers.close();
        if (http != null) {
            http.close();
        }
    }

    @Test
    @Tag("long")
    void aDocumentIsToldWhenItChangesAndOnlyThen() throws Exception {
        Server server = start();
        server.follow("/plan?wait=2", Duration.ofSeconds(2), octets -> told.add(new String(octets, UTF_8)));
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("one");
        await().atMost(WAIT).until(() -> asked.size() >= 3);
        assertThat(asked).containsExactly("plan ", "plan \"one\"", "plan \"one\"");
        assertThat(told).isEmpty();
        document = "two";
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("two");
        assertThat(server.problem()).isNull();
    }

    @Test
    @Tag("long")
    void whatIsFollowedAndSentWaitsUntilTheServerIsBack() throws Exception {
        Server server = start();
        InetSocketAddress address = http.address();
        server.follow("/plan?wait=1", Duration.ofSeconds(1), octets -> told.add(new String(octets, UTF_8)));
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("one");
        http.close();
        document = "two";
        server.send(Message.post("/samples", "text/plain", "line".getBytes(UTF_8)), answers::add);
        await().atMost(WAIT).until(() -> server.problem() != null && server.problem().contains("EE-204"));
        asked.clear();
        serve(address);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("two");
        assertThat(new String(answers.poll(30, TimeUnit.SECONDS).body(), UTF_8)).isEqualTo("kept line");
        assertThat(asked).contains("line text/plain ");
        await().atMost(WAIT).until(() -> server.problem() == null);
    }

    @Test
    @Tag("long")
    void aRefusalIsToldAndATroubleOfTheServerIsNot() throws Exception {
        Server server = start();
        refusal = ErrorCode.BUSY;
        server.send(Message.post("/samples", "text/plain", "a".getBytes(UTF_8)), answers::add);
        await().atMost(WAIT).until(() -> asked.size() >= 2);
        assertThat(answers).isEmpty();
        refusal = ErrorCode.NOT_PERMITTED;
        Answer refused = answers.poll(30, TimeUnit.SECONDS);
        assertThat(refused.isGood()).isFalse();
        assertThat(refused.refusal()).hasMessageContaining("as the test says");
    }

    @Test
    void theTokenIsReadAgainForEachRequest() throws Exception {
        serve(new InetSocketAddress("127.0.0.1", 0));
        Path file = Files.writeString(directory.resolve("token"), "first\n");
        Server server = contact(Map.of("collector", http.url() + "/base", "collector-token-file", file.toString()));
        for (String token : List.of("first", "second")) {
            Files.writeString(file, token);
            server.send(Message.post("/samples", "text/plain", new byte[0]), answers::add);
            assertThat(answers.poll(20, TimeUnit.SECONDS).isGood()).isTrue();
        }
        assertThat(asked).containsExactly(" text/plain Bearer first", " text/plain Bearer second");
    }

    @Test
    @Tag("long")
    void soManyMayBeUnderWayAndNoneOutlivesTheService() throws Exception {
        Server server = start();
        for (int i = 0; i < Server.MOST_UNDER_WAY; i++) {
            server.follow("/plan?wait=60", Duration.ofSeconds(60), octets -> told.add("told"));
        }
        assertThatThrownBy(() -> server.send(Message.post("/samples", "text/plain", new byte[0]), answers::add)).isInstanceOf(AnepException.class).hasMessageContaining("EE-309");
        await().atMost(WAIT).until(() -> asked.size() == 2 * Server.MOST_UNDER_WAY);
        contact.close();
        told.clear();
        document = "two";
        await().during(Duration.ofMillis(500)).until(told::isEmpty);
        server.send(Message.post("/samples", "text/plain", new byte[0]), answers::add);
        assertThat(answers).isEmpty();
    }

    @Test
    void onlyWhatTheOptionsNameIsAsked() throws IOException {
        assertThat(contact(Map.of())).isNull();
        Server server = start();
        for (String path : List.of("plan", "http://example.org/", "/a b", "/a#b", "")) {
            assertThatThrownBy(() -> server.follow(path, WAIT, octets -> { })).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> contact(Map.of("collector", "ftp://host"))).hasMessageContaining("EE-501").hasMessageContaining("collector");
        assertThatThrownBy(() -> contact(Map.of("collector", "http://host", "collector-token-file", directory.resolve("none").toString()))).hasMessageContaining("EE-501");
        assertThatThrownBy(() -> contact(Map.of("collector-token-file", "x"))).hasMessageContaining("EE-501");
    }
}
