package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** Three nodes as processes in a row, the last of them the root of a space, with a program at each; the one in the middle is killed, and then the one beside a program. */
class AnEventGoesWhereItIsWantedTest {
    private static final int NODES = 3;
    private static final int ROOT = 2;
    /** {@code package lab; message Reading { double t = 1; }}, compiled. */
    private static final String DESCRIPTORS = "CiwKB3IucHJvdG8SA2xhYiIUCgdSZWFkaW5nEgkKAXQYASABKAFiBnByb3RvMw==";

    @TempDir
    private Path directory;
    private Grid grid;
    private final List<Integer> ports = new ArrayList<>();
    private final List<NodeProgram> nodes = new ArrayList<>();
    private final TamanoirClient client = new TamanoirClient();

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        for (int i = 0; i < NODES; i++) {
            ports.add(FreePort.on(host(i)).getPort());
        }
        List<CompletableFuture<NodeProgram>> starting = IntStream.range(0, NODES).mapToObj(i -> CompletableFuture.supplyAsync(() -> node(i))).toList();
        starting.forEach(node -> nodes.add(node.join()));
        // The root takes streams to itself, and so has to have it before one comes. One after the other: it brings much, and each has 10 s to start it.
        nodes.forEach(AnEventGoesWhereItIsWantedTest::deploy);
    }

    /** Each has an address of its own, so that there are routes. */
    private static String host(int node) {
        return "127.0.0." + (node + 2);
    }

    private NodeProgram node(int index) {
        String next = index == 0 ? "routes: {" + host(ROOT) + ": '" + host(1) + ":" + ports.get(1) + "'}\n" : "";
        try {
            Path file = Files.writeString(directory.resolve("node" + index + ".yaml"),
                    next + "peers: [127.0.0.0/8]\npolicies: {interest: {reaches: [" + host(ROOT) + "]}}\n");
            return new NodeProgram(directory.resolve("data" + index), "--config", file.toString(), "--listen", host(index) + ":" + ports.get(index), "--repository", grid.repository().url());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static NodeProgram deploy(NodeProgram node) {
        try {
            node.admin().put("/bundles", Grid.bundle("interest"));
            return node;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        nodes.forEach(NodeProgram::close);
        grid.close();
    }

    /** A program beside a node, and what it has heard. */
    private final class Program implements AutoCloseable {
        private final SpaceStream stream;
        private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

        Program(int node) throws InterruptedException {
            stream = SpaceStream.open(client, new StreamRequest().via(nodes.get(node).address()).to(new InetSocketAddress(host(ROOT), ports.get(ROOT))));
            Thread listener = new Thread(this::listen, "listener");
            listener.setDaemon(true);
            listener.start();
        }

        private void listen() {
            try {
                for (Heard next = stream.receive(); next != null; next = stream.receive()) {
                    heard.add(next instanceof Heard.Event event ? new String(event.data(), UTF_8) : next);
                }
                heard.add("end");
            } catch (AnepException e) {
                heard.add(e.code().toString());
            } catch (IllegalStateException e) {
                // The test has closed it.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        Object hears() throws InterruptedException {
            return heard.poll(20, TimeUnit.SECONDS);
        }

        Program wants(String filter) throws InterruptedException {
            int number = stream.subscribe(filter);
            assertThat(hears()).isEqualTo(new Heard.Ready(number));
            return this;
        }

        void says(String topic, double x, String data) throws InterruptedException {
            stream.publish(topic, Content.JSON, new double[] {x, 0}, data.getBytes(UTF_8));
            stream.flush();
        }

        @Override
        public void close() {
            stream.close();
        }
    }

    @Test
    @Tag("long")
    void whateverNodeDiesSubscriptionsAreInForceAgain() throws Exception {
        try (Program leaf = new Program(0); Program middle = new Program(1); Program publisher = new Program(ROOT); Program back = new Program(0)) {
            leaf.wants("{\"topic\":\"sensors/#\",\"where\":\"data.t > 30.0\"}");
            middle.wants("{\"topic\":\"#\",\"region\":[0,-1,10,1]}");
            publisher.says("sensors/1", 20, "{\"t\":29}");
            publisher.says("sensors/1", 20, "{\"t\":31}");
            publisher.says("cameras/1", 5, "{\"n\":1}");
            assertThat(leaf.hears()).isEqualTo("{\"t\":31}");
            assertThat(middle.hears()).isEqualTo("{\"n\":1}");
            back.says("sensors/2", 5, "{\"t\":32}");
            assertThat(leaf.hears()).as("from a program at the same node").isEqualTo("{\"t\":32}");
            assertThat(middle.hears()).as("and a node further").isEqualTo("{\"t\":32}");
            assertThat(wanted(0)).as("of the leaf's events those that the middle wants").contains("\"is\":\"above\",\"wants\":1");

            everyKindOfData(publisher);

            nodes.get(1).kill();
            assertThat(middle.hears()).as("a program sees the end of its node").isIn("end", "EE-211");
            nodes.set(1, deploy(node(1)));
            int[] number = {40};
            await("the leaf has done nothing, and is told").atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(200)).until(() -> {
                publisher.says("sensors/1", 20, "{\"t\":" + number[0]++ + "}");
                return leaf.heard.poll(200, TimeUnit.MILLISECONDS) instanceof String;
            });
            refusals();
        }
    }

    /** What the bundle carries for it is all there. */
    private void everyKindOfData(Program publisher) throws Exception {
        try (Program chooser = new Program(1)) {
            chooser.wants("{\"topic\":\"p\",\"where\":\"data.t > 30\",\"message\":\"lab.Reading\",\"descriptors\":\"" + DESCRIPTORS + "\"}")
                    .wants("{\"topic\":\"c\",\"where\":\"data.v == 'IETF'\",\"region\":{\"polygon\":[[0,0],[10,0],[5,10]]},\"every\":1}");
            // t is 31.5, then 29.5; v is "IETF" below and above the edge of the triangle.
            byte[] warm = HexFormat.of().parseHex("090000000000803f40");
            publisher.stream.publish("p", Content.PROTOBUF, null, HexFormat.of().parseHex("090000000000803d40"));
            publisher.stream.publish("p", Content.PROTOBUF, null, warm);
            publisher.stream.flush();
            assertThat(chooser.hears()).isEqualTo(new String(warm, UTF_8));
            byte[] named = HexFormat.of().parseHex("a161766449455446");
            publisher.stream.publish("c", Content.CBOR, new double[] {1, 9}, named);
            publisher.stream.publish("c", Content.CBOR, new double[] {5, 5}, named);
            publisher.stream.flush();
            assertThat(chooser.hears()).isEqualTo(new String(named, UTF_8));
            assertThat(chooser.heard).isEmpty();
        }
    }

    private String wanted(int node) {
        return nodes.get(node).admin().json("/services/interest/inspect/spaces").toString();
    }

    /** Each costs its own stream, with a code, and the program beside goes on. */
    private void refusals() throws Exception {
        try (Program other = new Program(0).wants("{\"topic\":\"#\"}")) {
            for (String filter : List.of("{\"topic\":\"a\",\"where\":\"data.t >\"}", "no filter", "{\"topic\":\"a\",\"where\":\"[1].all(e, e > 0)\"}")) {
                try (Program bad = new Program(0)) {
                    bad.stream.subscribe(filter);
                    assertThat(bad.hears()).as(filter).isEqualTo("EE-109");
                }
            }
            try (Program greedy = new Program(0)) {
                assertThatThrownBy(() -> {
                    for (int i = 0; i < 1_000_000; i++) {
                        greedy.stream.subscribe("{\"topic\":\"t/" + i + "\"}");
                    }
                }).isInstanceOf(AnepException.class);
                await().until(() -> greedy.heard.contains("EE-309"));
            }
            try (Program publisher = new Program(ROOT)) {
                publisher.says("a", 0, "still there");
                assertThat(other.hears()).isEqualTo("still there");
            }
        }
    }

    private SpaceDatagrams datagrams() throws InterruptedException {
        return SpaceDatagrams.open(client, new StreamRequest().via(nodes.get(0).address()).to(new InetSocketAddress(host(ROOT), ports.get(ROOT))));
    }

    /** Whoever hears that a filter is in force, when nodes are joined again, gets what is published by datagrams at the far end, where rules drop the rest. */
    @Test
    @Tag("long")
    void byDatagramsTooOnceItIsInForce() throws Exception {
        try (SpaceDatagrams publisher = datagrams(); Program subscriber = new Program(ROOT)) {
            inForce(subscriber, publisher, 0);
            nodes.get(1).kill();
            await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(50)).until(() -> wanted(0).contains("\"dropRules\":0"));
            nodes.set(1, deploy(node(1)));
            inForce(subscriber, publisher, 1);
        }
    }

    @Test
    @Tag("sweep")
    void byDatagramsTooWhenTheRootWasKilled() throws Exception {
        try (SpaceDatagrams publisher = datagrams()) {
            try (Program subscriber = new Program(ROOT)) {
                inForce(subscriber, publisher, 0);
            }
            nodes.get(ROOT).kill();
            nodes.set(ROOT, deploy(node(ROOT)));
            await().atMost(Duration.ofSeconds(40)).until(() -> wanted(1).contains("\"state\":\"joined\""));
            try (Program subscriber = new Program(ROOT)) {
                inForce(subscriber, publisher, 1);
            }
        }
    }

    private void inForce(Program subscriber, SpaceDatagrams publisher, int round) throws InterruptedException {
        publisher.publish("nobody", Content.JSON, null, "0".getBytes(UTF_8));
        publisher.flush();
        await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(50)).until(() -> wanted(0).matches(".*\"dropRules\":[1-9].*"));
        for (int i = 0; i < 50; i++) {
            String topic = "t/" + round + "/" + i;
            subscriber.wants("{\"topic\":\"" + topic + "\"}");
            publisher.publish(topic, Content.JSON, null, ("\"" + topic + "\"").getBytes(UTF_8));
            publisher.flush();
            assertThat(subscriber.hears()).isEqualTo("\"" + topic + "\"");
        }
    }

    @Test
    void fromOneCommandToAnother() throws Exception {
        String to = host(ROOT) + ":" + ports.get(ROOT);
        try (LabProcess subscriber = LabProcess.start("subscribe", CommandLineTool.command("subscribe", "--via", host(0) + ":" + ports.get(0), "--to", to, "sensors/#", "--where", "data.t > 30",
                "--region", "0,0,10,10", "--count", "1"))) {
            await().atMost(Duration.ofSeconds(30)).until(() -> subscriber.errors().contains("in force"));
            Path lines = Files.writeString(directory.resolve("lines"), "{\"t\":31,\"lon\":50,\"lat\":5}\n{\"t\":30,\"lon\":5,\"lat\":5}\nno json\n{\"t\":32,\"lon\":5,\"lat\":5}\n");
            List<String> publish = CommandLineTool.command("publish", "--via", host(1) + ":" + ports.get(1), "--to", to, "--position", "lon,lat", "sensors/hall");
            Process publisher = new ProcessBuilder(publish).redirectInput(lines.toFile()).redirectErrorStream(true).start();
            assertThat(publisher.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(publisher.exitValue()).as(new String(publisher.getInputStream().readAllBytes(), UTF_8)).isZero();
            assertThat(subscriber.awaitLine("{", Duration.ofSeconds(20))).isEqualTo("{\"topic\":\"sensors/hall\",\"x\":5.0,\"y\":5.0,\"data\":{\"t\":32,\"lon\":5,\"lat\":5}}");
            assertThat(subscriber.awaitExit(Duration.ofSeconds(20))).isZero();
        }
    }
}
