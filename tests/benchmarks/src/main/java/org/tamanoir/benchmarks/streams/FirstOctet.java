package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.tamanoir.lab.LabException;

/** From the first step of a connection until an octet that the client sent has come back, one connection after the other. */
final class FirstOctet {
    private static final int PATIENCE_MILLIS = 10_000;

    private FirstOctet() {
    }

    /** Opens connections for some time. @return nanoseconds */
    static Histogram run(InetSocketAddress entry, Duration time) {
        Histogram nanos = new Histogram(3);
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
            nanos.recordValue(of(entry, ByteBuffer.wrap(new byte[1])));
        }
        return nanos;
    }

    /**
     * One connection.
     *
     * @param request what the client sends
     * @return nanoseconds to the first octet that came back
     */
    static long of(InetSocketAddress entry, ByteBuffer request) {
        long begin = System.nanoTime();
        try (SocketChannel client = SocketChannel.open()) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            client.connect(entry);
            client.write(request);
            client.socket().setSoTimeout(PATIENCE_MILLIS);
            if (client.socket().getInputStream().read() < 0) {
                throw new LabException("a connection ended before an octet came back");
            }
            return System.nanoTime() - begin;
        } catch (IOException e) {
            throw new LabException("no octet came back: " + e.getMessage(), e);
        }
    }
}
