package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.lab.LabException;

/**
 * Connections that read what a {@link DownloadServer} sends, and compare it. The server sends as fast as it can; a reader takes 16 MB a second, which is
 * less than the nodes carry: so all sockets on the way are full at any moment, and the packet that is being sent lies in pieces.
 */
final class Downloads implements AutoCloseable {
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
                for (int at = 0, read; (read = channel.read(got.clear().limit(Math.min(PIECE, wanted.capacity() - at)))) >= 0; at = (at + read) % wanted.capacity()) {
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
