package org.tamanoir.benchmarks.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** Measures how long a small packet and its answer take on one established stream, one request at a time. */
final class RoundTrip {
    /** Octets of request and answer. */
    static final int PACKET = 64;

    private static final long HIGHEST_NANOS = Duration.ofSeconds(10).toNanos();

    private RoundTrip() {
    }

    /**
     * Asks for a while.
     *
     * @param entry       where to connect
     * @param destination where the stream is to be delivered
     * @param warmUp      how long to ask before the answers count
     * @param duration    how long they count
     * @return nanoseconds
     * @throws IOException if the connection ends
     */
    static Histogram measure(InetSocketAddress entry, InetSocketAddress destination, Duration warmUp, Duration duration)
            throws IOException {
        Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
        try (SocketChannel stream = SocketChannel.open(entry)) {
            stream.setOption(StandardSocketOptions.TCP_NODELAY, true);
            ByteBuffer request = StreamPackets.block(PACKET).slice(0, PACKET);
            ByteBuffer answer = ByteBuffer.allocateDirect(PACKET);
            ask(stream, StreamPackets.first(StreamKind.MONITORING, PACKET, destination, System.nanoTime()), answer);
            long begin = System.nanoTime() + warmUp.toNanos();
            long end = begin + duration.toNanos();
            for (long before = System.nanoTime(); before < end;) {
                ask(stream, request.clear(), answer);
                long after = System.nanoTime();
                if (before >= begin) {
                    histogram.recordValue(Math.min(after - before, HIGHEST_NANOS));
                }
                before = after;
            }
        }
        return histogram;
    }

    private static void ask(SocketChannel stream, ByteBuffer request, ByteBuffer answer) throws IOException {
        StreamPackets.writeFully(stream, request);
        for (answer.clear(); answer.hasRemaining();) {
            if (stream.read(answer) < 0) {
                throw new EOFException("the stream ended before the answer came");
            }
        }
    }
}
