package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.ServiceBundle;

/** A stream that outlives its nodes, two of them with services on its way: one node is killed in the moment in which the others change a service. */
@Timeout(120)
@Tag("long")
class AnUpgradeAndAKillAtOnceTest {
    private static final int OCTETS = 40_000_000;
    /** The transfer takes 4 s at least, however fast the machine is. */
    private static final String RATE = "80M";
    private static final String NEXT = "9.0.0";
    /** docs/survive.md: what a node that is killed costs. */
    private static final Duration MOST_STALL = Duration.ofSeconds(2);

    private final List<NodeProgram> nodes = new ArrayList<>();

    private NodeProgram node(Grid grid, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--repository", grid.repository().url()));
        arguments.addAll(List.of(more));
        NodeProgram node = new NodeProgram(grid.directory().resolve("program" + nodes.size()), arguments.toArray(String[]::new));
        nodes.add(node);
        return node;
    }

    private static String at(NodeProgram node) {
        return "127.0.0.1:" + node.address().getPort();
    }

    private static LabProcess program(String... command) {
        return LabProcess.start(command[0], CommandLineTool.command(command));
    }

    /** Upgrades a service at every node, and kills one of them while they are at it. */
    private void upgradeAndKill(Grid grid, String service, NodeProgram victim) throws IOException {
        grid.push(ServiceBundle.of(Grid.bundle(service)).version(NEXT).in(grid.directory()));
        List<HttpFetch> others = nodes.stream().filter(node -> node.isAlive() && node != victim).map(NodeProgram::admin).toList();
        HttpFetch last = victim.admin();
        String path = "/services/" + service + "/upgrade";
        List<CompletableFuture<Void>> upgrades = others.stream().map(admin -> Grid.async(() -> admin.post(path, Map.of()))).toList();
        CompletableFuture<Void> unfinished = Grid.async(() -> last.post(path, Map.of()));
        victim.kill();
        upgrades.forEach(CompletableFuture::join);
        await().until(unfinished::isDone);
        for (HttpFetch admin : others) {
            assertThat(current(admin, service)).isEqualTo(NEXT);
        }
    }

    private static String current(HttpFetch admin, String service) {
        for (JsonNode each : admin.json("/services").path("services")) {
            if (each.path("name").asText().equals(service) && each.path("current").asBoolean()) {
                return each.path("version").asText();
            }
        }
        return "none";
    }

    private static long size(Path file) {
        try {
            return Files.exists(file) ? Files.size(file) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** The node of two that carries a stream of a session; it carries none but that. */
    private static NodeProgram carrier(NodeProgram one, NodeProgram other) {
        NodeProgram carrier = one.isAlive() && one.admin().json("/streams").path("streams").size() > 0 ? one : other;
        JsonNode stream = carrier.admin().json("/streams").path("streams").path(0);
        assertThat(stream.path("session").asText()).hasSize(16);
        assertThat(stream.path("services").toString()).isEqualTo("[\"compression\",\"monitoring\"]");
        return carrier;
    }

    /** Wrong: a version that goes while a chain still uses it; a service of another version that cannot go on with the octets of the one before. */
    @Test
    void costsAStreamNothingButAPause() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            NodeProgram last = node(grid);
            NodeProgram lastToo = node(grid);
            String routes = "127.0.0.0/8=" + at(last) + "," + at(lastToo);
            NodeProgram first = node(grid, "--route", routes);
            NodeProgram firstToo = node(grid, "--route", routes);
            // Each gets its services before.
            for (NodeProgram node : nodes) {
                for (String service : List.of("compression", "monitoring")) {
                    node.admin().put("/bundles", Grid.bundle(service));
                }
            }
            Path file = TestFile.halfCompressible(grid.directory().resolve("file"), OCTETS);
            Path received = grid.directory().resolve("received");
            Path part = received.resolveSibling("received.part");
            try (LabProcess receive = program("receive", "--resume", "--listen", "127.0.0.1:0", "--output", received.toString())) {
                String to = receive.awaitLine("READY receive ", CommandLineTool.PATIENCE).split(" ")[2];
                try (LabProcess send = program("send", "--resume", "--json", "--rate", RATE, "--via", at(first), "--via", at(firstToo), "--to", to, "--service",
                        "compression,monitoring", file.toString()); Growth growth = new Growth(part)) {
                    await().atMost(CommandLineTool.PATIENCE).until(() -> size(part) > OCTETS / 8);
                    upgradeAndKill(grid, "compression", first);
                    long had = size(part);
                    await().atMost(CommandLineTool.PATIENCE).until(() -> size(part) > had + OCTETS / 16);
                    upgradeAndKill(grid, "monitoring", carrier(last, lastToo));
                    assertThat(send.awaitExit(CommandLineTool.PATIENCE)).as(send.errors()).isZero();
                    assertThat(receive.awaitExit(CommandLineTool.PATIENCE)).as(receive.errors()).isZero();
                    JsonNode sent = CommandLineTool.json(send.output());
                    assertThat(sent.path("resumptions").asInt()).as("both losses were in the middle").isGreaterThanOrEqualTo(2);
                    assertThat(growth.longestStall()).isLessThanOrEqualTo(MOST_STALL);
                    System.out.println("an upgrade and a kill at once: longest stall " + growth.longestStall().toMillis() + " ms, " + sent);
                }
            }
            assertThat(Files.mismatch(file, received)).isEqualTo(-1);
        } finally {
            nodes.forEach(NodeProgram::close);
        }
    }

    /** Looks at a file every few milliseconds: how long it stayed as it was, between its first octet and its last. */
    private static final class Growth implements AutoCloseable {
        private final Thread thread;
        private volatile boolean stopped;
        private volatile long longest;

        Growth(Path file) {
            thread = new Thread(() -> watch(file), "growth");
            thread.setDaemon(true);
            thread.start();
        }

        private void watch(Path file) {
            long had = 0;
            long since = System.nanoTime();
            while (!stopped) {
                long has = size(file);
                long now = System.nanoTime();
                if (has > had) {
                    longest = had == 0 ? 0 : Math.max(longest, now - since);
                    had = has;
                    since = now;
                }
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        Duration longestStall() {
            return Duration.ofNanos(longest);
        }

        @Override
        public void close() {
            stopped = true;
            thread.interrupt();
        }
    }
}
