package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.tamanoir.lab.LabException;

/** From the first step of a connection until an octet that the client sent has come back, one connection after the other. */
final class FirstOctet {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final double MICRO = 1e3;

    /** Microseconds. */
    record Times(double p50, double p99) {
    }

    private FirstOctet() {
    }

    /** Opens connections for some time. */
    static Times run(InetSocketAddress entry, Duration time) {
        Histogram nanos = new Histogram(3);
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
            nanos.recordValue(of(entry, ByteBuffer.wrap(new byte[1])));
        }
        return new Times(nanos.getValueAtPercentile(50) / MICRO, nanos.getValueAtPercentile(99) / MICRO);
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

    /** Sends back what the first read of a connection brings, and closes when the client does. */
    static final class Echo implements AutoCloseable {
        private final ServerSocketChannel server = ServerSocketChannel.open();

        Echo() throws IOException {
            server.bind(new InetSocketAddress(Servers.HOST, 0));
            start(this::accept);
        }

        InetSocketAddress address() {
            return new InetSocketAddress(Servers.HOST, server.socket().getLocalPort());
        }

        private void accept() {
            try {
                while (true) {
                    SocketChannel client = server.accept();
                    start(() -> answer(client));
                }
            } catch (IOException e) {
                // It is closed.
            }
        }

        private static void answer(SocketChannel client) {
            ByteBuffer octets = ByteBuffer.allocate(64);
            try (client) {
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
                while (client.read(octets.clear()) >= 0) {
                    client.write(octets.flip());
                }
            } catch (IOException e) {
                // The client has gone.
            }
        }

        private static void start(Runnable task) {
            Thread thread = new Thread(task, "echo");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
