package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.lab.ClusterTestbed;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Port;

/** A cluster as its operator has it: {@code frontend run} on a machine with IPVS, nodes behind it, a receiver of streams in front. */
final class ClusterLab implements AutoCloseable {
    static final int PORT = 3322;
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FRONTEND = 3327;
    /** For the JVM of the front-end, keepalived and the kernel. */
    private static final int MEGABYTES = 512;
    private static final String TOKEN = "between-us";

    private final Path directory;
    private final ClusterTestbed testbed;
    private final LabRepository repository;
    private final Port receiver;
    private final Director director;
    private final Map<Integer, LabNode> nodes = new TreeMap<>();
    private int frontends;

    /** @param pool further keys of the pool: {@code , method: direct} */
    ClusterLab(int backEnds, String pool) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        directory = Files.createTempDirectory("tamanoir-cluster").toAbsolutePath();
        testbed = ClusterTestbed.open(backEnds);
        receiver = testbed.join("receiver");
        repository = new LabRepository(testbed.router(), testbed.inner().port().ipv4().getHostAddress(), directory.resolve("repository"), Grid.bundle("forward"),
                Grid.bundle("monitoring"));
        director = testbed.boot(1, MEGABYTES);
        director.run("ip addr add " + virtual().getAddress().getHostAddress() + "/32 dev vec0; ip addr add " + testbed.gateway().getHostAddress()
                + "/24 dev vec1");
        Files.writeString(directory.resolve("token"), TOKEN);
        Files.writeString(directory.resolve("frontend.yaml"), "name: director1\nlisten: 0.0.0.0:" + FRONTEND + "\ntoken-file: " + directory.resolve("token")
                + "\ndata: /run/frontend\npools: {default: {addresses: [" + virtual().getAddress().getHostAddress() + "]" + pool + "}}\n");
        startFrontend();
        for (int i = 1; i <= backEnds; i++) {
            startNode(i);
        }
    }

    /** Starts the front-end, and returns when it serves. */
    void startFrontend() {
        frontends++;
        director.start(title(), CommandLineTool.command(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m", "-Djava.io.tmpdir=/run"), "frontend", "run",
                "--config", directory.resolve("frontend.yaml").toString()).stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")));
        director.awaitLine(title(), "READY frontend", PATIENCE);
    }

    private String title() {
        return "frontend" + frontends;
    }

    /** Starts a back end on its directory. @param number from 1 */
    LabNode startNode(int number) throws IOException {
        Port port = testbed.backEnd(number);
        String address = port.ipv4().getHostAddress();
        LabNode node = LabNode.start(port.host(), directory.resolve("b" + number), "listen: '[::]:" + PORT + "'\nroutes: {" + testbed.outer().ipv4Subnet()
                + ": direct}\nrepositories: ['" + repository.url() + "']\nkernel: {use: off}\ncluster: {name: b" + number + ", address: " + address
                + ", frontends: ['" + frontend() + "'], token: " + TOKEN + "}\n");
        nodes.put(number, node);
        return node;
    }

    LabNode node(int number) {
        return nodes.get(number);
    }

    ClusterTestbed testbed() {
        return testbed;
    }

    Director director() {
        return director;
    }

    Port receiver() {
        return receiver;
    }

    InetSocketAddress virtual() {
        return new InetSocketAddress(testbed.virtual(1), PORT);
    }

    private String frontend() {
        return "http://" + director.taps().get(1).ipv4().getHostAddress() + ":" + FRONTEND;
    }

    /** Publishes a bundle. */
    void push(Path bundle) {
        repository.push(bundle);
    }

    /** A command of an operator on the machine of a back end. */
    Command.Result operator(String... command) {
        return testbed.backEnd(1).host().tryRun(Duration.ofMinutes(3), CommandLineTool.command(List.of("-XX:TieredStopAtLevel=1"), command)
                .toArray(String[]::new));
    }

    /** {@code service upgrade} of all back ends. */
    Command.Result upgrade(String service, String drain) {
        return operator("service", "upgrade", service, "--cluster", frontend(), "--drain", drain, "--token-file", directory.resolve("token").toString());
    }

    Path directory() {
        return directory;
    }

    /** What {@code GET /status} of the front-end answers. */
    JsonNode status() {
        try {
            return testbed.backEnd(1).host().inside(() -> {
                HttpURLConnection connection = (HttpURLConnection) URI.create(frontend() + "/status").toURL().openConnection();
                connection.setRequestProperty("Connection", "close");
                connection.setRequestProperty("Authorization", "Bearer " + TOKEN);
                connection.setReadTimeout((int) PATIENCE.toMillis());
                try (InputStream in = connection.getInputStream()) {
                    return new ObjectMapper().readTree(in);
                }
            });
        } catch (Exception e) {
            throw new AssertionError("the front-end: " + e + director.said(title()), e);
        }
    }

    JsonNode backEnd(int number) {
        for (JsonNode each : status().path("pools").path(0).path("backEnds")) {
            if (each.path("name").asText().equals("b" + number)) {
                return each;
            }
        }
        throw new AssertionError("no back end b" + number + " in " + status());
    }

    /** Waits until the front-end shows of a back end what is wanted. */
    void until(int number, Predicate<JsonNode> wanted) {
        try {
            await().atMost(PATIENCE).until(() -> wanted.test(backEnd(number)));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(status() + director.said(title()) + director.run("ipvsadm -Ln; true"), e);
        }
    }

    /** Waits until back ends get streams. */
    void awaitIn(int... numbers) {
        for (int number : numbers) {
            until(number, shown -> shown.path("standing").asText().equals("IN") && shown.path("answers").asBoolean());
        }
    }

    @Override
    public void close() throws IOException {
        director.close();
        repository.close();
        testbed.close();
        List<Path> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(all::add);
        }
        for (Path each : all) {
            Files.delete(each);
        }
        assertThat(directory).doesNotExist();
    }
}
