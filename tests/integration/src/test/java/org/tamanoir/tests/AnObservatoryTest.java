package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.paths.series.Series;

/** An observatory as a process, on each database that it may have; SIGKILL takes it while samples come in. */
@Timeout(240)
class AnObservatoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int BATCH = 20;
    private static final int BEFORE_THE_KILL = 300;
    private static final String STREAM = "{\"theodolite\":\"a\",\"boot\":0,\"number\":1,\"kind\":\"stream\",\"time\":%d,\"stream\":17,\"source\":\"192.0.2.7\",\"destination\":\"198.51.100.9\",\"class\":\"be\","
            + "\"ended\":true,\"octets\":7500000,\"size\":7500000,\"seconds\":60,\"streams\":1,\"cause\":\"receiver\",\"share\":0.9,\"sure\":true,\"sentence\":\"\"}";
    private static final String SERIES = "{\"theodolite\":\"a\",\"boot\":0,\"number\":1,\"time\":%d,\"stream\":17,\"leg\":\"after\",\"source\":\"192.0.2.7\",\"destination\":\"198.51.100.9\",\"series\":\"%s\"}";

    @TempDir
    private Path directory;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<AutoCloseable> closed = new ArrayList<>();
    private PostgresServer postgres;
    private LabProcess process;
    private String url;

    @AfterEach
    void stop() throws Exception {
        for (int i = closed.size() - 1; i >= 0; i--) {
            closed.get(i).close();
        }
    }

    private void start(String database) throws Exception {
        if (database.equals("PostgreSQL") && postgres == null) {
            String missing = PostgresServer.missing();
            Assumptions.assumeTrue(missing.isEmpty(), missing);
            postgres = new PostgresServer("127.0.0.1");
            closed.add(postgres);
        }
        List<String> command = new ArrayList<>(List.of("observatory", "run", "--listen", "127.0.0.1:0", "--data", directory.resolve("data").toString()));
        if (postgres != null) {
            command.addAll(List.of("--database", postgres.url()));
        }
        process = LabProcess.start("observatory", CommandLineTool.command(command.toArray(String[]::new)));
        closed.add(process);
        url = process.awaitLine("READY observatory ", PATIENCE).replaceFirst("READY observatory ", "");
    }

    private CompletableFuture<HttpResponse<String>> later(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(PATIENCE).method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        return http.sendAsync((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    private JsonNode ask(String method, String path, String body) throws Exception {
        HttpResponse<String> answer = later(method, path, body).get();
        assertThat(answer.statusCode()).as("%s %s: %s", method, path, answer.body()).isLessThan(300);
        return answer.body().isEmpty() ? null : CommandLineTool.json(answer.body());
    }

    private static String plan(String names) {
        return "theodolites: {a: se.a.example, b: se.b.example, c: se.c.example}\ngroups: {all: {mesh: [" + names + "]}}\ntests: {ping: {tool: round-trip}}\nschedules: {often: {repeat: 1m}}\n"
                + "tasks: {ping: {group: all, test: ping, schedule: often}}\n";
    }

    /** By the command where the database is of SQLite: once is enough. */
    private void put(String kind, String content, String expected) throws Exception {
        if (postgres != null) {
            ask("PUT", "/v1/documents/" + kind, content);
            return;
        }
        Path file = directory.resolve(kind + ".yaml");
        Files.writeString(file, content);
        assertThat(CommandLineTool.run("observatory", kind, "put", file.toString(), "--observatory", url).output()).startsWith(expected);
    }

    private static String lines(long first) {
        StringBuilder text = new StringBuilder();
        for (long number = first; number < first + BATCH; number++) {
            text.append("{\"theodolite\":\"a\",\"boot\":1,\"number\":").append(number).append(",\"session\":\"flow/be/a/b\",\"kind\":\"throughput\",\"time\":").append(System.currentTimeMillis() - 1000)
                    .append(",\"values\":{\"mbits\":").append(80 + number % 3).append("}}\n");
        }
        return text.toString();
    }

    /** Its own tests, and that the answers they have recorded are still those of an observatory. */
    private void thePythonClientUnderstandsIt() {
        DebianPackages.require("python3", "python3");
        Path client = Path.of("../../clients/python").toAbsolutePath().normalize();
        Command.Result result = Command.run(List.of("env", "PYTHONPATH=" + client, "PYTHONDONTWRITEBYTECODE=1", "TAMANOIR_OBSERVATORY_UNDER_TEST=" + url, "python3", "-m", "unittest", "discover", "-s",
                client.resolve("tests").toString()), null, PATIENCE);
        assertThat(result.errors()).containsPattern("Ran 2[0-9] tests").doesNotContain("skipped");
    }

    private TreeSet<Integer> numbers() throws Exception {
        TreeSet<Integer> numbers = new TreeSet<>();
        for (JsonNode each : ask("GET", "/v1/paths/a/b?samples=10000", null).path("sessions").path("flow/be/a/b")) {
            assertThat(numbers.add(each.path("number").asInt())).as("twice: %s", each).isTrue();
        }
        return numbers;
    }

    /** Wrong: what is acknowledged and not on the disk, what is kept twice when it comes again, a plan or a registration that dies with the process, and who waits and is not told. */
    @ParameterizedTest
    @ValueSource(strings = {"SQLite", "PostgreSQL"})
    @Tag("long")
    void whatItHasAcknowledgedOutlivesIt(String database) throws Exception {
        start(database);
        assertThat(ask("GET", "/health", null).path("database").asText()).isEqualTo(database);
        put("topology", "domains: {one: {}, two: {}}\nrules: [{suffix: a.example, domain: one}, {suffix: b.example, domain: two}]\n", "version 1 is in force");
        put("plan", plan("a, b"), "version 1 is in force, with 2 sessions");
        ask("PUT", "/v1/theodolites/a", "{\"node\":\"n\",\"anep\":\"h:1\",\"software\":\"s\"}");

        assertThat(ask("POST", "/v1/samples", STREAM.formatted(System.currentTimeMillis())).path("kept").asInt()).isEqualTo(1);
        assertThat(ask("POST", "/v1/series", SERIES.formatted(System.currentTimeMillis(), Base64.getEncoder().encodeToString(new Series(System.currentTimeMillis() - 200, new long[] {0, 100, 200},
                Map.of("rtt", new long[] {20_000, 20_100, 20_050})).encode()))).path("kept").asInt()).isEqualTo(1);

        AtomicInteger acknowledged = new AtomicInteger();
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            try {
                while (true) {
                    acknowledged.set(ask("POST", "/v1/samples", lines(acknowledged.get() + 1)).path("acknowledged").path(0).path("number").asInt());
                }
            } catch (Exception e) {
                // The observatory is killed.
            }
        });
        await().atMost(PATIENCE).until(() -> acknowledged.get() >= BEFORE_THE_KILL);
        process.kill();
        sender.get();
        start(database);

        assertThat(ask("GET", "/v1/paths/192.0.2.7/198.51.100.9/why", null).path("causes").path(0).path("word").asText()).isEqualTo("receiver");
        assertThat(ask("GET", "/v1/paths/192.0.2.7/198.51.100.9/series", null).path("legs").path("after").path("columns").path("rtt").toString()).isEqualTo("[20000,20100,20050]");
        TreeSet<Integer> kept = numbers();
        assertThat(kept).containsAll(IntStream.rangeClosed(1, acknowledged.get()).boxed().toList());
        JsonNode again = ask("POST", "/v1/samples", lines(acknowledged.get() + 1 - BATCH / 2));
        int end = acknowledged.get() + BATCH / 2;
        assertThat(again.path("kept").asInt() + again.path("known").asInt()).isEqualTo(BATCH);
        assertThat(again.path("known").asInt()).isGreaterThanOrEqualTo(BATCH / 2);
        kept = numbers();
        assertThat(kept.headSet(end, true)).hasSize(end);

        String tag = later("GET", "/v1/plan?theodolite=a", null).get().headers().firstValue("ETag").orElseThrow();
        CompletableFuture<HttpResponse<String>> waits = later("GET", "/v1/plan?theodolite=a&wait=60", null, "If-None-Match", tag);
        put("plan", plan("a, b, c"), "version 2 is in force, with 6 sessions");
        assertThat(CommandLineTool.json(waits.get().body()).path("sessions")).hasSize(2);
        if (postgres == null) {
            assertThat(CommandLineTool.run("choose", "--observatory", url, "--to", "other.b.example", "far.example", "se.a.example").output().lines().toList().get(1))
                    .matches("se\\.a\\.example +10[0-9.]+ .*domain one to domain two.*");
            thePythonClientUnderstandsIt();
        }
        process.close();
        assertThat(process.awaitExit(PATIENCE)).isZero();
    }

    /** Wrong: a request that hangs, one that is acknowledged, and costs that nobody answers while the database is away. */
    @ParameterizedTest
    @ValueSource(strings = "PostgreSQL")
    @Tag("long")
    void aDatabaseThatGoesIsSaid(String database) throws Exception {
        start(database);
        ask("PUT", "/v1/theodolites/a", "{\"node\":\"n\",\"anep\":\"h:1\",\"software\":\"s\"}");
        ask("POST", "/v1/samples", lines(1));
        LabProcess second = LabProcess.start("second", CommandLineTool.command("observatory", "run", "--listen", "127.0.0.1:0", "--data", directory.resolve("second").toString(), "--database",
                "jdbc:postgresql://" + postgres.address() + "/postgres?user=tester"));
        closed.add(second);
        assertThat(second.awaitExit(PATIENCE)).isEqualTo(5);
        assertThat(second.errors()).contains("EE-783 another observatory uses the database");
        closed.remove(postgres);
        postgres.close();
        HttpResponse<String> answer = later("POST", "/v1/samples", lines(21)).get();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        assertThat(answer.body()).contains("EE-783");
        await().atMost(PATIENCE).until(() -> ask("GET", "/health", null).path("status").asText().equals("degraded"));
        assertThat(ask("GET", "/v1/costs?from=a&to=b&size=1000000", null).path("costs").path("time").path("known").asBoolean()).isTrue();
    }
}
