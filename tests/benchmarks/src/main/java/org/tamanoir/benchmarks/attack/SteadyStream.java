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
import org.tamanoir.benchmarks.report.Measurements.Step;

/**
 * A stream that minds its own business, through the attacked node or straight to its receiver: what the machine alone does to it. Either it
 * sends, and the rate and the longest silence at the receiver are measured, or it asks, and how long each answer takes is.
 */
final class SteadyStream implements AutoCloseable {
    /** What it does. @param octets of a packet @param interval nanoseconds @param late how many packets may be made up for when it is late */
    record Pace(int octets, long interval, int late, boolean asks) {
    }

    static final Pace SENDING = new Pace(8192, 5_000_000, 20, false);
    static final Pace ASKING = new Pace(64, 1_000_000, 0, true);

    /** What the receiver has seen. @param rate octets in a second @param gap seconds of the longest silence */
    record Seen(double rate, double gap) {
    }

    private static final long ID = 0x5EAD;
    private static final int PATIENCE_MILLIS = 20_000;
    private static final long HIGHEST_NANOS = 10_000_000_000L;

    private final Pace pace;
    private final SocketChannel sender;
    private final SocketChannel receiver;
    private volatile IOException failure;
    private long octets;
    private long began;
    private long last;
    private long gap;
    private Histogram trips;

    private SteadyStream(Pace pace, SocketChannel sender, SocketChannel receiver) throws IOException {
        this.pace = pace;
        this.sender = sender.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.receiver = receiver.setOption(StandardSocketOptions.TCP_NODELAY, true);
        begin();
        start("steady sender", this::send);
        start("steady receiver", this::receive);
    }

    /** @param direct without the node */
    static SteadyStream open(Pace pace, Victim victim, boolean direct) throws Exception {
        return victim.inside(() -> {
            try (ServerSocketChannel server = ServerSocketChannel.open().bind(victim.near())) {
                InetSocketAddress destination = (InetSocketAddress) server.getLocalAddress();
                SocketChannel sender = SocketChannel.open(direct ? destination : victim.node().address());
                ByteBuffer opening = Packets.opening(Packets.MONITORING, destination, ID, 0);
                ByteBuffer first = ByteBuffer.allocate(2 * opening.remaining());
                sender.write(opening);
                server.socket().setSoTimeout(PATIENCE_MILLIS);
                SocketChannel receiver = server.socket().accept().getChannel();
                // A node may make the packet longer or shorter; nothing else is on its way now.
                receiver.read(first);
                return new SteadyStream(pace, sender, receiver);
            }
        });
    }

    private void start(String name, Step task) {
        Attack.start(name, () -> {
            try {
                task.run();
            } catch (IOException e) {
                // It is closed, or the node has ended it: then nothing arrives any more, and that is measured.
                failure = e;
            }
        }).setPriority(Thread.MAX_PRIORITY);
    }

    private void send() throws IOException {
        ByteBuffer packet = Packets.bare(Packets.MONITORING, pace.octets);
        ByteBuffer answer = ByteBuffer.allocateDirect(pace.octets);
        for (long due = System.nanoTime();; due = Math.max(due + pace.interval, System.nanoTime() - pace.late * pace.interval)) {
            for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                LockSupport.parkNanos(due - now);
            }
            long before = System.nanoTime();
            write(sender, packet.clear());
            if (pace.asks) {
                for (answer.clear(); answer.hasRemaining();) {
                    if (sender.read(answer) < 0) {
                        throw new EOFException("the open stream has ended");
                    }
                }
                answered(System.nanoTime() - before);
            }
        }
    }

    private void receive() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(8 * pace.octets);
        for (int read = receiver.read(buffer); read >= 0; read = receiver.read(buffer.clear())) {
            arrived(read);
            if (pace.asks) {
                write(receiver, buffer.flip());
            }
        }
    }

    private static void write(SocketChannel to, ByteBuffer octets) throws IOException {
        while (octets.hasRemaining()) {
            to.write(octets);
        }
    }

    private synchronized void arrived(int read) {
        long now = System.nanoTime();
        octets += read;
        gap = Math.max(gap, now - last);
        last = now;
    }

    private synchronized void answered(long nanos) {
        trips.recordValue(Math.min(nanos, HIGHEST_NANOS));
    }

    /** Counts anew from now on. */
    synchronized void begin() {
        octets = 0;
        gap = 0;
        began = System.nanoTime();
        last = began;
        trips = new Histogram(HIGHEST_NANOS, 3);
    }

    synchronized Seen seen() {
        long now = System.nanoTime();
        return new Seen(octets * 1e9 / (now - began), Math.max(gap, now - last) / 1e9);
    }

    /** Nanoseconds of the 99th percentile of answers since {@link #begin}. @throws IOException if the stream has been lost, or not answered */
    synchronized double p99() throws IOException {
        if (failure != null) {
            throw failure;
        }
        if (trips.getTotalCount() == 0) {
            throw new IOException("the open stream was not answered");
        }
        return trips.getValueAtPercentile(99);
    }

    @Override
    public void close() throws IOException {
        sender.close();
        receiver.close();
    }
}
