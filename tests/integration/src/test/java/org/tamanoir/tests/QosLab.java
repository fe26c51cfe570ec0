package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.QosTestbed;

/**
 * Two sites with a node at the edge of each, and a DiffServ domain of 100 Mbit/s between them. The first node has the four bundles of QoSinus from
 * a repository, the second from the first.
 */
final class QosLab implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int PORT = 3322;
    /** Megabits a second of the bottleneck, and what its best effort has when everybody wants all. */
    static final int LINK_MBPS = 100;
    private static final String DOMAIN = """
            rate: 100mbit
            classes:
              ef: {rate: 30%, queue: 5ms}
              af-tcp: {rate: 30%, queue: 50ms}
              af-udp: {rate: 20%, queue: 20ms}
              be: {rate: 19%, queue: 100ms}
              lbe: {rate: 1%, queue: 100ms}
            """;

    private final Path directory;
    private final QosTestbed testbed;
    private final LabRepository repository;
    private LabNode ingress;
    private LabNode egress;

    /** @param options of the first node: YAML of {@code services:} and more */
    QosLab(String options) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        directory = Files.createTempDirectory("tamanoir-qos").toAbsolutePath();
        testbed = QosTestbed.open(2, 2);
        try {
            Path domain = Files.writeString(directory.resolve("domain.yaml"), DOMAIN);
            run(testbed.ingress(), "qos", "domain", "apply", "--interface", testbed.bottleneck().first().name(), "--file", domain.toString());
            repository = new LabRepository(testbed.ingress(), directory.resolve("repository"), Grid.bundle("qosinus"),
                    Grid.bundle("qos-monitoring"), Grid.bundle("qos-decision"), Grid.bundle("qos-enforcement"));
            startIngress(options);
            egress = LabNode.start(testbed.egress(), directory.resolve("egress"), configuration(testbed.bottleneck().first().ipv4()
                    .getHostAddress(), "routes: {" + subnets("direct") + "}\nneighbours: ['" + testbed.bottleneck().first().ipv4().getHostAddress()
                    + ":3324']\n"));
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    private static String configuration(String name, String more) {
        return "listen: '[::]:" + PORT + "'\ncode: '[::]:3324'\n" + more;
    }

    private String subnets(String target) {
        return testbed.delivery(1).ipv4Subnet() + ": '" + target + "', " + testbed.delivery(2).ipv4Subnet() + ": '" + target + "'";
    }

    private String ingressText(String options) {
        return configuration("ingress", "routes: {" + subnets(testbed.bottleneck().second().ipv4().getHostAddress() + ":" + PORT)
                + "}\nrepositories: ['" + repository.url() + "']\n" + options);
    }

    /** Starts the first node, on what it has kept if it ran before. */
    void startIngress(String options) throws IOException {
        ingress = LabNode.start(testbed.ingress(), directory.resolve("ingress"), ingressText(options));
    }

    /** Changes the configuration of the first node. */
    void configureIngress(String options) throws IOException {
        ingress.configure(ingressText(options));
    }

    QosTestbed testbed() {
        return testbed;
    }

    LabNode ingress() {
        return ingress;
    }

    LabNode egress() {
        return egress;
    }

    Path directory() {
        return directory;
    }

    /** Where applications find the first node. */
    String via() {
        return testbed.access(1).second().ipv4().getHostAddress() + ":" + PORT;
    }

    /** A port of the first receiver. */
    String to(int port) {
        return testbed.delivery(1).second().ipv4().getHostAddress() + ":" + port;
    }

    /** Runs a command on a host to its end, which must be a good one; what it printed. */
    String run(Host host, String... arguments) {
        Command.Result result = tryRun(host, arguments);
        assertThat(result.exit()).as("%s %s", result.output(), result.errors()).isZero();
        return result.output();
    }

    Command.Result tryRun(Host host, String... arguments) {
        return host.tryRun(PATIENCE, CommandLineTool.command(List.of("-XX:TieredStopAtLevel=1"), arguments).toArray(String[]::new));
    }

    /** Starts a command of the application. */
    LabProcess start(Host host, String title, String... arguments) {
        return host.start(title, CommandLineTool.command(List.of("-XX:TieredStopAtLevel=1"), arguments));
    }

    /** Opens a session at the first sender; its code. */
    String open(String... level) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("qos", "open", "--via", via(), "--to", to(7000), "--json"));
        arguments.addAll(List.of(level));
        JsonNode answer = CommandLineTool.json(run(testbed.sender(1), arguments.toArray(String[]::new)));
        assertThat(answer.path("partial").isNull()).as("%s", answer).isTrue();
        assertThat(answer.path("path")).as("%s", answer).hasSize(2);
        return answer.path("session").asText();
    }

    /** What the first node shows of a session. */
    JsonNode session(String code) {
        return ingress.get("/services/qosinus/inspect/session?code=" + code);
    }

    /** Best effort from the second sender to the second receiver, twice as much as the link takes; it ends by itself. */
    Flows.Flow flood(double seconds) {
        FlowReceiver receiver = FlowReceiver.start(testbed.delivery(2).second());
        return Flows.datagrams(testbed.sender(2), receiver, 0, 1400, 2e6 * LINK_MBPS, seconds);
    }

    @Override
    public void close() throws IOException {
        testbed.close();
        if (repository != null) {
            repository.close();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
