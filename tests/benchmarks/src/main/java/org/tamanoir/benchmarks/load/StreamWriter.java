package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Streams that are written as fast as they are taken: a thread each, blocking writes of whole blocks. A stream ends after a whole block,
 * with a half-close, and waits for the other side's end.
 */
final class StreamWriter {
    private static final AtomicLong STREAM_IDS = new AtomicLong(System.nanoTime());

    private final List<SocketChannel> channels = new ArrayList<>();
    private final List<FutureTask<Long>> streams = new ArrayList<>();
    private volatile boolean stopped;

    /**
     * Connects the streams and starts to write.
     *
     * @throws IOException if a connection is refused; those already made are closed
     */
    void start(InetSocketAddress entry, InetSocketAddress destination, StreamKind kind, int packet, int count) throws IOException {
        ByteBuffer block = StreamPackets.block(kind, packet);
        try {
            for (int i = 0; i < count; i++) {
                channels.add(SocketChannel.open(entry));
            }
        } catch (IOException e) {
            closeAll();
            throw e;
        }
        for (SocketChannel channel : channels) {
            ByteBuffer first = StreamPackets.first(kind, packet, destination, STREAM_IDS.incrementAndGet());
            streams.add(new FutureTask<>(() -> write(channel, first, block.duplicate())));
        }
        streams.forEach(stream -> EchoServer.daemon("stream", stream));
    }

    private long write(SocketChannel channel, ByteBuffer first, ByteBuffer block) throws IOException {
        try (channel) {
            int header = StreamPackets.headerLength(first, 0);
            long written = StreamPackets.writeFully(channel, first) - header;
            while (!stopped) {
                written += StreamPackets.writeFully(channel, block.clear());
            }
            channel.shutdownOutput();
            channel.socket().getInputStream().transferTo(OutputStream.nullOutputStream());
            return written;
        }
    }

    /**
     * Ends all streams.
     *
     * @return octets written to all of them, without the headers of their first packets
     * @throws IOException if a stream broke, or did not end within the patience
     */
    long stop(Duration patience) throws IOException, InterruptedException {
        stopped = true;
        long end = System.nanoTime() + patience.toNanos();
        long sent = 0;
        try {
            for (FutureTask<Long> stream : streams) {
                sent += stream.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
            return sent;
        } catch (TimeoutException e) {
            throw new IOException("a stream did not end within " + patience.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
        } finally {
            closeAll();
        }
    }

    private void closeAll() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
