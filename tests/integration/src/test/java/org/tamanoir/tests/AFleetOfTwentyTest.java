package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/**
 * Twenty nodes, a server that is killed, and three rings, of which the third stops the roll-out: all of them programs, each node with a token of its own, and a
 * stream through each all the time.
 */
@Tag("sweep")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class AFleetOfTwentyTest {
    private static final int NODES = 20;
    private static final Duration LONG = Duration.ofMinutes(3);

    @TempDir
    private Path directory;
    private final int port = FreePort.onLoopback();
    private final Map<String, NodeProgram> nodes = new LinkedHashMap<>();
    private LabProcess server;

    private static String name(int number) {
        return String.format("edge-%02d", number);
    }

    private void up() {
        server = LabProcess.start("repository", CommandLineTool.command("repository", "run", "--listen", "127.0.0.1:" + port, "--data", directory.resolve("server").toString(), "--development"));
        server.awaitLine("READY repository", Duration.ofMinutes(1));
    }

    private Command.Result fleet(String... command) {
        return CommandLineTool.here(Command.append(Command.append(List.of("fleet"), command), "--repository", "http://127.0.0.1:" + port).toArray(String[]::new));
    }

    private JsonNode status() {
        return HttpFetch.of("http://127.0.0.1:" + port, ErrorCode.REPOSITORY_UNREACHABLE).json("/fleet/status");
    }

    private static String token(String node) {
        return "token-of-" + node;
    }

    private String folder(int hops, String ofRest) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("fleet"));
        Files.createDirectories(folder.resolve("groups"));
        StringBuilder text = new StringBuilder("times: {poll: 1s, report: 2s}\nrollout: {soak: 4s, grace: 1s, silent: 60s, patience: 60s, on-stop: rollback}\n"
                + "rings: [{name: canary, labels: [canary]}, {name: west, labels: [west]}, {name: rest, labels: [rest]}]\ndefaults: {routes: {127.0.0.0/8: direct}, limits: {hops: " + hops + "}}\nnodes:\n");
        for (int i = 1; i <= NODES; i++) {
            text.append("  ").append(name(i)).append(": {labels: [").append(i <= 2 ? "canary" : i <= 10 ? "west" : "rest").append("], token-sha256: ")
                    .append(Canonical.sha256(token(name(i)).getBytes(StandardCharsets.UTF_8))).append("}\n");
        }
        Files.writeString(folder.resolve("fleet.yaml"), text);
        Files.writeString(folder.resolve("groups/rest.yaml"), ofRest);
        return folder.toString();
    }

    private void start(String name) throws IOException {
        Path token = Files.writeString(directory.resolve(name + ".token"), token(name) + "\n");
        Path file = Files.writeString(directory.resolve(name + ".yaml"), "fleet: {url: 'http://127.0.0.1:" + port + "', name: " + name + ", token-file: " + token
                + "}\nrepositories: ['http://127.0.0.1:" + port + "']\nthreads: 1\n");
        nodes.put(name, new NodeProgram(directory.resolve("data-" + name), "--listen", "127.0.0.1:0", "--config", file.toString()));
    }

    private List<Integer> hops() {
        return nodes.values().stream().map(node -> node.admin().json("/status").path("limits").path("hops").asInt()).toList();
    }

    private void awaitPhase(String phase) {
        await().atMost(LONG).pollInterval(Duration.ofMillis(200)).ignoreExceptions().until(() -> status().path("rollout").path("phase").asText().equals(phase));
    }

    /** A stream through each node; one after the other is asked something and has to answer it. */
    private static final class Streams implements AutoCloseable {
        private final TcpServer echo = TcpServer.echo();
        private final List<AnepPeer> peers = new ArrayList<>();
        private volatile boolean enough;
        private volatile int rounds;
        private CompletableFuture<Void> asking;

        Streams(Iterable<NodeProgram> nodes) throws IOException {
            for (NodeProgram node : nodes) {
                peers.add(new AnepPeer(node.address()).send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))));
            }
            asking = Grid.async(this::ask);
        }

        private void ask() {
            try {
                for (int i = 1; !enough; i++) {
                    for (AnepPeer peer : peers) {
                        peer.send(AnepPeer.data(Grid.FORWARD, ByteBuffer.allocate(Integer.BYTES).putInt(i).array()));
                    }
                    for (AnepPeer peer : peers) {
                        Packet packet = peer.receive();
                        assertThat(packet).as("a stream has ended in round %d", i).isNotNull();
                        assertThat(packet.typeId()).as("a stream got %s in round %d", packet, i).isEqualTo(Grid.FORWARD);
                        assertThat(packet.payload().getInt(0)).isEqualTo(i);
                    }
                    rounds = i;
                    Thread.sleep(50);
                }
                for (AnepPeer peer : peers) {
                    peer.finish();
                    assertThat(peer.receive()).as("its end").isNull();
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Ends all of them cleanly. @return how often each was asked and has answered */
        int finish() {
            enough = true;
            asking.join();
            return rounds;
        }

        @Override
        public void close() throws IOException {
            enough = true;
            for (AnepPeer peer : peers) {
                peer.close();
            }
            echo.close();
        }
    }

    @Test
    void goesOnRingByRingWithoutLosingAnythingAndComesBackWhereTheThirdIsSick() throws Exception {
        up();
        assertThat(CommandLineTool.here("service", "push", "--repository", "http://127.0.0.1:" + port, Grid.bundle("forward").toString()).exit()).isZero();
        assertThat(fleet("apply", folder(20, ""), "--yes", "--at-once").exit()).isZero();
        try {
            for (int i = 1; i <= NODES; i++) {
                start(name(i));
            }
            awaitPhase("DONE");
            assertThat(hops()).containsOnly(20);
            try (Streams streams = new Streams(nodes.values())) {
                theServerIsKilledInTheMiddle();
                theThirdRingIsSick();
                aNodeWithTheTokenOfAnotherIsRefused();
                int rounds = streams.finish();
                System.out.println(rounds + " questions and answers through each of " + NODES + " nodes");
                assertThat(rounds).isGreaterThan(20);
            }
        } finally {
            nodes.values().forEach(NodeProgram::close);
            server.kill();
        }
    }

    private void theServerIsKilledInTheMiddle() throws Exception {
        assertThat(fleet("apply", folder(21, ""), "--yes").exit()).isZero();
        await().atMost(LONG).until(() -> hops().subList(0, 2).equals(List.of(21, 21)));
        server.kill();
        Thread.sleep(5_000);
        assertThat(hops().subList(2, NODES)).as("nobody goes on by itself").containsOnly(20);
        up();
        awaitPhase("DONE");
        assertThat(hops()).containsOnly(21);
        assertThat(status().path("nodes").findValuesAsText("state")).containsOnly("HAS");
    }

    private void theThirdRingIsSick() throws Exception {
        assertThat(fleet("apply", folder(22, "routes: {127.9.0.0/16: '127.0.0.1:9'}\n"), "--yes").exit()).isZero();
        List<String> rest = IntStream.rangeClosed(11, NODES).mapToObj(AFleetOfTwentyTest::name).toList();
        await().atMost(LONG).until(() -> hops().subList(10, NODES).stream().allMatch(each -> each == 22));
        NodeProgram sick = nodes.get(rest.get(3));
        for (int i = 0; i < 25; i++) {
            try (AnepPeer peer = new AnepPeer(sick.address())) {
                assertThat(peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to("127.9.0.1", 7000, Delivery.RAW))).refusal()).isEqualTo(ErrorCode.UNREACHABLE);
            }
        }
        awaitPhase("STOPPED");
        System.out.println(fleet("status").output());
        assertThat(status().path("rollout").path("why").asText()).startsWith(rest.get(3) + ": 25 of ");
        await().atMost(LONG).until(() -> hops().stream().allMatch(each -> each == 21));
        assertThat(fleet("apply", folder(23, ""), "--yes", "--wait").exit()).as("a better state").isZero();
        assertThat(hops()).containsOnly(23);
    }

    /** It has a name of the fleet, and not its token. */
    private void aNodeWithTheTokenOfAnotherIsRefused() throws Exception {
        String foreign = name(1);
        Path file = directory.resolve(foreign + "-again.yaml");
        Files.writeString(file, "fleet: {url: 'http://127.0.0.1:" + port + "', name: " + foreign + ", token: " + token(name(2)) + "}\n");
        try (NodeProgram other = new NodeProgram(directory.resolve("data-foreign"), "--listen", "127.0.0.1:0", "--config", file.toString())) {
            await().atMost(LONG).untilAsserted(() -> assertThat(other.admin().json("/status").path("fleet").path("problem").asText()).startsWith("EE-643"));
            assertThat(other.admin().json("/status").path("limits").path("hops").asInt()).as("nothing of the fleet").isEqualTo(16);
        }
    }
}
