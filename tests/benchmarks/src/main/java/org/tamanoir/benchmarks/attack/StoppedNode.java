package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/** A gateway and two nodes carry downloads; one node is stopped (SIGSTOP), goes on, and then the other. TCP would lose nothing. */
final class StoppedNode extends Attack {
    private static final int DOWNLOADS = 8;
    private static final long START_MILLIS = 3000;
    /** For a download to move again, on a busy machine too. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    StoppedNode(boolean quick) {
        super(DOWNLOADS, quick ? 15 : 60);
    }

    /** It would stand still with the node. */
    @Override
    boolean hasBystander() {
        return false;
    }

    @Override
    void run(Victim victim, Found found) throws Exception {
        NodeProcess last = victim.node();
        NodeProcess first = victim.addBefore();
        try (DownloadServer server = new DownloadServer()) {
            InetSocketAddress gateway = GatewayProcess
                    .start(victim.build(), victim.workbench(), first.address(), server.address(), "monitoring").address();
            found.add("lost-when-last-stops", "of " + DOWNLOADS, lost(gateway, last));
            found.add("lost-when-first-stops", "of " + DOWNLOADS, lost(gateway, first));
        }
    }

    private int lost(InetSocketAddress gateway, NodeProcess node) throws Exception {
        try (Downloads downloads = new Downloads(gateway, DOWNLOADS)) {
            Thread.sleep(START_MILLIS);
            downloads.requireProgress();
            signal(node, "-STOP");
            try {
                TimeUnit.NANOSECONDS.sleep(nanos());
            } finally {
                signal(node, "-CONT");
            }
            return DOWNLOADS - downloads.moving(PATIENCE);
        }
    }

    private static void signal(NodeProcess node, String name) {
        Command.run(List.of("kill", name, Long.toString(node.tree().root())));
    }

    /**
     * Connections that read what a {@link DownloadServer} sends, and compare it. The server sends as fast as it can; a reader takes 16 MB a
     * second, which is less than the nodes carry: so all sockets on the way are full at any moment, and the packet that is being sent lies in pieces.
     */
    private static final class Downloads implements AutoCloseable {
        private static final int RECEIVE_BUFFER = 256 * 1024;
        private static final long LEAST = 5_000_000_000L;

        private final List<Download> downloads = new ArrayList<>();

        Downloads(InetSocketAddress from, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
                channel.connect(from);
                downloads.add(new Download(channel));
            }
        }

        /** @throws LabException if one has got nothing yet */
        void requireProgress() {
            if (downloads.stream().anyMatch(download -> download.octets == 0)) {
                throw new LabException("a download does not begin");
            }
        }

        /** How many go on within some time, with the right octets. Takes 5 s at least: what waits in front of a break still comes. */
        int moving(Duration patience) throws InterruptedException {
            long[] before = downloads.stream().mapToLong(download -> download.octets).toArray();
            long begin = System.nanoTime();
            int moving = 0;
            while (System.nanoTime() - begin < LEAST || moving < downloads.size() && System.nanoTime() - begin < patience.toNanos()) {
                Thread.sleep(100);
                moving = 0;
                for (int i = 0; i < before.length; i++) {
                    moving += downloads.get(i).hasMoved(before[i]) ? 1 : 0;
                }
            }
            return moving;
        }

        @Override
        public void close() throws IOException {
            for (Download download : downloads) {
                download.channel.close();
            }
        }

        private static final class Download {
            /** More than comes of one that stands. */
            private static final long MOVED = 16L << 20;

            /** Octets of a read, as programs that download do it. */
            private static final int PIECE = 16 * 1024;
            private static final long NANOS_OF_AN_OCTET = 60;

            private final SocketChannel channel;
            private volatile long octets;
            private volatile boolean over;

            Download(SocketChannel channel) {
                this.channel = channel;
                Thread thread = new Thread(this::read, "download");
                thread.setDaemon(true);
                thread.start();
            }

            private void read() {
                ByteBuffer wanted = DownloadServer.block();
                ByteBuffer got = ByteBuffer.allocateDirect(PIECE);
                try {
                    // Reads never cross the end of the block, so they can be compared in one piece.
                    int end = wanted.capacity();
                    for (int at = 0, read; (read = channel.read(got.clear().limit(Math.min(PIECE, end - at)))) >= 0; at = (at + read) % end) {
                        if (!got.flip().equals(wanted.slice(at, read))) {
                            throw new IOException("other octets than were sent");
                        }
                        octets += read;
                        LockSupport.parkNanos(read * NANOS_OF_AN_OCTET);
                    }
                } catch (IOException e) {
                    // Reset, or wrong: lost either way.
                }
                over = true;
            }

            boolean hasMoved(long before) {
                return !over && octets - before > MOVED;
            }
        }
    }

    /** Sends to whoever connects, without end: a block of random octets again and again, so that a reader knows what has to come. */
    private static final class DownloadServer implements AutoCloseable {
        private static final int BLOCK = 256 * 1024;

        private final ServerSocketChannel server = ServerSocketChannel.open();

        DownloadServer() throws IOException {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            start(this::accept);
        }

        InetSocketAddress address() throws IOException {
            return (InetSocketAddress) server.getLocalAddress();
        }

        /** What is sent, again and again. */
        static ByteBuffer block() {
            byte[] octets = new byte[BLOCK];
            new SplittableRandom(1).nextBytes(octets);
            return ByteBuffer.allocateDirect(BLOCK).put(octets).flip();
        }

        private void accept() {
            try {
                while (true) {
                    SocketChannel client = server.accept();
                    start(() -> send(client));
                }
            } catch (IOException e) {
                // It is closed.
            }
        }

        private static void send(SocketChannel client) {
            ByteBuffer block = block();
            try (client) {
                while (true) {
                    client.write(block.hasRemaining() ? block : block.rewind());
                }
            } catch (IOException e) {
                // The reader has gone.
            }
        }

        private static void start(Runnable task) {
            Thread thread = new Thread(task, "download server");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
