package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Streams that are written as fast as they are taken: a thread each, blocking writes of whole blocks. A stream ends after a whole block,
 * with a half-close, and waits for the other side's end.
 */
final class StreamWriter {
    private static final AtomicLong STREAM_IDS = new AtomicLong(System.nanoTime());

    private final List<Thread> threads = new ArrayList<>();
    private final List<SocketChannel> channels = new ArrayList<>();
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean stopped;
    private volatile IOException failure;

    /**
     * Connects the streams and starts to write.
     *
     * @throws IOException if a connection is refused; those already made are closed
     */
    void start(InetSocketAddress entry, InetSocketAddress destination, StreamKind kind, int packet, int streams) throws IOException {
        ByteBuffer block = StreamPackets.block(kind, packet);
        try {
            for (int i = 0; i < streams; i++) {
                channels.add(SocketChannel.open(entry));
            }
        } catch (IOException e) {
            closeAll();
            throw e;
        }
        for (SocketChannel channel : channels) {
            ByteBuffer first = StreamPackets.first(kind, packet, destination, STREAM_IDS.incrementAndGet());
            Thread thread = new Thread(() -> write(channel, first, block.duplicate()), "stream");
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void write(SocketChannel channel, ByteBuffer first, ByteBuffer block) {
        try (channel) {
            int header = StreamPackets.headerLength(first, 0);
            long written = StreamPackets.writeFully(channel, first) - header;
            while (!stopped) {
                block.clear();
                written += StreamPackets.writeFully(channel, block);
            }
            channel.shutdownOutput();
            awaitEnd(channel);
            sent.addAndGet(written);
        } catch (IOException e) {
            failure = e;
        }
    }

    private static void awaitEnd(SocketChannel channel) throws IOException {
        ByteBuffer rest = ByteBuffer.allocate(1024);
        while (channel.read(rest) >= 0) {
            rest.clear();
        }
    }

    /**
     * Ends all streams.
     *
     * @return octets written to all of them, without the headers of their first packets
     * @throws IOException if a stream broke, or did not end within the patience
     */
    long stop(Duration patience) throws IOException {
        stopped = true;
        long end = System.nanoTime() + patience.toNanos();
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                if (thread.isAlive()) {
                    throw new IOException("a stream did not end within " + patience.toSeconds() + " s");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            closeAll();
        }
        if (failure != null) {
            throw failure;
        }
        return sent.get();
    }

    private void closeAll() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
