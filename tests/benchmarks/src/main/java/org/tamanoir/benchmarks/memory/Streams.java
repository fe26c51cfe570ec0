package org.tamanoir.benchmarks.memory;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.load.StreamPackets;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
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
    private static final double MEGA = 1e6;

    private final Workbench workbench = new Workbench();
    private final FirstOctet opener;
    private final RepositoryProcess repository;
    private final List<FirstOctet.Opened> open = new ArrayList<>();

    Streams() throws IOException {
        try {
            opener = new FirstOctet();
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
    static void stalledReceiver(Samples samples) throws IOException {
        try (Streams streams = new Streams()) {
            NodeProcess second = streams.node("second");
            NodeProcess first = streams.node("first", "--route", "127.0.0.0/8=127.0.0.1:" + second.address().getPort());
            // A first stream makes both nodes fetch the service: that is no growth by what waits.
            streams.arrive(first, MemoryBench.PACKET, 1);

            long firstBefore = first.tree().resident();
            long secondBefore = second.tree().resident();
            first.tree().resetPeak();
            second.tree().resetPeak();
            long taken = streams.offer(first);
            if (taken >= OFFERED) {
                throw new LabException("the nodes took all of " + OFFERED + " octets for a receiver that never reads: no back-pressure");
            }
            samples.add(MemoryBench.stalled("both", "taken-from-sender"), taken / MEGA);
            samples.add(MemoryBench.stalled("first-node", "resident-growth"), (first.tree().peak() - firstBefore) / MEGA);
            samples.add(MemoryBench.stalled("second-node", "resident-growth"), (second.tree().peak() - secondBefore) / MEGA);
        }
    }

    /** A thousand streams through one node, each of which has passed a packet and then stays open and silent. */
    static void idle(Samples samples) throws IOException {
        try (Streams streams = new Streams()) {
            NodeProcess node = streams.node("node");
            for (int i = 1; i <= MemoryBench.IDLE_STREAMS; i++) {
                streams.arrive(node, IDLE_PACKET, i);
            }
            Pause.millis(SILENCE_MILLIS);
            samples.add(MemoryBench.idle("resident"), node.tree().resident() / MEGA);
            samples.add(MemoryBench.idle("peak"), node.tree().peak() / MEGA);
        }
    }

    /**
     * Offers a stream until all has been taken, or nothing was for some time; it stays in the receiver's queue: its kernel has accepted it,
     * its program never reads.
     *
     * @return octets taken by the sender's kernel
     */
    private long offer(NodeProcess entry) throws IOException {
        ByteBuffer packets = StreamPackets.block(StreamKind.MONITORING, MemoryBench.PACKET);
        long taken = 0;
        try (SocketChannel sender = SocketChannel.open(entry.address()); Selector selector = Selector.open()) {
            StreamPackets.writeFully(sender, opening(MemoryBench.PACKET, 2));
            sender.configureBlocking(false);
            sender.register(selector, SelectionKey.OP_WRITE);
            while (taken < OFFERED && selector.select(STALLED.toMillis()) > 0) {
                selector.selectedKeys().clear();
                if (!packets.hasRemaining()) {
                    packets.clear();
                }
                taken += sender.write(packets);
            }
        }
        return taken;
    }

    /** Opens a stream and holds it open. @throws LabException if it does not arrive in time */
    private void arrive(NodeProcess node, int packet, int number) throws IOException {
        open.add(opener.open(node.address(), opening(packet, number)));
    }

    private ByteBuffer opening(int packet, int number) {
        return StreamPackets.first(StreamKind.MONITORING, packet, opener.receiver(InetAddress.getLoopbackAddress()), number);
    }

    @Override
    public void close() throws IOException {
        try {
            for (FirstOctet.Opened each : open) {
                each.close();
            }
            opener.close();
        } finally {
            workbench.close();
        }
    }
}
