package org.tamanoir.benchmarks.scale;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjDoubleConsumer;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.load.StreamRun;
import org.tamanoir.benchmarks.parts.Rounds;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.scale.ScaleOutcome.Metric;

/** Nodes on loopback with a repository that has {@code monitoring}, a load, and the same measurements whatever there is many of. */
final class ScaleRig implements AutoCloseable {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private static final int PACKET = 8192;
    private static final int STREAMS = 8;
    private static final int NEW_STREAMS = 200;
    private static final Duration OPENING = Duration.ofMillis(300);
    /** For most of what compilers do of a node's way. */
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final double MEGA = 1e6;

    private final Workbench workbench = new Workbench();
    private final FirstOctet newStreams;
    private final LoadSender sender;
    private final LoadSink sink;
    private final String repository;

    ScaleRig() throws IOException {
        try {
            newStreams = new FirstOctet();
            sender = LoadSender.start(command -> workbench.start("sender", command));
            sink = LoadSink.start(command -> workbench.start("sink", command), HERE);
            RepositoryProcess process = RepositoryProcess.start(workbench, workbench.folder("repository"));
            process.push("monitoring");
            repository = process.url();
        } catch (IOException | RuntimeException e) {
            workbench.close();
            throw e;
        }
    }

    /**
     * Starts a node.
     *
     * @param name of its folder; one that has run there before starts on what it had
     * @param yaml of its configuration
     */
    NodeProcess node(String name, String yaml) throws IOException {
        Path file = Files.writeString(workbench.folder("configuration").resolve(name + ".yaml"), yaml);
        return NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder(name), "--repository", repository, "--config", file.toString());
    }

    /** Opens a stream and waits for its first octet. */
    FirstOctet.Opened open(NodeProcess first, int typeId) throws IOException {
        return newStreams.open(first.address(), HERE, typeId, true);
    }

    /** A folder of its own. */
    Path folder(String name) {
        return workbench.folder(name);
    }

    /**
     * Measures streams through some nodes.
     *
     * @param nodes  in the order of the way
     * @param typeId of the streams whose first octets are measured
     * @param found  told each value by its name and unit
     */
    void measure(List<NodeProcess> nodes, int typeId, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        NodeProcess first = nodes.get(0);
        StreamRun run = new StreamRun(sender, sink, first.address(), nodes.stream().map(NodeProcess::tree).toList(), PACKET, STREAMS);
        run.measure(OPENING, WARM_UP);
        StreamRun.Figures figures = run.measure(OPENING, rounds.run());
        found.accept(Metric.THROUGHPUT, figures.octetsPerSecond() * 8 / 1e9);
        found.accept(Metric.CPU, figures.cpuSecondsPerGigabyte().orElseThrow());
        found.accept(Metric.TRIP, sender.ping(first.address(), sink.echo(), OPENING, rounds.run()).p50() / 1e3);
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < 2 * NEW_STREAMS; i++) {
            try (FirstOctet.Opened opened = open(first, typeId)) {
                if (i >= NEW_STREAMS) {
                    millis.add(1e3 * opened.millis());
                }
            }
        }
        found.accept(Metric.FIRST_OCTET, Samples.median(millis));
        found.accept(Metric.RESIDENT, nodes.stream().mapToLong(node -> node.tree().resident()).sum() / MEGA);
        found.accept(Metric.PEAK, figures.peakOctets().orElseThrow() / MEGA);
    }

    void measure(NodeProcess node, Rounds rounds, ObjDoubleConsumer<Metric> found) throws IOException {
        measure(List.of(node), StreamKind.MONITORING.typeId(), rounds, found);
    }

    @Override
    public void close() throws IOException {
        try {
            newStreams.close();
        } finally {
            workbench.close();
        }
    }
}
