package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;

/** Against a server that answers as a node's admin API does. */
@Timeout(60)
class NodeServiceCommandsTest {
    private static final String SHA256 = "0123456789abcdef".repeat(4);

    private static final String TAG = "\"0123\"";

    private final List<String> tags = Collections.synchronizedList(new ArrayList<>());
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch watched = new CountDownLatch(1);
    private final CountDownLatch read = new CountDownLatch(1);
    @TempDir
    private Path directory;
    private HttpServer node;

    @BeforeEach
    void start() throws IOException {
        Path uploads = Files.createDirectory(directory.resolve("uploads"));
        node = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
                .route("GET", "/services", request -> Response.json(Map.of("services", List.of(service("monitoring", "1.10.0", "active", true),
                        service("monitoring", "1.9.3", "draining", false), failed()))))
                .route("GET", "/events", request -> Response.events(events -> {
                    events.send("other", "not for us");
                    events.send("service", "{\"time\":\"2026-11-21T12:00:00.250Z\",\"typeId\":\"0x5402\",\"name\":null,\"version\":null,"
                            + "\"from\":null,\"to\":\"resolving\",\"source\":null,\"reason\":null}");
                    events.send("service", "{\"time\":\"2026-11-21T12:00:00.250Z\",\"typeId\":\"0x5402\",\"name\":\"monitoring\",\"version\":\"1.0.0\","
                            + "\"from\":\"installing\",\"to\":\"failed\",\"source\":\"store\",\"reason\":\"EE-305 it throws\"}");
                    watched.countDown();
                    try {
                        read.await(30, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    events.close();
                }))
                .route(Route.of("PUT", "/bundles", this::deploy).uploads(uploads, 1 << 20))
                .route("POST", "/services/{name}/upgrade", this::upgrade)
                .route("DELETE", "/services/{name}", request -> {
                    asked.add(request.parameter("name") + " " + request.query("version"));
                    return Response.json(Map.of("services", List.of(service(request.parameter("name"), "1.9.3", "draining", false))));
                })
                .route("GET", "/streams", request -> Response.json(Map.of("streams", List.of(Map.of("number", 1, "session", "00000000000000c7", "epoch", 2),
                        Map.of("number", 2)))))
                .route("GET", "/pins", request -> pins())
                .route("PUT", "/pins", request -> {
                    asked.add(request.json(Map.class).toString());
                    tags.add(request.header("If-Match").orElse(null));
                    if (!TAG.equals(request.header("If-Match").orElse(null))) {
                        throw new AnepException(ErrorCode.CHANGED_MEANWHILE, "the pins are others now");
                    }
                    return pins();
                })
                .route("DELETE", "/pins", request -> {
                    asked.add(request.query("prefix").orElse("") + " " + request.query("service").orElse(""));
                    throw new AnepException(ErrorCode.NOT_FOUND, "nothing is pinned there");
                }).start();
    }

    @AfterEach
    void stop() {
        read.countDown();
        node.close();
    }

    private static Map<String, Object> service(String name, String version, String state, boolean current) {
        Map<String, Object> service = new LinkedHashMap<>();
        service.put("typeId", "0x5402");
        service.put("name", name);
        service.put("version", version);
        service.put("level", "middle");
        service.put("state", state);
        service.put("source", "node 203.0.113.7:3324");
        service.put("publisher", "example.org");
        service.put("reason", null);
        service.put("advice", null);
        service.put("waitMillis", 113);
        service.put("sha256", SHA256);
        service.put("current", current);
        service.put("streams", 12);
        service.put("streamsTotal", 1234);
        service.put("packets", 12_345_678);
        service.put("errors", 0);
        return service;
    }

    private static Map<String, Object> failed() {
        Map<String, Object> service = service(null, null, "failed", false);
        service.put("source", null);
        service.put("publisher", null);
        service.put("reason", "EE-302 http://127.0.0.1:3325 cannot be reached: nothing takes connections there");
        service.put("advice", "start the repository, or name another one");
        return service;
    }

    private Response deploy(Request request) throws IOException {
        String body = Files.readString(request.file());
        asked.add("deploy " + body + request.query("dry-run").map(value -> " dry-run=" + value).orElse(""));
        if (body.startsWith("unsigned")) {
            throw new AnepException(ErrorCode.UNSIGNED, "nobody has signed it");
        }
        return Response.json(request.query("dry-run").isPresent() ? plan("1.9.3", "1.10.0", 1) : service("monitoring", "1.10.0", "active", true));
    }

    private Response upgrade(Request request) {
        Map<?, ?> body = request.json(Map.class);
        asked.add(request.parameter("name") + " " + body);
        if (request.parameter("name").equals("nothing")) {
            throw new AnepException(ErrorCode.UNKNOWN_SERVICE, "no source has a service nothing");
        }
        return Response.json(plan("1.9.3", "9.9.9".equals(body.get("version")) ? null : "1.10.0", 2));
    }

    private static Map<String, Object> plan(String from, String to, int streams) {
        Map<String, Object> plan = new LinkedHashMap<>();
        plan.put("name", "monitoring");
        plan.put("typeId", "0x5402");
        plan.put("from", from);
        plan.put("to", to);
        plan.put("source", "http://127.0.0.1:3325");
        plan.put("sha256", SHA256);
        plan.put("publisher", "example.org");
        plan.put("unreachable", to == null ? List.of("EE-302 http://127.0.0.1:9 cannot be reached") : List.of());
        plan.put("drain", "10m");
        List<Map<String, Object>> affected = new ArrayList<>();
        for (int i = 1; i <= streams; i++) {
            affected.add(Map.of("number", i, "id", "00000000000000a" + i, "source", "192.0.2.1:5000", "destination", "198.51.100.1:7000",
                    "version", from));
        }
        plan.put("streams", affected);
        return plan;
    }

    private static Response pins() {
        return Response.json(Map.of("pins", List.of(Map.of("prefix", "198.51.100.0/24", "service", "monitoring", "version", "1.9.3")))).header("ETag", TAG);
    }

    private Launched run(String... command) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(List.of("--node", node.url()));
        return Launched.here(arguments.toArray(new String[0]));
    }

    private static JsonNode json(Launched launched) throws IOException {
        return new ObjectMapper().readTree(launched.out());
    }

    @Test
    void theTableSaysWhichVersionIsCurrentAndWhatToDoAndFitsATerminal() throws Exception {
        Launched services = run("node", "services");
        assertThat(services.exit()).as(services.err()).isEqualTo(ExitCode.DONE);
        List<String> lines = services.out().lines().toList();
        assertThat(lines).hasSize(6).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
        assertThat(lines.get(1)).matches("0x5402 +monitoring +1\\.10\\.0 +active +yes +12 +12345678 +0 +113 ms +node 203\\.0\\.113\\.7:3324 +example\\.org");
        assertThat(lines.get(2)).contains("1.9.3", "draining", " - ");
        assertThat(lines.subList(4, 6)).extracting(String::strip).containsExactly(
                "EE-302 http://127.0.0.1:3325 cannot be reached: nothing takes connections there", "do: start the repository, or name another one");
    }

    @Test
    void aWatchPrintsALineForEachChangeAtOnceAndSaysWhenTheNodeIsGone() throws Exception {
        Launched watch = run("node", "services", "--watch");
        assertThat(watched.await(20, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 500 && watch.out().lines().count() < 2; i++) {
            Thread.sleep(10);
        }
        List<String> lines = watch.out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).matches("2026-11-2\\d \\d\\d:\\d\\d:00\\.250  0x5402  resolving");
        assertThat(lines.get(1)).endsWith("  0x5402 monitoring 1.0.0  installing -> failed  from store  EE-305 it throws")
                .startsWith(lines.get(0).substring(0, 23));
        read.countDown();
        assertThat(watch.exit()).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(watch.err()).startsWith("EE-204").contains("has stopped");
    }

    @Test
    void aWatchForProgramsPrintsOneObjectALine() throws Exception {
        read.countDown();
        Launched watch = run("node", "services", "--watch", "--json");
        assertThat(watch.exit()).isEqualTo(ExitCode.UNREACHABLE);
        List<String> lines = watch.out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(new ObjectMapper().readTree(lines.get(1)).path("to").asText()).isEqualTo("failed");
    }

    @Test
    void aBundleIsDeployedAndOneThatIsRefusedDoesNotHoldUpTheOthers() throws Exception {
        String good = Files.writeString(directory.resolve("good.jar"), "good").toString();
        String bad = Files.writeString(directory.resolve("bad.jar"), "unsigned").toString();
        Launched deploy = run("service", "deploy", bad, good);
        assertThat(deploy.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(deploy.err()).isEqualToIgnoringNewLines("EE-312 " + bad + ": nobody has signed it");
        assertThat(deploy.out()).contains("monitoring", "1.10.0", "active");
        Launched json = run("service", "deploy", "--json", bad, good);
        assertThat(json.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(json(json).path("deployed").get(0).path("version").asText()).isEqualTo("1.10.0");
        assertThat(json(json).path("refused").get(0).path("code").asText()).isEqualTo("EE-312");
        Launched plan = run("service", "deploy", "--dry-run", good);
        assertThat(plan.exit()).isEqualTo(ExitCode.DONE);
        assertThat(plan.out()).contains("would go from 1.9.3 to 1.10.0", "1 stream stays on the old version for at most 10m");
        assertThat(asked).containsExactly("deploy unsigned", "deploy good", "deploy unsigned", "deploy good", "deploy good dry-run=true");
        assertThat(run("service", "deploy", directory.resolve("none.jar").toString()).exit()).isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void anUpgradeSaysWhatBecomesOfWhichStreams() throws Exception {
        Launched dry = run("service", "upgrade", "monitoring", "--dry-run");
        assertThat(dry.exit()).isEqualTo(ExitCode.DONE);
        assertThat(dry.out().lines()).hasSize(7).anySatisfy(line -> assertThat(line)
                .matches(" 1 +00000000000000a1 +1\\.9\\.3 +192\\.0\\.2\\.1:5000 +198\\.51\\.100\\.1:7000"));
        assertThat(dry.out()).startsWith("monitoring (0x5402): would go from 1.9.3 to 1.10.0\nsource http://127.0.0.1:3325, publisher example.org\n")
                .contains("SHA-256 " + SHA256, "new streams would get 1.10.0; 2 streams stay on the old version for at most 10m");
        Launched nothing = run("service", "upgrade", "monitoring", "--version", "9.9.9");
        assertThat(nothing.exit()).isEqualTo(ExitCode.DONE);
        assertThat(nothing.out().lines()).containsExactly("not asked: EE-302 http://127.0.0.1:9 cannot be reached",
                "monitoring (0x5402): nothing newer than 1.9.3 is to be had");
        Launched json = run("service", "upgrade", "monitoring", "--json");
        assertThat(json(json.exit() == 0 ? json : null).path("streams")).hasSize(2);
        assertThat(run("service", "upgrade", "nothing").exit()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(asked).containsExactly("monitoring {version=null, dryRun=true}", "monitoring {version=9.9.9, dryRun=false}",
                "monitoring {version=null, dryRun=false}", "nothing {version=null, dryRun=false}");
    }

    @Test
    void aServiceIsTakenFromANodeWholeOrOneVersionOfIt() throws Exception {
        Launched all = run("service", "undeploy", "monitoring");
        assertThat(all.exit()).as(all.err()).isEqualTo(ExitCode.DONE);
        assertThat(all.out()).contains("draining");
        assertThat(run("service", "undeploy", "monitoring", "--version", "1.9.3").exit()).isEqualTo(ExitCode.DONE);
        assertThat(asked).containsExactly("monitoring " + Optional.empty(), "monitoring " + Optional.of("1.9.3"));
    }

    @Test
    void versionsArePinnedShownAndLetGo() throws Exception {
        Launched pin = run("node", "pin", "198.51.100.0/24", "monitoring", "1.9.3");
        assertThat(pin.exit()).as(pin.err()).isEqualTo(ExitCode.DONE);
        assertThat(pin.out().lines().toList()).hasSize(2).last().asString().matches("198\\.51\\.100\\.0/24 +monitoring +1\\.9\\.3");
        assertThat(run("node", "pins", "--json").exit()).isEqualTo(ExitCode.DONE);
        Launched unpin = run("node", "unpin", "2001:db8::/32", "monitoring");
        assertThat(unpin.exit()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(unpin.err()).contains("EE-407 nothing is pinned there");
        assertThat(asked).containsExactly("{prefix=198.51.100.0/24, service=monitoring, version=1.9.3}", "2001:db8::/32 monitoring");
    }

    @Test
    void aStreamThatOutlivesItsNodesIsMarked() throws Exception {
        Launched streams = run("node", "streams");
        assertThat(streams.exit()).as(streams.err()).isEqualTo(ExitCode.DONE);
        assertThat(streams.out().lines().toList()).satisfiesExactly(head -> assertThat(head).contains("SESSION"),
                resumed -> assertThat(resumed).contains(" 00000000000000c7/2 "), ordinary -> assertThat(ordinary).doesNotContain("/"));
        Launched json = run("node", "streams", "--json");
        assertThat(json.exit()).isEqualTo(ExitCode.DONE);
        assertThat(json(json).path("streams").path(0).path("epoch").asInt()).isEqualTo(2);
    }

    @Test
    void aChangeIsForWhatWasReadAndForNothingElse() throws Exception {
        assertThat(Launched.here("node", "pin", "198.51.100.0/24", "monitoring", "1.9.3", "--node", node.url().substring("http://".length())).exit())
                .as("HOST:PORT").isEqualTo(ExitCode.DONE);
        Launched late = run("node", "pin", "198.51.100.0/24", "monitoring", "1.9.3", "--if-match", "older");
        assertThat(late.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(late.err()).contains("EE-413 the pins are others now");
        assertThat(tags).containsExactly(TAG, "\"older\"");
    }
}
