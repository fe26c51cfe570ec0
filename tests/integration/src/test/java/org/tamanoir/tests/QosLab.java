package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.qos.edge.EdgeNetwork;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.QosTestbed;

/**
 * Nodes at both edges of the benches' network, over a link of 100 Mbit/s. The first node has the four bundles of QoSinus from a repository, the second
 * from the first.
 */
final class QosLab implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int PORT = EdgeNetwork.PORT;
    private static final long LINK = 100_000_000;

    private final TemporaryFolder files;
    private final EdgeNetwork network;
    private final LabRepository repository;
    private LabNode ingress;
    private LabNode egress;

    /** @param options of the first node: YAML of {@code services:} and more */
    QosLab(String options) throws Exception {
        this(options, "");
    }

    /** @param atEgress the same of the second node */
    QosLab(String options, String atEgress) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        files = new TemporaryFolder();
        network = new EdgeNetwork(LINK);
        try {
            repository = new LabRepository(testbed().ingress(), files.folder("repository"), Grid.bundle("qosinus"), Grid.bundle("qos-monitoring"),
                    Grid.bundle("qos-decision"), Grid.bundle("qos-enforcement"));
            startIngress(options);
            egress = LabNode.start(testbed().egress(), files.folder("egress"), network.egress() + atEgress);
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    /** Starts the first node, on what it has kept if it ran before. */
    void startIngress(String options) throws IOException {
        ingress = LabNode.start(testbed().ingress(), files.folder("ingress"), network.ingress() + "repositories: ['" + repository.url() + "']\n" + options);
    }

    QosTestbed testbed() {
        return network.testbed();
    }

    LabNode ingress() {
        return ingress;
    }

    LabNode egress() {
        return egress;
    }

    /** For files of the applications. */
    Path directory() {
        return files.folder("application");
    }

    /** Where applications find the first node. */
    String via() {
        return EdgeNetwork.text(network.via());
    }

    /** A port of the first receiver. */
    String to(int port) {
        return EdgeNetwork.text(network.to(port));
    }

    /** Runs a command on a host to its end, which must be a good one; what it printed. */
    String run(Host host, String... arguments) {
        Command.Result result = tryRun(host, arguments);
        assertThat(result.exit()).as("%s %s", result.output(), result.errors()).isZero();
        return result.output();
    }

    Command.Result tryRun(Host host, String... arguments) {
        return host.tryRun(PATIENCE, CommandLineTool.command(arguments).toArray(String[]::new));
    }

    /** Starts a command of the application. */
    LabProcess start(Host host, String title, String... arguments) {
        return host.start(title, CommandLineTool.command(arguments));
    }

    /** Opens a session at the first sender; its code. */
    String open(String... level) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("qos", "open", "--via", via(), "--to", to(7000), "--json"));
        arguments.addAll(List.of(level));
        JsonNode answer = CommandLineTool.json(run(testbed().sender(1), arguments.toArray(String[]::new)));
        assertThat(answer.path("partial").isNull()).as("%s", answer).isTrue();
        assertThat(answer.path("path")).as("%s", answer).hasSize(2);
        return answer.path("session").asText();
    }

    /** What the first node shows of a session. */
    JsonNode session(String code) {
        return ingress.get("/services/qosinus/inspect/session?code=" + code);
    }

    /** The codes of all that the first node has. */
    Set<String> sessions() {
        Set<String> codes = new HashSet<>();
        ingress.get("/services/qosinus/inspect/sessions").path("sessions").forEach(session -> codes.add(session.path("session").asText()));
        return codes;
    }

    /** An address of the first sender. */
    String from(int port) {
        return testbed().access(1).first().ipv4().getHostAddress() + ":" + port;
    }

    /** Best effort from the second sender to the second receiver, twice as much as the link takes; it ends by itself. */
    Flows.Flow flood(double seconds) {
        return network.flood(2, seconds);
    }

    @Override
    public void close() {
        network.close();
        if (repository != null) {
            repository.close();
        }
        files.close();
    }
}
