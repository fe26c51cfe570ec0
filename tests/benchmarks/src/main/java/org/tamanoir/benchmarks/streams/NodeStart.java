package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.load.StreamPackets;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.lab.LabException;

/** How soon a node serves that has its services in its store: to READY, and what its first stream waits more than the hundredth. */
record NodeStart(Build build, Workbench workbench, InetSocketAddress echo) {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int STREAMS = 110;
    private static final int HUNDREDTH = 90;
    private static final double MILLI = 1e6;

    /** A first life fetches the service from a repository, which ends with it. */
    NodeStart {
        Path once = workbench.folder(build + "-once");
        try (RepositoryProcess repository = RepositoryProcess.start(build, workbench, once)) {
            repository.push("monitoring");
            try (NodeProcess node = start(build, workbench, "--repository", repository.url())) {
                firstOctet(node.address(), opening(echo, 1));
            }
        }
    }

    private static NodeProcess start(Build build, Workbench workbench, String... more) {
        return NodeProcess.start(build, workbench, "127.0.0.1:0", workbench.folder(build + "-started"), more);
    }

    /** One more life. */
    void run(Measurements measured) {
        long begin = System.nanoTime();
        try (NodeProcess node = start(build, workbench)) {
            measured.add(ready(build.name()), (System.nanoTime() - begin) / 1e9);
            List<Double> millis = new ArrayList<>();
            for (int i = 1; i <= STREAMS; i++) {
                millis.add(firstOctet(node.address(), opening(echo, i)) / MILLI);
            }
            double first = millis.get(0);
            double hundredth = Samples.median(millis.subList(HUNDREDTH - 1, STREAMS));
            measured.add(stream(build.name(), "first-stream"), first);
            measured.add(stream(build.name(), "hundredth-stream"), hundredth);
            measured.add(stream(build.name(), "first-beyond-hundredth"), first - hundredth);
        }
    }

    /** @param request what a client sends @return nanoseconds from the first step of its connection to the first octet that came back */
    static long firstOctet(InetSocketAddress entry, ByteBuffer request) {
        long begin = System.nanoTime();
        try (SocketChannel client = SocketChannel.open()) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            client.connect(entry);
            client.write(request);
            client.socket().setSoTimeout(PATIENCE_MILLIS);
            if (client.socket().getInputStream().read() < 0) {
                throw new LabException("a connection ended before an octet came back");
            }
            return System.nanoTime() - begin;
        } catch (IOException e) {
            throw new LabException("no octet came back: " + e.getMessage(), e);
        }
    }

    private static ByteBuffer opening(InetSocketAddress echo, long stream) {
        return StreamPackets.opening(StreamKind.MONITORING.typeId(), Anep.FLAG_DISCARD_UNKNOWN, echo, Delivery.RAW, stream, 1);
    }

    /** Seconds from the start of the process to its READY line. */
    static Key ready(String build) {
        return new Key("start", build, 0, 1, "ready", "s");
    }

    /** Milliseconds to the first octet of the first stream, of the median of streams 90 to 110, or of what the first one takes more. */
    static Key stream(String build, String metric) {
        return new Key("start", build, 0, 1, metric, "ms");
    }
}
