package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;

/** Sends to whoever connects, without end: a block of random octets again and again, so that a reader knows what has to come. */
final class DownloadServer implements AutoCloseable {
    private static final int BLOCK = 256 * 1024;

    private final ServerSocketChannel server = ServerSocketChannel.open();

    DownloadServer() throws IOException {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        start(this::accept);
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** What is sent, again and again. */
    static ByteBuffer block() {
        byte[] octets = new byte[BLOCK];
        new SplittableRandom(1).nextBytes(octets);
        return ByteBuffer.allocateDirect(BLOCK).put(octets).flip();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                start(() -> send(client));
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private static void send(SocketChannel client) {
        ByteBuffer block = block();
        try (client) {
            while (true) {
                client.write(block.hasRemaining() ? block : block.rewind());
            }
        } catch (IOException e) {
            // The reader has gone.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "download server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
