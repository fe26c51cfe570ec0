package org.tamanoir.benchmarks.streams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Samples;

/** How soon a node serves that has its services in its store: to READY, and what its first stream waits more than the hundredth. */
final class NodeStart {
    /** Type ID of the service monitoring (DESIGN section 3). */
    private static final int MONITORING = 0x5402;
    private static final int STREAMS = 110;
    private static final int HUNDREDTH = 90;
    private static final double MILLI = 1e6;

    /**
     * What was measured.
     *
     * @param ready     seconds from the start of the process to its READY line
     * @param first     milliseconds to the first octet of the first stream
     * @param hundredth milliseconds of the median of streams 90 to 110
     */
    record Times(double ready, double first, double hundredth) {
    }

    private final Build build;
    private final Workbench workbench;
    private final InetSocketAddress echo;
    private final Path data;

    /** A first life fetches the service from a repository, which ends with it. */
    NodeStart(Build build, Workbench workbench, InetSocketAddress echo) {
        this.build = build;
        this.workbench = workbench;
        this.echo = echo;
        this.data = workbench.folder(build + "-started");
        try (RepositoryProcess repository = RepositoryProcess.start(build, workbench, workbench.folder(build + "-once"))) {
            repository.push("monitoring");
            try (NodeProcess node = start("--repository", repository.url())) {
                FirstOctet.of(node.address(), opening(1));
            }
        }
    }

    private NodeProcess start(String... more) {
        return NodeProcess.start(build, workbench, "127.0.0.1:0", data, more);
    }

    /** One more life. */
    Times run() {
        long begin = System.nanoTime();
        try (NodeProcess node = start()) {
            double ready = (System.nanoTime() - begin) / 1e9;
            List<Double> millis = new ArrayList<>();
            for (int i = 1; i <= STREAMS; i++) {
                millis.add(FirstOctet.of(node.address(), opening(i)) / MILLI);
            }
            return new Times(ready, millis.get(0), Samples.median(millis.subList(HUNDREDTH - 1, STREAMS)));
        }
    }

    private ByteBuffer opening(long stream) {
        ByteBuf packet = Unpooled.buffer();
        new PacketBuilder(MONITORING).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().destination(Identifier.of(echo.getAddress()))
                .delivery(echo.getPort(), Delivery.RAW).stream(stream, 0)).payload(Unpooled.wrappedBuffer(new byte[1])).writeTo(packet);
        return packet.nioBuffer();
    }
}
