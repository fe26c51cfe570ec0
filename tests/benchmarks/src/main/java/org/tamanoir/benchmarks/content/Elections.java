package org.tamanoir.benchmarks.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;

/**
 * Five nodes and a program beside each, all of which want one group. The node beside the holder is killed, and the program vanishes with it: when another is told that it
 * holds the group now, and whether two have ever held it at once.
 */
final class Elections extends MeasuredOutcome {
    private static final int NODES = 5;
    private static final int LEASE_MILLIS = 2000;
    private static final int LONGEST_SECONDS = 2;
    private static final double MOST_LEASES = 2;
    private static final String GROUP = "bench";
    private static final ObjectMapper JSON = new ObjectMapper();

    private Elections(Measurements measured) {
        super("election", measured);
    }

    private static Key key(String metric, String unit) {
        return new Key("holder killed", "election", 0, NODES, metric, unit);
    }

    static Outcome run(ContentPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("five nodes", () -> {
            try (Workbench workbench = new Workbench(); Site site = new Site(workbench)) {
                measured.rounds(0, plan.rounds().count(), round -> measured.attemptAny(Measurements.name(round), () -> round(site, measured)));
            }
        });
        return new Elections(measured);
    }

    private static void round(Site site, Measurements measured) throws Exception {
        Held before = site.held();
        site.kill(before.node);
        long killed = System.nanoTime();
        Held after = site.held();
        measured.add(key("new holder", "leases"), (after.told - killed) / 1e6 / LEASE_MILLIS);
        measured.add(key("two at once", "count"), after.told < before.until ? 1 : 0);
        measured.add(key("number not larger", "count"), after.number > before.number ? 0 : 1);
        site.restart(before.node);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("leases until there is a new holder", worst("new holder", "leases"), MOST_LEASES),
                Target.atMost("holders while another still is one", worst("two at once", "count"), 0),
                Target.atMost("new holders without a larger number", worst("number not larger", "count"), 0));
    }

    private Double worst(String metric, String unit) {
        return samples().of(key(metric, unit)).stream().max(Double::compare).orElse(null);
    }

    /** A program was told that it holds the group. @param until when its lease ends, by this machine's clock, if it is not renewed */
    private record Held(int node, long number, long told, long until) {
    }

    private static final class Site implements AutoCloseable {
        private final Workbench workbench;
        private final List<InetSocketAddress> addresses = new ArrayList<>();
        private final NodeProcess[] nodes = new NodeProcess[NODES];
        private final TamanoirClient client = new TamanoirClient();
        private volatile boolean stop;

        Site(Workbench workbench) throws IOException {
            this.workbench = workbench;
            for (int i = 0; i < NODES; i++) {
                addresses.add(FreePort.on("127.0.0.1"));
            }
            List<CompletableFuture<Void>> starting = IntStream.range(0, NODES).mapToObj(i -> CompletableFuture.runAsync(() -> restart(i))).toList();
            starting.forEach(CompletableFuture::join);
        }

        void restart(int index) {
            Path folder = workbench.folder("node" + index);
            String members = addresses.stream().map(each -> "127.0.0.1:" + each.getPort()).collect(Collectors.joining(", "));
            try {
                Path file = Files.writeString(folder.resolve("node.yaml"), "peers: [127.0.0.1]\nservices: {election: {members: '" + members + "', longest-lease: " + LONGEST_SECONDS
                        + "s}}\npolicies: {election: {reaches: [127.0.0.1]}}\n");
                nodes[index] = NodeProcess.start(workbench, "127.0.0.1:" + addresses.get(index).getPort(), folder.resolve("data"), "--config", file.toString());
            } catch (IOException e) {
                throw new LabException("a node's configuration: " + e.getMessage(), e);
            }
            nodes[index].deploy(CommandLineTool.bundle("election"));
        }

        void kill(int index) {
            nodes[index].kill();
        }

        /** All programs beside nodes that live ask until one of them is told that it holds the group. */
        Held held() throws Exception {
            List<CompletableFuture<Held>> asking = IntStream.range(0, NODES).filter(i -> nodes[i].isAlive()).mapToObj(i -> CompletableFuture.supplyAsync(() -> asks(i))).toList();
            Held first = (Held) CompletableFuture.anyOf(asking.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            stop = true;
            asking.forEach(CompletableFuture::join);
            stop = false;
            return first;
        }

        private Held asks(int index) {
            InetSocketAddress node = addresses.get(index);
            while (!stop) {
                try (ClientStream stream = client.open(new StreamRequest().via(node).to(node).services("election"))) {
                    while (!stop) {
                        long asked = System.nanoTime();
                        stream.send(("{\"group\":\"" + GROUP + "\",\"holder\":\"" + index + "\",\"lease\":" + LEASE_MILLIS + "}\n").getBytes(StandardCharsets.UTF_8));
                        JsonNode answer = JSON.readTree(line(stream));
                        if (answer.path("holder").asText().equals(Integer.toString(index)) && answer.has("number")) {
                            return new Held(index, answer.get("number").asLong(), System.nanoTime(), asked + answer.path("remaining").asLong() * 1_000_000);
                        }
                        Thread.sleep(20);
                    }
                } catch (Exception e) {
                    // A node that does not answer yet, or answers with an error: asked again.
                }
            }
            return null;
        }

        private static String line(ClientStream stream) throws Exception {
            StringBuilder line = new StringBuilder();
            while (line.indexOf("\n") < 0) {
                ByteBuf octets = stream.receive();
                if (octets == null) {
                    throw new IOException("ended");
                }
                line.append(octets.toString(StandardCharsets.UTF_8));
                octets.release();
            }
            return line.toString();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
