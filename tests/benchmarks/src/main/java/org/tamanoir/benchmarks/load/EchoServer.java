package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.tamanoir.anep.Anep;

/**
 * Answers every packet of {@value RoundTrip#PACKET} octets or so with a bare packet of exactly that length: packets, because a node reads
 * what comes back as packets too. A thread a connection.
 */
final class EchoServer implements Runnable {
    private static final int BUFFER = 128 * 1024;

    private final ServerSocketChannel server = ServerSocketChannel.open();

    EchoServer(InetAddress address) throws IOException {
        server.bind(new InetSocketAddress(address, 0), 128);
    }

    int port() {
        return server.socket().getLocalPort();
    }

    @Override
    public void run() {
        try {
            while (true) {
                SocketChannel stream = server.accept();
                Thread thread = new Thread(() -> answer(stream), "echo");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the echo server cannot accept", e);
        }
    }

    private static void answer(SocketChannel stream) {
        try (stream) {
            stream.setOption(StandardSocketOptions.TCP_NODELAY, true);
            ByteBuffer in = ByteBuffer.allocateDirect(BUFFER);
            ByteBuffer answer = StreamPackets.block(RoundTrip.PACKET).slice(0, RoundTrip.PACKET);
            while (stream.read(in) >= 0) {
                in.flip();
                while (in.remaining() >= Anep.HEADER_SIZE && in.remaining() >= StreamPackets.packetLength(in, in.position())) {
                    in.position(in.position() + StreamPackets.packetLength(in, in.position()));
                    for (answer.clear(); answer.hasRemaining();) {
                        stream.write(answer);
                    }
                }
                in.compact();
            }
        } catch (IOException e) {
            // The other side ended without a farewell: there is nobody left to answer.
        }
    }
}
