package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.benchmarks.attack.Attack.Run;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/**
 * A gateway and two nodes carry downloads; one node is stopped (SIGSTOP), goes on, and then the other. TCP would lose nothing. The server sends as
 * fast as it can; a reader takes 16 MB a second, which is less than the nodes carry: so all sockets on the way are full at any moment, and the packet
 * that is being sent lies in pieces.
 */
final class StoppedNode {
    private static final long START_MILLIS = 3000;
    /** What waits in front of a break still comes. */
    private static final long LEAST_NANOS = 5_000_000_000L;
    /** For a download to move again, on a busy machine too. */
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private StoppedNode() {
    }

    static void stop(Run run) throws Exception {
        NodeProcess last = run.victim().node();
        NodeProcess first = run.victim().addBefore();
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Attack.start("download server", () -> serve(server));
            InetSocketAddress gateway = GatewayProcess.start(run.victim().build, run.victim().workbench, first.address(),
                    (InetSocketAddress) server.getLocalAddress(), "monitoring").address();
            String unit = "of " + run.streams();
            run.found("lost-when-last-stops", unit, lost(run, gateway, last));
            run.found("lost-when-first-stops", unit, lost(run, gateway, first));
        }
    }

    private static int lost(Run run, InetSocketAddress gateway, NodeProcess node) throws Exception {
        List<Download> downloads = new ArrayList<>();
        try {
            for (int i = 0; i < run.streams(); i++) {
                downloads.add(new Download(gateway));
            }
            Thread.sleep(START_MILLIS);
            if (downloads.stream().anyMatch(download -> download.octets == 0)) {
                throw new LabException("a download does not begin");
            }
            signal(node, "-STOP");
            try {
                TimeUnit.NANOSECONDS.sleep(run.nanos());
            } finally {
                signal(node, "-CONT");
            }
            return downloads.size() - moving(downloads);
        } finally {
            for (Download download : downloads) {
                download.channel.close();
            }
        }
    }

    private static void signal(NodeProcess node, String name) {
        Command.run(List.of("kill", name, Long.toString(node.tree().root())));
    }

    /** How many go on within some time, with the right octets. */
    private static int moving(List<Download> downloads) throws InterruptedException {
        downloads.forEach(download -> download.before = download.octets);
        long begin = System.nanoTime();
        int moving = 0;
        while (System.nanoTime() - begin < LEAST_NANOS || moving < downloads.size() && System.nanoTime() - begin < PATIENCE_NANOS) {
            Thread.sleep(100);
            moving = (int) downloads.stream().filter(Download::hasMoved).count();
        }
        return moving;
    }

    /** What is sent to whoever connects, again and again, so that a reader knows what has to come. */
    private static ByteBuffer block() {
        byte[] octets = new byte[256 * 1024];
        new SplittableRandom(1).nextBytes(octets);
        return ByteBuffer.allocateDirect(octets.length).put(octets).flip();
    }

    private static void serve(ServerSocketChannel server) throws IOException {
        while (true) {
            SocketChannel client = server.accept();
            Attack.start("download server", () -> {
                try (client) {
                    for (ByteBuffer block = block();;) {
                        client.write(block.hasRemaining() ? block : block.rewind());
                    }
                }
            });
        }
    }

    /** A connection that reads what the server sends, and compares it. */
    private static final class Download {
        private static final int RECEIVE_BUFFER = 256 * 1024;
        /** Octets of a read, as programs that download do it. */
        private static final int PIECE = 16 * 1024;
        private static final long NANOS_OF_AN_OCTET = 60;
        /** More than comes of one that stands. */
        private static final long MOVED = 16L << 20;

        private final SocketChannel channel = SocketChannel.open();
        private volatile long octets;
        private volatile boolean over;
        private long before;

        Download(InetSocketAddress from) throws IOException {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            channel.connect(from);
            Attack.start("download", this::read);
        }

        private void read() throws IOException {
            ByteBuffer wanted = block();
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
            } finally {
                // Ended, reset, or wrong: lost in each case.
                over = true;
            }
        }

        boolean hasMoved() {
            return !over && octets - before > MOVED;
        }
    }
}
