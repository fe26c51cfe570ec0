package org.tamanoir.benchmarks.memory;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.load.Offer;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/** A repository with {@code monitoring}, nodes on loopback that fetch from it, a receiver, and the streams that are opened to it. */
final class Streams implements AutoCloseable {
    private static final long OFFERED = 1_000_000_000;
    /** Nobody takes anything for so long: then nobody will. */
    private static final Duration STALLED = Duration.ofSeconds(5);
    private static final int IDLE_PACKET = 64;
    /** For the node to notice that nothing moves and to give buffers back. */
    private static final long SILENCE_MILLIS = 2000;
    /** Longer than a first fetch of a service takes. */
    private static final int PATIENCE_MILLIS = 20_000;
    private static final double MEGA = 1e6;

    private final Workbench workbench = new Workbench();
    private final ServerSocket receiver;
    private final InetSocketAddress destination;
    private final RepositoryProcess repository;
    private final List<Closeable> open = new ArrayList<>();

    Streams() throws IOException {
        try {
            receiver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            receiver.setSoTimeout(PATIENCE_MILLIS);
            destination = (InetSocketAddress) receiver.getLocalSocketAddress();
            repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
            repository.push("monitoring");
        } catch (RuntimeException | IOException e) {
            workbench.close();
            throw e;
        }
    }

    private NodeProcess node(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--repository", repository.url()));
        arguments.addAll(List.of(more));
        return NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder(name), arguments.toArray(String[]::new));
    }

    /**
     * A receiver that accepts its stream and never reads, while the sender offers 1 GB through two nodes. What the nodes and the kernels between
     * do not hold, the sender keeps: its growth in memory is a node's own part.
     */
    void stalledReceiver(Samples samples) throws IOException {
        NodeProcess second = node("second");
        NodeProcess first = node("first", "--route", "127.0.0.0/8=127.0.0.1:" + second.address().getPort());
        // A first stream makes both nodes fetch the service: that is no growth by what waits.
        arrive(first, MemoryBench.PACKET, 1);

        long firstBefore = first.tree().resident();
        long secondBefore = second.tree().resident();
        first.tree().resetPeak();
        second.tree().resetPeak();
        // The stream stays in the receiver's queue: its kernel has accepted it, its program never reads.
        try (Offer offer = new Offer(first.address(), destination, MemoryBench.PACKET, 2)) {
            long taken = offer.offer(OFFERED, STALLED);
            if (taken >= OFFERED) {
                throw new LabException("the nodes took all of " + OFFERED + " octets for a receiver that never reads: no back-pressure");
            }
            samples.add(MemoryBench.stalled("both", "taken-from-sender"), taken / MEGA);
            samples.add(MemoryBench.stalled("first-node", "resident-growth"), (first.tree().peak() - firstBefore) / MEGA);
            samples.add(MemoryBench.stalled("second-node", "resident-growth"), (second.tree().peak() - secondBefore) / MEGA);
        }
    }

    /** A thousand streams through one node, each of which has passed a packet and then stays open and silent. */
    void idle(Samples samples) throws IOException, InterruptedException {
        NodeProcess node = node("node");
        for (int i = 1; i <= MemoryBench.IDLE_STREAMS; i++) {
            arrive(node, IDLE_PACKET, i);
        }
        Thread.sleep(SILENCE_MILLIS);
        samples.add(MemoryBench.idle("resident"), node.tree().resident() / MEGA);
        samples.add(MemoryBench.idle("peak"), node.tree().peak() / MEGA);
    }

    /** Opens a stream, reads its first packet's header at the receiver, and holds it open. @throws LabException if it does not arrive in time */
    private void arrive(NodeProcess node, int packet, int number) throws IOException {
        Offer sent = new Offer(node.address(), destination, packet, number);
        open.add(sent);
        try {
            Socket arrived = receiver.accept();
            open.add(arrived);
            arrived.setSoTimeout(PATIENCE_MILLIS);
            if (arrived.getInputStream().readNBytes(Anep.HEADER_SIZE).length < Anep.HEADER_SIZE) {
                throw new LabException("stream " + number + " was opened, and ended without a packet. " + sent.refusal());
            }
        } catch (SocketTimeoutException e) {
            throw new LabException("stream " + number + " or its packet did not arrive within " + PATIENCE_MILLIS / 1000 + " s. "
                    + sent.refusal(), e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (Closeable each : open) {
                each.close();
            }
            receiver.close();
        } finally {
            workbench.close();
        }
    }
}
