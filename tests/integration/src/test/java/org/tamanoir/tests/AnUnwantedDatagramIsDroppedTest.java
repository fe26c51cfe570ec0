package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.interest.Heard;
import org.tamanoir.client.interest.Heard.Content;
import org.tamanoir.client.interest.SpaceDatagrams;
import org.tamanoir.client.interest.SpaceStream;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.lab.FreePort;

/** Events by datagrams at a node below the root, where its rules drop what nobody wants; subscribers come and go at the root while they do. */
class AnUnwantedDatagramIsDroppedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String NOISE = "-1";

    @TempDir
    private Path directory;
    private Grid grid;
    private InetSocketAddress leaf;
    private InetSocketAddress root;
    private NodeProgram leafNode;
    private NodeProgram rootNode;
    private final TamanoirClient client = new TamanoirClient();

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        leaf = FreePort.on("127.0.0.2");
        root = FreePort.on("127.0.0.3");
        rootNode = node("root", root);
        leafNode = node("leaf", leaf);
    }

    private NodeProgram node(String name, InetSocketAddress at) throws Exception {
        Path file = Files.writeString(directory.resolve(name + ".yaml"), "peers: [127.0.0.0/8]\npolicies: {interest: {reaches: [" + root.getHostString()
                + "]}}\nlimits: {datagram-idle: 2s}\n");
        NodeProgram node = new NodeProgram(directory.resolve(name), "--config", file.toString(), "--listen", at.getHostString() + ":" + at.getPort(), "--repository", grid.repository().url());
        node.admin().put("/bundles", Grid.bundle("interest"));
        return node;
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        leafNode.close();
        rootNode.close();
        grid.close();
    }

    private SpaceStream subscriber(InetSocketAddress via) throws InterruptedException {
        return SpaceStream.open(client, new StreamRequest().via(via).to(root));
    }

    private SpaceDatagrams publisher(InetSocketAddress via) throws InterruptedException {
        return SpaceDatagrams.open(client, new StreamRequest().via(via).to(root));
    }

    private static void publish(SpaceDatagrams by, String topic, String data) throws InterruptedException {
        by.publish(topic, Content.JSON, null, data.getBytes(UTF_8));
        by.flush();
    }

    private static String next(SpaceStream subscriber) throws Exception {
        CompletableFuture<Heard> heard = CompletableFuture.supplyAsync(() -> {
            try {
                return subscriber.receive();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        return heard.get(20, TimeUnit.SECONDS) instanceof Heard.Event event ? new String(event.data(), UTF_8) : "ready";
    }

    /** What comes next but for noise, which a rule might have dropped as well: it may be under way when somebody begins to want all. */
    private static String nextBeyondNoise(SpaceStream subscriber) throws Exception {
        String heard = next(subscriber);
        while (heard.equals(NOISE)) {
            heard = next(subscriber);
        }
        return heard;
    }

    private static int rules(NodeProgram node) {
        return node.admin().json("/services/interest/inspect/spaces").path("spaces").path(0).path("dropRules").asInt();
    }

    private static long dropped(NodeProgram node) {
        return node.admin().json("/services/interest/inspect/spaces").path("spaces").path(0).path("droppedBelow").asLong();
    }

    @Test
    @Tag("long")
    void butNeverOnceItIsWanted() throws Exception {
        try (SpaceDatagrams publisher = publisher(leaf); SpaceStream subscriber = subscriber(root)) {
            subscriber.subscribe("{\"topic\":\"wanted\"}");
            assertThat(next(subscriber)).isEqualTo("ready");
            publish(publisher, "wanted", "0");
            assertThat(next(subscriber)).isEqualTo("0");
            await().atMost(PATIENCE).until(() -> rules(leafNode) == TopicGroups.COUNT - 1);
            long before = dropped(leafNode);
            for (int i = 0; i < 20; i++) {
                publish(publisher, "topic/" + i, NOISE);
            }
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(dropped(leafNode) - before).isBetween(19L, 20L));
            racing(subscriber);
            subscriber.subscribe("{\"topic\":\"#\"}");
            assertThat(nextBeyondNoise(subscriber)).isEqualTo("ready");
            assertThat(rules(leafNode)).isZero();
            publish(publisher, "anything", "1");
            assertThat(nextBeyondNoise(subscriber)).isEqualTo("1");
        }
        fromACommand();
        nothingIsLeftWhenTheServiceGoes();
    }

    private void nothingIsLeftWhenTheServiceGoes() {
        await().atMost(PATIENCE).until(() -> rules(leafNode) == TopicGroups.COUNT);
        assertThat(leafNode.admin().json("/rules").path("rules")).hasSize(TopicGroups.COUNT);
        leafNode.admin().delete("/services/interest");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(leafNode.admin().json("/rules").path("rules")).isEmpty());
    }

    /** Somebody publishes without pause; what he publishes after another has heard that it is in force comes, whatever the rules were at that moment. */
    private void racing(SpaceStream subscriber) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (SpaceDatagrams publisher = publisher(leaf)) {
            CompletableFuture<Void> flood = Grid.async(() -> {
                try (SpaceDatagrams other = publisher(leaf)) {
                    for (int i = 0; i < 1_000_000 && !over.get(); i++) {
                        publish(other, "noise/" + i % 5000, NOISE);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            try {
                for (int i = 0; i < 120; i++) {
                    int number = subscriber.subscribe(i % 40 == 39 ? "{\"topic\":\"race/#\"}" : "{\"topic\":\"race/" + i + "\"}");
                    assertThat(next(subscriber)).isEqualTo("ready");
                    publish(publisher, "race/" + i, "race" + i);
                    assertThat(next(subscriber)).isEqualTo("race" + i);
                    subscriber.unsubscribe(number);
                    if (i % 40 == 39) {
                        // Until rules are there again.
                        await().atMost(PATIENCE).until(() -> rules(leafNode) > 0);
                    }
                }
            } finally {
                over.set(true);
                flood.join();
            }
        }
    }

    private void fromACommand() throws Exception {
        try (SpaceStream subscriber = subscriber(leaf)) {
            subscriber.subscribe("{\"topic\":\"sensors/#\",\"where\":\"topic == 'sensors/7' && data.t > 30\"}");
            assertThat(next(subscriber)).isEqualTo("ready");
            Path lines = Files.writeString(directory.resolve("lines"), "{\"t\":31}\n{\"t\":12}\n{\"t\":32}\n");
            List<String> command = CommandLineTool.command("publish", "--udp", "--via", root.getHostString() + ":" + root.getPort(), "--to", root.getHostString() + ":" + root.getPort(), "sensors/7");
            Process process = new ProcessBuilder(command).redirectInput(lines.toFile()).redirectErrorStream(true).start();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(new String(process.getInputStream().readAllBytes(), UTF_8)).isZero();
            assertThat(next(subscriber)).isEqualTo("{\"t\":31}");
            assertThat(next(subscriber)).isEqualTo("{\"t\":32}");
        }
        try (SpaceDatagrams publisher = publisher(leaf)) {
            assertThatThrownBy(() -> publisher.publish("a", Content.OCTETS, null, new byte[2000])).isInstanceOf(AnepException.class).hasMessageContaining("EE-408");
        }
    }
}
