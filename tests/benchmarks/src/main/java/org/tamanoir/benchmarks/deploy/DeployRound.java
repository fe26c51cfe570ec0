package org.tamanoir.benchmarks.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Signer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.ServiceBundle;

/** Every way in which a service gets to a node, once, with processes and folders of its own. */
final class DeployRound implements AutoCloseable {
    private static final int FIRST_TYPE = 0x57C0;
    private static final int SMALL_ONES = 8;
    private static final int ACTIVE_STREAMS = 50;
    /** A Type ID that nobody has. */
    private static final int UNKNOWN = 0x57FF;
    /** After READY: what the node still does beside the streams' way has ended. */
    private static final int SETTLE_MILLIS = 1000;
    /** Streams to this address end at the node, those to the other go on to the next one. */
    private static final String HERE = "127.0.0.1";
    private static final String BEHIND = "127.0.0.2";

    /** @param jvm the state of a process that gets the services in their order */
    private record Service(String name, int typeId, Path bundle, String jvm) {
    }

    private final Workbench workbench = new Workbench();
    private final Signer signer;
    /** In the order in which a node gets them: {@code monitoring} of the build, then small ones that no node has seen. */
    private final List<Service> services = new ArrayList<>();
    private final FirstOctet probe;
    private final Samples samples;
    private final Consumer<String> progress;

    /** @param signed whether bundles are signed and nodes run only what is */
    DeployRound(boolean signed, FirstOctet probe, Samples samples, Consumer<String> progress) {
        this.signer = signed ? new Signer(workbench.folder("key")) : null;
        this.probe = probe;
        this.samples = samples;
        this.progress = progress;
        add("monitoring", StreamKind.MONITORING.typeId(), CommandLineTool.bundle("monitoring"), DeployBench.COLD);
        for (int i = 0; i < SMALL_ONES; i++) {
            ServiceBundle bundle = new ServiceBundle("small-" + i, FIRST_TYPE + i, "middle", Stamp.class);
            add("small-" + i, FIRST_TYPE + i, bundle.in(workbench.folder("bundles")), DeployBench.WARM);
        }
    }

    private void add(String name, int typeId, Path bundle, String jvm) {
        Path pushed = signer == null ? bundle : signer.sign(bundle, workbench.folder("signed").resolve(name + ".jar"));
        services.add(new Service(name, typeId, pushed, jvm));
    }

    /** @throws LabException if a node says that a service came from elsewhere than it was to, or a stream does not arrive */
    void run() throws IOException {
        progress.accept("starting");
        RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"), 0, signer);
        services.forEach(service -> repository.put(service.bundle()));
        NodeProcess next = node("next");
        String[] way = {"--repository", repository.url(), "--route", HERE + "/32=direct", "--route",
            BEHIND + "/32=" + HERE + ":" + next.address().getPort()};
        NodeProcess node = node("node", way);

        progress.accept("from a repository");
        each("from-repository", node, node, HERE, "http");
        progress.accept("active");
        active(node);
        progress.accept("from the previous node");
        each("from-previous-node", node, next, BEHIND, "node");
        node.close();

        progress.accept("from the store");
        NodeProcess again = node("node", way);
        each("from-store", again, again, HERE, "store");
        progress.accept("pushed");
        push();
    }

    private NodeProcess node(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of(more));
        if (signer != null) {
            arguments.addAll(List.of("--trust", signer.publishers().toString()));
        }
        NodeProcess node = NodeProcess.start(workbench, HERE + ":0", workbench.folder(name), arguments.toArray(String[]::new));
        Pause.millis(SETTLE_MILLIS);
        return node;
    }

    /** A stream for each service. @param waiting the node whose wait counts @param source from where it gets the service */
    private void each(String from, NodeProcess entry, NodeProcess waiting, String destination, String source) throws IOException {
        for (Service service : services) {
            one(from, service, entry, waiting, destination, source);
        }
    }

    private void one(String from, Service service, NodeProcess entry, NodeProcess waiting, String destination, String source)
            throws IOException {
        try (FirstOctet.Opened stream = probe.open(entry.address(), InetAddress.getByName(destination), service.typeId(), true)) {
            samples.add(DeployBench.key(from, service.jvm(), "first-octet"), stream.millis());
            JsonNode wait = waiting.admin().newestStream().path("waitMillis");
            if (!wait.isNumber()) {
                throw new LabException("the node does not say how long the stream of " + service.name() + " has waited");
            }
            samples.add(DeployBench.key(from, service.jvm(), "wait"), wait.asDouble());
        }
        String said = waiting.admin().current(service.name()).map(found -> found.path("source").asText()).orElse("nowhere");
        if (!said.startsWith(source)) {
            throw new LabException(service.name() + " was to come from " + source + ", and the node says " + said);
        }
    }

    /** Streams with a service that is active and streams without one, by turns. The first of both are not counted. */
    private void active(NodeProcess node) throws IOException {
        for (int i = -ACTIVE_STREAMS; i < ACTIVE_STREAMS; i++) {
            double with = firstOctet(node, services.get(0).typeId(), true);
            double without = firstOctet(node, UNKNOWN, false);
            if (i >= 0) {
                samples.add(DeployBench.key("active", DeployBench.WARM, "first-octet"), with);
                samples.add(DeployBench.key("without-service", DeployBench.WARM, "first-octet"), without);
                samples.add(DeployBench.key("active", DeployBench.WARM, "more-than-without"), with - without);
            }
        }
    }

    private double firstOctet(NodeProcess node, int typeId, boolean needed) throws IOException {
        try (FirstOctet.Opened stream = probe.open(node.address(), InetAddress.getByName(HERE), typeId, needed)) {
            return stream.millis();
        }
    }

    /** Pushes every service to a node that knows no source, and sends a stream through it after that. */
    private void push() throws IOException {
        NodeProcess node = node("pushed");
        for (Service service : services) {
            long start = System.nanoTime();
            node.admin().deploy(service.bundle());
            samples.add(DeployBench.key("after-push", service.jvm(), "push"), (System.nanoTime() - start) / 1e6);
            one("after-push", service, node, node, HERE, "pushed");
        }
    }

    @Override
    public void close() {
        workbench.close();
    }
}
