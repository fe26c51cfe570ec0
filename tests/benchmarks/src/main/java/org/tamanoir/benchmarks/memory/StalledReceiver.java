package org.tamanoir.benchmarks.memory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import org.tamanoir.benchmarks.load.Offer;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/**
 * A receiver that accepts its stream and never reads, while the sender offers 1 GB through two nodes. What the nodes and the kernels between
 * do not hold, the sender keeps: its growth in memory is a node's own part.
 */
final class StalledReceiver {
    static final long OFFERED = 1_000_000_000;

    /** Nobody takes anything for so long: then nobody will. */
    private static final Duration STALLED = Duration.ofSeconds(5);

    private StalledReceiver() {
    }

    static void measure(Samples samples) throws IOException {
        try (Loopback loopback = new Loopback(); ServerSocketChannel receiver = ServerSocketChannel.open()) {
            receiver.bind(new InetSocketAddress(Loopback.ADDRESS, 0));
            InetSocketAddress destination = (InetSocketAddress) receiver.getLocalAddress();
            NodeProcess second = loopback.last();
            NodeProcess first = loopback.before(second);
            // A first stream makes both nodes fetch the service: that is no growth by what waits.
            open(first, receiver, destination);

            long firstBefore = first.tree().resident();
            long secondBefore = second.tree().resident();
            first.tree().resetPeak();
            second.tree().resetPeak();
            // The stream stays in the receiver's queue: its kernel has accepted it, its program never reads.
            try (Offer offer = new Offer(first.address(), destination, Memory.PACKET, 2)) {
                long taken = offer.offer(OFFERED, STALLED);
                if (taken >= OFFERED) {
                    throw new LabException("the nodes took all of " + OFFERED + " octets for a receiver that never reads: no back-pressure");
                }
                samples.add(Memory.taken(), taken / Memory.MEGA);
                samples.add(Memory.growth("first-node"), (first.tree().peak() - firstBefore) / Memory.MEGA);
                samples.add(Memory.growth("second-node"), (second.tree().peak() - secondBefore) / Memory.MEGA);
            }
        }
    }

    private static void open(NodeProcess node, ServerSocketChannel receiver, InetSocketAddress destination) throws IOException {
        try (Offer offer = new Offer(node.address(), destination, Memory.PACKET, 1); Arrivals arrivals = new Arrivals(receiver)) {
            try {
                arrivals.take();
            } catch (LabException e) {
                throw new LabException(e.getMessage() + ". " + offer.refusal(), e);
            }
        }
    }
}
