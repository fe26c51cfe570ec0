package org.tamanoir.benchmarks.memory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.load.Offer;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/** A thousand streams through one node, each of which has passed a packet and then stays open and silent. */
final class IdleStreams {
    private static final int PACKET = 64;
    /** For the node to notice that nothing moves and to give buffers back. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private IdleStreams() {
    }

    static void measure(Samples samples) throws IOException, InterruptedException {
        List<Offer> streams = new ArrayList<>();
        try (Loopback loopback = new Loopback(); ServerSocketChannel receiver = ServerSocketChannel.open();
                Arrivals arrivals = new Arrivals(receiver)) {
            receiver.bind(new InetSocketAddress(Loopback.ADDRESS, 0));
            InetSocketAddress destination = (InetSocketAddress) receiver.getLocalAddress();
            NodeProcess node = loopback.last();
            for (int i = 0; i < Memory.IDLE_STREAMS; i++) {
                Offer stream = new Offer(node.address(), destination, PACKET, i + 1);
                streams.add(stream);
                take(arrivals, stream, i);
            }
            Thread.sleep(SILENCE.toMillis());
            samples.add(Memory.idle("resident"), node.tree().resident() / Memory.MEGA);
            samples.add(Memory.idle("peak"), node.tree().peak() / Memory.MEGA);
        } finally {
            for (Offer stream : streams) {
                stream.close();
            }
        }
    }

    private static void take(Arrivals arrivals, Offer stream, int before) throws IOException {
        try {
            arrivals.take();
        } catch (LabException e) {
            throw new LabException("after " + before + " streams " + e.getMessage() + ". " + stream.refusal(), e);
        }
    }
}
