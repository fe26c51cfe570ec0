package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** Three nodes as processes agree who holds a group: a program asks its own, one of them is killed, and so is a second. */
class AGroupHasOneHolderTest {
    private static final int TYPE = 0x5411;
    private static final int LEASE_MILLIS = 1500;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;
    private Grid grid;
    private HttpServer origin;
    private final List<Integer> ports = new ArrayList<>();
    private final List<NodeProgram> nodes = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        origin = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        origin.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Cache-Control", "max-age=0");
            exchange.getResponseHeaders().set("ETag", "\"one\"");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        origin.start();
        for (int i = 0; i < 3; i++) {
            ports.add(FreePort.onLoopback());
        }
        List<CompletableFuture<NodeProgram>> starting = IntStream.range(0, 3).mapToObj(i -> CompletableFuture.supplyAsync(() -> node(i))).toList();
        starting.forEach(node -> nodes.add(node.join()));
    }

    private NodeProgram node(int index) {
        StringBuilder members = new StringBuilder();
        ports.forEach(port -> members.append(members.isEmpty() ? "" : ", ").append("127.0.0.1:").append(port));
        String warm = ", cache: {warm: 'http://127.0.0.1:" + origin.getAddress().getPort() + "/', warm-every: 1s, warm-group: caches}";
        Path file = written("node" + index + ".yaml", "peers: [127.0.0.1]\nservices: {election: {members: '" + members + "', longest-lease: 6s}" + warm + "}\n"
                + "policies: {election: {reaches: [127.0.0.1]}, cache: {reaches: [127.0.0.1]}}\n");
        NodeProgram node = new NodeProgram(directory.resolve("data" + index), "--config", file.toString(), "--listen", "127.0.0.1:" + ports.get(index), "--repository", grid.repository().url());
        // It takes streams to its own node, and so has to be there before one comes.
        node.admin().put("/bundles", bundle("election"));
        node.admin().put("/bundles", bundle("cache"));
        return node;
    }

    private Path written(String name, String content) {
        try {
            return Files.writeString(directory.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path bundle(String service) {
        try {
            return Grid.bundle(service);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void stop() throws Exception {
        nodes.forEach(NodeProgram::close);
        origin.stop(0);
        grid.close();
    }

    /** A program beside a node. */
    private final class Program implements AutoCloseable {
        private final AnepPeer peer;

        Program(int node) throws IOException {
            peer = new AnepPeer(nodes.get(node).address()).send(AnepPeer.opening(TYPE, AnepPeer.to(ports.get(node), Delivery.ANEP)));
        }

        JsonNode asks(String line) throws IOException {
            peer.send(AnepPeer.data(TYPE, (line + "\n").getBytes(UTF_8)));
            Packet packet = peer.receive();
            assertThat(packet.typeId()).as("%s", packet.options().error()).isEqualTo(TYPE);
            return JSON.readTree(packet.payload().toString(UTF_8));
        }

        JsonNode wants(String holder) throws IOException {
            return asks("{\"group\":\"g\",\"holder\":\"" + holder + "\",\"lease\":" + LEASE_MILLIS + "}");
        }

        @Override
        public void close() throws IOException {
            peer.close();
        }
    }

    private long holds(int node, String holder) {
        long[] number = new long[1];
        await(holder + " holds it").atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).ignoreExceptions().until(() -> {
            try (Program program = new Program(node)) {
                JsonNode answer = program.wants(holder);
                number[0] = answer.path("number").asLong();
                return answer.path("holder").asText().equals(holder) && answer.path("remaining").asLong() > LEASE_MILLIS / 2;
            }
        });
        return number[0];
    }

    @Test
    @Tag("long")
    void whoHoldsItKeepsItUntilHisLeaseIsOverWhateverNodeIsKilled() throws Exception {
        whatIsNoQuestionIsRefused();
        long first = holds(0, "ada");
        try (Program beside = new Program(1); Program same = new Program(0)) {
            assertThat(beside.wants("grace").path("holder").asText()).as("who has it already").isEqualTo("ada");
            assertThat(same.wants("ada").path("number").asLong()).as("whoever renews keeps his number").isEqualTo(first);
            assertThat(beside.asks("{\"who\":\"g\"}").path("holder").asText()).isEqualTo("ada");
        }
        assertThat(warming(0, 1, 2)).as("nodes whose cache is warmed: one, for they name the same group").hasSize(1);
        nodes.get(0).kill();
        // The program of the node that is gone does not renew: somebody else follows, and with a larger number.
        long begin = System.nanoTime();
        long second = holds(1, "grace");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("two leases").isLessThan(Duration.ofMillis(2 * LEASE_MILLIS + 2000));
        assertThat(second).isGreaterThan(first);
        try (Program other = new Program(2)) {
            assertThat(other.wants("ada").path("holder").asText()).isEqualTo("grace");
            assertThat(other.asks("{\"group\":\"g\",\"holder\":\"grace\",\"release\":true}").path("released").asBoolean()).isTrue();
        }
        assertThat(holds(2, "ada")).as("at once after a release").isGreaterThan(second);
        assertThat(warming(1, 2)).as("by a service as by a program: one of those that are left").hasSize(1);
        nodes.get(1).kill();
        try (Program alone = new Program(2)) {
            JsonNode answer = alone.wants("ada");
            assertThat(answer.has("number")).as("%s: one of three is no majority", answer).isFalse();
            assertThat(answer.path("error").asText()).startsWith("EE-204");
        }
        nodes.set(0, node(0));
        assertThat(holds(2, "ada")).as("the first is back, and has kept silent for a lease").isGreaterThan(second);
    }

    /** Those of some nodes whose cache asks its origin by itself, within a few seconds. */
    private List<Integer> warming(int... of) {
        return await().atMost(Duration.ofSeconds(15)).until(() -> {
            Map<Integer, Double> before = Arrays.stream(of).boxed().collect(Collectors.toMap(i -> i, this::requests));
            Thread.sleep(2200);
            return Arrays.stream(of).boxed().filter(i -> requests(i) > before.get(i)).toList();
        }, found -> !found.isEmpty());
    }

    private double requests(int node) {
        String text = new String(nodes.get(node).admin().bytes("/metrics", 1 << 20), UTF_8);
        return text.lines().filter(line -> line.startsWith("tamanoir_cache_requests_total")).mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
    }

    private void whatIsNoQuestionIsRefused() throws Exception {
        for (String line : List.of("nonsense", "{\"group\":\"g\"}", "{\"group\":\"g\",\"holder\":\"h\",\"lease\":5}", "{\"group\":\"\",\"holder\":\"h\",\"lease\":2000}")) {
            try (AnepPeer peer = new AnepPeer(nodes.get(0).address()).send(AnepPeer.opening(TYPE, AnepPeer.to(ports.get(0), Delivery.ANEP)))) {
                assertThat(peer.send(AnepPeer.data(TYPE, (line + "\n").getBytes(UTF_8))).refusal()).as(line).isEqualTo(ErrorCode.BAD_CONTENT);
            }
        }
        try (AnepPeer peer = new AnepPeer(nodes.get(0).address()).send(AnepPeer.opening(TYPE, AnepPeer.to(ports.get(0), Delivery.ANEP)))) {
            assertThat(peer.send(AnepPeer.data(TYPE, "{\"member\":7}\n".getBytes(UTF_8))).refusal()).isEqualTo(ErrorCode.NOT_PERMITTED);
        }
        try (AnepPeer peer = new AnepPeer(nodes.get(0).address()).send(AnepPeer.opening(TYPE, AnepPeer.to(1, Delivery.ANEP)))) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.SERVICE_REFUSED);
        }
    }

    private LabProcess elect(int number, Path log) {
        return LabProcess.start("elect" + number, CommandLineTool.command("elect", "--via", "127.0.0.1:" + ports.get(number), "--via", "127.0.0.1:" + ports.get(2), "--lease", "6s",
                "--holder", "host" + number, "g", "--", "sh", "-c", "echo $TAMANOIR_NUMBER $TAMANOIR_GROUP host" + number + " >> " + log + "; exec sleep 60"));
    }

    private static List<String> lines(Path log) throws IOException {
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    /** The process that holds it dies, and with it what it ran; then the node that the next one has asked, which is no reason to stop. */
    @Test
    @Tag("long")
    void aCommandRunsOnOneMachineOfMany() throws Exception {
        Path log = directory.resolve("log");
        LabProcess first = elect(0, log);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lines(log)).as(first.errors()).hasSize(1));
        try (LabProcess second = elect(1, log)) {
            await().atMost(Duration.ofSeconds(20)).until(() -> second.errors().contains("host0 holds g"));
            long sleeper = ProcessHandle.of(first.pid()).orElseThrow().descendants().findFirst().orElseThrow().pid();
            first.kill();
            await("the command has ended with it").until(() -> ProcessHandle.of(sleeper).isEmpty());
            await().atMost(Duration.ofSeconds(20)).until(() -> lines(log).size() == 2);
            nodes.get(1).kill();
            Thread.sleep(6500);
            assertThat(second.isAlive()).as("another node renews the lease").isTrue();
            nodes.set(1, node(1));
            Thread.sleep(10_000);
            assertThat(second.isAlive()).as("a node that has restarted makes its number grow, which is no reason to end: %s", second.errors()).isTrue();
            nodes.get(1).kill();
            List<String> ran = lines(log);
            assertThat(ran).hasSize(2);
            assertThat(ran.get(0)).endsWith(" g host0");
            assertThat(ran.get(1)).endsWith(" g host1");
            assertThat(Long.parseLong(ran.get(1).split(" ")[0])).isGreaterThan(Long.parseLong(ran.get(0).split(" ")[0]));
            // One that is there and says nothing must not keep the command running beyond the lease.
            nodes.get(2).freeze();
            assertThat(second.awaitExit(Duration.ofSeconds(15))).as("without an answer it is lost: %s", second.errors()).isEqualTo(5);
        }
    }
}
