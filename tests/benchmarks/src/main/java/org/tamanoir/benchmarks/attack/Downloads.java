package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.lab.LabException;

/** Connections that read what a {@link DownloadServer} sends, as fast as it comes, and compare it. */
final class Downloads implements AutoCloseable {
    private final List<Download> downloads = new ArrayList<>();

    Downloads(InetSocketAddress from, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            downloads.add(new Download(SocketChannel.open(from)));
        }
    }

    /** @throws LabException if one has got nothing yet */
    void requireProgress() {
        if (downloads.stream().anyMatch(download -> download.octets == 0)) {
            throw new LabException("a download does not begin");
        }
    }

    /** How many go on within some time, with the right octets. */
    int moving(Duration patience) throws InterruptedException {
        long[] before = downloads.stream().mapToLong(download -> download.octets).toArray();
        long end = System.nanoTime() + patience.toNanos();
        int moving = 0;
        // A last piece may still come of one that is broken behind it: all of the time has to pass for who has not moved by much.
        while (moving < downloads.size() && System.nanoTime() < end) {
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
        /** More than all buffers on the way may have held while it stood. */
        private static final long MOVED = 64L << 20;

        /** Octets of a read, as programs that download do it. */
        private static final int PIECE = 16 * 1024;

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
