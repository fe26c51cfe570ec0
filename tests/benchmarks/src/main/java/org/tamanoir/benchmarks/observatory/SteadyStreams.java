package org.tamanoir.benchmarks.observatory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.load.StreamPackets;

/** Many streams through a node, which one thread sends by turns, and another takes. */
final class SteadyStreams implements AutoCloseable {
    private static final int TOGETHER = 10;
    private static final long FULL_NANOS = 200_000;
    private static final int BUFFER = 256 * 1024;

    private final int packet;
    private final List<SocketChannel> senders = new ArrayList<>();
    private final ServerSocketChannel server = ServerSocketChannel.open();
    private final Selector selector = Selector.open();
    private final List<Thread> threads = new ArrayList<>();
    private volatile Duration every = Duration.ofMillis(100);
    private volatile long arrived;
    private volatile boolean over;

    SteadyStreams(InetSocketAddress node, int streams, int packet) throws IOException {
        this.packet = packet;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), streams);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        start("steady sink", this::take);
        for (int i = 0; i < streams; i++) {
            SocketChannel sender = SocketChannel.open(node);
            senders.add(sender);
            StreamPackets.writeFully(sender, StreamPackets.first(StreamKind.MONITORING, packet, (InetSocketAddress) server.getLocalAddress(), i + 1));
            sender.configureBlocking(false);
        }
        start("steady source", this::send);
    }

    private interface Work {
        void run() throws IOException;
    }

    private void start(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                if (!over) {
                    throw new UncheckedIOException(e);
                }
            }
        }, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** One packet of each stream in that time from now on; as many as they take for zero. */
    void send(Duration time) {
        every = time;
    }

    /** Octets that have come through. */
    long arrived() {
        return arrived;
    }

    private void send() throws IOException {
        ByteBuffer[] left = new ByteBuffer[senders.size()];
        ByteBuffer octets = StreamPackets.block(StreamKind.MONITORING, packet);
        for (int i = 0; i < left.length; i++) {
            left[i] = octets.duplicate().limit(packet);
        }
        long due = System.nanoTime();
        while (!over) {
            int written = 0;
            for (int i = 0; i < left.length && !over; i++) {
                if (!left[i].hasRemaining()) {
                    left[i].rewind();
                }
                written += senders.get(i).write(left[i]);
                if (i % TOGETHER == TOGETHER - 1) {
                    due += every.toNanos() * TOGETHER / left.length;
                    LockSupport.parkNanos(due - System.nanoTime());
                }
            }
            if (written == 0) {
                LockSupport.parkNanos(FULL_NANOS);
            }
            // What was missed while others had the processor is not made up for.
            due = Math.max(due, System.nanoTime() - every.toNanos());
        }
    }

    private void take() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        while (!over) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel taken = server.accept();
                    taken.configureBlocking(false);
                    taken.register(selector, SelectionKey.OP_READ);
                } else {
                    int read = ((SocketChannel) key.channel()).read(buffer.clear());
                    if (read < 0) {
                        key.channel().close();
                    }
                    arrived += Math.max(0, read);
                }
            }
            selector.selectedKeys().clear();
        }
    }

    @Override
    public void close() throws IOException {
        over = true;
        selector.wakeup();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        for (SocketChannel sender : senders) {
            sender.close();
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
