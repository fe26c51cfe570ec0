package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;

/** A bystander: a packet of 8,192 octets each 5 ms, through the attacked node or straight to the receiver. What the receiver sees is measured. */
final class SteadyStream implements AutoCloseable {
    private static final int PACKET = 8192;
    private static final long INTERVAL = 5_000_000;
    private static final long ID = 0x5EAD;

    /**
     * What the receiver has seen.
     *
     * @param rate octets in a second
     * @param gap  seconds of the longest silence
     */
    record Seen(double rate, double gap) {
    }

    private final SocketChannel sender;
    private final SocketChannel receiver;
    private long octets;
    private long began;
    private long last;
    private long gap;

    private SteadyStream(SocketChannel sender, SocketChannel receiver) {
        this.sender = sender;
        this.receiver = receiver;
        begin();
        start(this::send, "steady sender");
        start(this::receive, "steady receiver");
    }

    static SteadyStream through(Victim victim) throws Exception {
        return open(victim, victim.node().address());
    }

    /** What the machine alone does to such a stream. */
    static SteadyStream direct(Victim victim) throws Exception {
        return open(victim, null);
    }

    private static SteadyStream open(Victim victim, InetSocketAddress node) throws Exception {
        return victim.inside(() -> {
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(victim.near());
                InetSocketAddress destination = (InetSocketAddress) server.getLocalAddress();
                SocketChannel sender = SocketChannel.open(node == null ? destination : node);
                sender.write(Packets.opening(Packets.MONITORING, destination, ID, 0));
                server.socket().setSoTimeout(20_000);
                return new SteadyStream(sender, server.socket().accept().getChannel());
            }
        });
    }

    private void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
    }

    private void send() {
        ByteBuffer packet = Packets.bare(Packets.MONITORING, PACKET);
        try {
            for (long due = System.nanoTime();; due = Math.max(due + INTERVAL, System.nanoTime() - 20 * INTERVAL)) {
                for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                    LockSupport.parkNanos(due - now);
                }
                packet.clear();
                while (packet.hasRemaining()) {
                    sender.write(packet);
                }
            }
        } catch (IOException e) {
            // It is closed, or the node has ended it: then nothing arrives any more, and that is measured.
        }
    }

    private void receive() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(8 * PACKET);
        try {
            for (int read = receiver.read(buffer); read >= 0; read = receiver.read(buffer.clear())) {
                arrived(read);
            }
        } catch (IOException e) {
            // As above.
        }
    }

    private synchronized void arrived(int read) {
        long now = System.nanoTime();
        octets += read;
        gap = Math.max(gap, now - last);
        last = now;
    }

    /** Counts anew from now on. */
    synchronized void begin() {
        octets = 0;
        gap = 0;
        began = System.nanoTime();
        last = began;
    }

    synchronized Seen seen() {
        long now = System.nanoTime();
        return new Seen(octets * 1e9 / (now - began), Math.max(gap, now - last) / 1e9);
    }

    @Override
    public void close() throws IOException {
        sender.close();
        receiver.close();
    }
}
