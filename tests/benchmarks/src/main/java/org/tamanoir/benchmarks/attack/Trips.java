package org.tamanoir.benchmarks.attack;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** An open stream on which a request of 64 octets is answered each millisecond, through the attacked node or straight to who answers: how long each takes. */
final class Trips implements AutoCloseable {
    private static final int OCTETS = 64;
    private static final long INTERVAL = 1_000_000;
    private static final long ID = 0x7219;
    private static final long HIGHEST_NANOS = 10_000_000_000L;

    private final SocketChannel asking;
    private final SocketChannel answering;
    private Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
    private volatile IOException failure;
    private volatile boolean closed;

    private Trips(SocketChannel asking, SocketChannel answering) throws IOException {
        this.asking = asking.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.answering = answering.setOption(StandardSocketOptions.TCP_NODELAY, true);
        start(this::ask, "trips");
        start(this::answer, "answers");
    }

    static Trips through(Victim victim) throws IOException {
        return open(victim, victim.node().address());
    }

    /** What the machine alone does to them. */
    static Trips direct(Victim victim) throws IOException {
        return open(victim, null);
    }

    private static Trips open(Victim victim, InetSocketAddress node) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(victim.near())) {
            InetSocketAddress destination = (InetSocketAddress) server.getLocalAddress();
            SocketChannel asking = SocketChannel.open(node == null ? destination : node);
            ByteBuffer opening = Packets.opening(Packets.MONITORING, destination, ID, 0);
            int length = opening.remaining();
            asking.write(opening);
            server.socket().setSoTimeout(20_000);
            SocketChannel answering = server.socket().accept().getChannel();
            // A node may make the packet longer or shorter; nothing else is on its way now.
            ByteBuffer first = ByteBuffer.allocate(2 * length + OCTETS);
            answering.read(first);
            return new Trips(asking, answering);
        }
    }

    private static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
    }

    private void ask() {
        ByteBuffer request = Packets.bare(Packets.MONITORING, OCTETS);
        ByteBuffer answer = ByteBuffer.allocateDirect(OCTETS);
        try {
            for (long due = System.nanoTime();; due = Math.max(due + INTERVAL, System.nanoTime())) {
                for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                    LockSupport.parkNanos(due - now);
                }
                long before = System.nanoTime();
                request.clear();
                while (request.hasRemaining()) {
                    asking.write(request);
                }
                fill(asking, answer.clear());
                record(System.nanoTime() - before);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void answer() {
        ByteBuffer request = ByteBuffer.allocateDirect(OCTETS);
        try {
            while (true) {
                fill(answering, request.clear());
                request.flip();
                while (request.hasRemaining()) {
                    answering.write(request);
                }
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private static void fill(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new EOFException("the open stream has ended");
            }
        }
    }

    private void fail(IOException cause) {
        if (!closed) {
            failure = cause;
        }
    }

    private synchronized void record(long nanos) {
        histogram.recordValue(Math.min(nanos, HIGHEST_NANOS));
    }

    /** Counts anew from now on. */
    synchronized void begin() {
        histogram = new Histogram(HIGHEST_NANOS, 3);
    }

    /** Nanoseconds of the 99th percentile since {@link #begin}. @throws IOException if the stream has been lost, or not answered */
    synchronized double p99() throws IOException {
        if (failure != null) {
            throw failure;
        }
        if (histogram.getTotalCount() == 0) {
            throw new IOException("the open stream was not answered");
        }
        return histogram.getValueAtPercentile(99);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        asking.close();
        answering.close();
    }
}
