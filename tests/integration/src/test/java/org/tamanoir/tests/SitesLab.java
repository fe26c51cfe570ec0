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
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.MulticastNodeAddresses;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.MulticastTestbed.Site;

/**
 * A multicast testbed with nodes at the source's side and at every site: the first has the bundle of DyRAM from a repository, the others from
 * the first. Receivers and sources are commands.
 */
final class SitesLab implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final String GROUP = "239.1.2.3:5405";
    private static final String LISTEN = "listen: '[::]:3322'\ncode: '[::]:3324'\n";

    private final Path directory;
    private final MulticastTestbed testbed;
    private final LabRepository repository;
    private LabNode core;
    private final List<LabNode> siteNodes = new ArrayList<>();
    private final MulticastNodeAddresses at;

    /** @param ipv6 nodes, receivers and source speak IPv6 with each other */
    SitesLab(int sites, int receivers, boolean ipv6) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        directory = Files.createTempDirectory("tamanoir-multicast").toAbsolutePath();
        testbed = MulticastTestbed.open(sites, receivers);
        at = new MulticastNodeAddresses(testbed, ipv6);
        try {
            repository = new LabRepository(testbed.core(), directory.resolve("repository"), Grid.bundle("dyram"));
            startCore();
            for (Site site : testbed.sites()) {
                siteNodes.add(startSite(site));
            }
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    /** Starts the node at the source's side, for the first time or after {@link LabNode#kill}. */
    void startCore() throws IOException {
        core = LabNode.start(testbed.core(), directory.resolve("core"), LISTEN + "repositories: ['" + repository.url() + "']\n" + at.coreLinks());
    }

    private LabNode startSite(Site site) throws IOException {
        return LabNode.start(site.router(), directory.resolve(site.router().name()),
                LISTEN + "neighbours: ['" + at.coreHost(site) + ":3324']\n" + at.siteLinks(site));
    }

    MulticastTestbed testbed() {
        return testbed;
    }

    LabNode core() {
        return core;
    }

    /** The node of a site, from 0. */
    LabNode site(int site) {
        return siteNodes.get(site);
    }

    /** Kills the node of a site and starts it again on what it has kept. */
    void restartSite(int site) throws IOException {
        siteNodes.get(site).kill();
        siteNodes.set(site, startSite(testbed.sites().get(site)));
    }

    /** A receiver: {@code multicast receive} on a host of a site, both from 0. It starts while others do; the source waits for it. */
    LabProcess receive(int site, int host, String... more) {
        Site where = testbed.sites().get(site);
        Host receiver = where.receivers().get(host);
        List<String> arguments = new ArrayList<>(List.of("multicast", "receive", "--group", group(), "--via", at.site(where), "--name", receiver.name(), "--output",
                output(receiver).toString()));
        arguments.addAll(List.of(more));
        return receiver.start("receive", CommandLineTool.command(arguments.toArray(String[]::new)));
    }

    private String group() {
        return at.ipv6() ? "[ff15::1:2:3]:5405" : GROUP;
    }

    /** Where a receiver puts what it gets. */
    Path output(Host receiver) {
        return directory.resolve(receiver.name());
    }

    /** Runs {@code multicast send} to its end, which must be a good one; what it prints at the end. */
    JsonNode send(Path file, String... more) throws IOException {
        Command.Result result = testbed.source().tryRun(PATIENCE, sendCommand(file, more).toArray(String[]::new));
        assertThat(result.exit()).as("%s %s", result.output(), result.errors()).isZero();
        return CommandLineTool.json(result.output());
    }

    /** Starts {@code multicast send}. */
    LabProcess startSend(Path file, String... more) {
        return testbed.source().start("send", sendCommand(file, more));
    }

    private List<String> sendCommand(Path file, String... more) {
        List<String> arguments = new ArrayList<>(List.of("multicast", "send", file.toString(), "--group", group(), "--via", at.source(), "--json"));
        arguments.addAll(List.of(more));
        return CommandLineTool.command(arguments.toArray(String[]::new));
    }

    /** A file of which half can be compressed. */
    Path file(long octets) throws IOException {
        return TestFile.halfCompressible(directory.resolve("file.bin"), octets);
    }

    Path directory() {
        return directory;
    }

    /** A counter of the service at a node. */
    static long count(LabNode node, String name) {
        return node.metric("tamanoir_dyram_" + name + "_total{instance=\"1\",version=\"0.1.0\"}");
    }

    /** What the nodes have counted, for messages. */
    String counters() {
        StringBuilder text = new StringBuilder("core " + core.get("/links").path("handlers"));
        siteNodes.forEach(node -> text.append("\nsite ").append(node.get("/links").path("handlers")));
        return text.toString();
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
