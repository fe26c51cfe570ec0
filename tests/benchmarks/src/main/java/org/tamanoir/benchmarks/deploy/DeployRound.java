package org.tamanoir.benchmarks.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Signer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/** Every way in which a service gets to a node, once, with processes and folders of its own. */
final class DeployRound implements AutoCloseable {
    private static final int ACTIVE_STREAMS = 50;
    /** A Type ID that nobody has. */
    private static final int UNKNOWN = 0x57FF;
    /** After READY: what the node still does beside the streams' way has ended. */
    private static final int SETTLE_MILLIS = 1000;
    /** Streams to this address end at the node, those to the other go on to the next one. */
    private static final String HERE = "127.0.0.1";
    private static final String BEHIND = "127.0.0.2";

    private final Workbench workbench = new Workbench();
    private final Signer signer;
    private final DeployServices services;
    private final FirstOctet probe;
    private final Samples samples;
    private final Consumer<String> progress;

    /** @param signed whether bundles are signed and nodes run only what is */
    DeployRound(boolean signed, FirstOctet probe, Samples samples, Consumer<String> progress) {
        this.signer = signed ? new Signer(workbench.folder("key")) : null;
        this.services = new DeployServices(workbench.folder("bundles"), signer);
        this.probe = probe;
        this.samples = samples;
        this.progress = progress;
    }

    /** @throws LabException if a node says that a service came from elsewhere than it was to, or a stream does not arrive */
    void run() throws IOException, InterruptedException {
        progress.accept("starting");
        RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"), 0, signer);
        services.all().forEach(service -> repository.put(service.bundle()));
        NodeProcess next = node("next");
        String[] way = {"--repository", repository.url(), "--route", HERE + "/32=direct", "--route",
            BEHIND + "/32=" + HERE + ":" + next.address().getPort()};
        NodeProcess node = node("node", way);

        progress.accept("from a repository");
        each(Wait.REPOSITORY, node, node, HERE, "http");
        progress.accept("active");
        active(node);
        progress.accept("from the previous node");
        each(Wait.PREVIOUS, node, next, BEHIND, "node");
        node.close();

        progress.accept("from the store");
        each(Wait.STORE, node("node", way), null, HERE, "store");
        progress.accept("pushed");
        push();
    }

    private NodeProcess node(String name, String... more) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(more));
        if (signer != null) {
            arguments.addAll(List.of("--trust", signer.publishers().toString()));
        }
        NodeProcess node = NodeProcess.start(workbench, HERE + ":0", workbench.folder(name), arguments.toArray(String[]::new));
        Thread.sleep(SETTLE_MILLIS);
        return node;
    }

    /** A stream for each service. @param waiting the node whose wait counts; null: the entry */
    private void each(Wait wait, NodeProcess entry, NodeProcess waiting, String destination, String source) throws IOException {
        for (DeployServices.Service service : services.all()) {
            one(wait, service, entry, waiting == null ? entry : waiting, destination);
            requireSource(waiting == null ? entry : waiting, service, source);
        }
    }

    private void one(Wait wait, DeployServices.Service service, NodeProcess entry, NodeProcess waiting, String destination)
            throws IOException {
        try (FirstOctet.Opened stream = probe.open(entry.address(), InetAddress.getByName(destination), service.typeId(), true)) {
            samples.add(wait.firstOctet(service.jvm()), stream.millis());
            JsonNode status = waiting.admin().newestStream();
            samples.add(wait.waited(service.jvm()), status.path("waitMillis").asDouble());
        }
    }

    private static void requireSource(NodeProcess node, DeployServices.Service service, String source) {
        String said = node.admin().current(service.name()).map(entry -> entry.path("source").asText()).orElse("nowhere");
        if (!said.startsWith(source)) {
            throw new LabException(service.name() + " was to come from " + source + ", and the node says " + said);
        }
    }

    /** Streams with a service that is active and streams without one, by turns. The first of both are not counted. */
    private void active(NodeProcess node) throws IOException {
        InetAddress here = InetAddress.getByName(HERE);
        for (int i = -ACTIVE_STREAMS; i < ACTIVE_STREAMS; i++) {
            double with;
            double without;
            try (FirstOctet.Opened stream = probe.open(node.address(), here, services.all().get(0).typeId(), true)) {
                with = stream.millis();
            }
            try (FirstOctet.Opened stream = probe.open(node.address(), here, UNKNOWN, false)) {
                without = stream.millis();
            }
            if (i >= 0) {
                samples.add(Wait.ACTIVE.firstOctet(DeployServices.WARM), with);
                samples.add(Wait.WITHOUT.firstOctet(DeployServices.WARM), without);
                samples.add(Wait.ACTIVE.key(DeployServices.WARM, "more-than-without"), with - without);
            }
        }
    }

    /** Pushes every service to a node that knows no source, and sends a stream through it after that. */
    private void push() throws IOException, InterruptedException {
        NodeProcess node = node("pushed");
        for (DeployServices.Service service : services.all()) {
            long start = System.nanoTime();
            node.admin().deploy(service.bundle());
            samples.add(Wait.PUSHED.key(service.jvm(), "push"), (System.nanoTime() - start) / 1e6);
            one(Wait.PUSHED, service, node, node, HERE);
            requireSource(node, service, "pushed");
        }
    }

    @Override
    public void close() {
        workbench.close();
    }
}
