package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.lab.LabException;

/** Answers what comes, with a thread a connection. */
public final class EchoServer implements AutoCloseable {
    private static final int LARGE = 128 * 1024;
    /** Enough for an octet or a few, and made for every connection. */
    private static final int SMALL = 64;

    /** What a connection gets back. @param in what was read, from 0 to its limit; what is left is kept */
    private interface Answer {
        void write(ByteBuffer in, SocketChannel stream) throws IOException;
    }

    private final ServerSocketChannel server = ServerSocketChannel.open();

    private EchoServer(InetAddress address, Supplier<ByteBuffer> buffer, Answer answer) throws IOException {
        server.bind(new InetSocketAddress(address, 0), 128);
        daemon("echo", () -> accept(buffer, answer));
    }

    /** Sends back what each read brings. */
    public static EchoServer ofOctets(InetAddress address) throws IOException {
        return new EchoServer(address, () -> ByteBuffer.allocate(SMALL), (in, stream) -> StreamPackets.writeFully(stream, in));
    }

    /**
     * Answers every packet of {@value RoundTrip#PACKET} octets or so with a bare packet of exactly that length: packets, because a node reads
     * what comes back as packets too.
     */
    static EchoServer ofPackets(InetAddress address) throws IOException {
        ByteBuffer answer = StreamPackets.block(RoundTrip.PACKET).slice(0, RoundTrip.PACKET);
        return new EchoServer(address, () -> ByteBuffer.allocateDirect(LARGE), (in, stream) -> {
            while (in.remaining() >= Anep.HEADER_SIZE && in.remaining() >= StreamPackets.packetLength(in, in.position())) {
                in.position(in.position() + StreamPackets.packetLength(in, in.position()));
                StreamPackets.writeFully(stream, answer.duplicate());
            }
        });
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) server.socket().getLocalSocketAddress();
    }

    private void accept(Supplier<ByteBuffer> buffer, Answer answer) {
        try {
            while (true) {
                SocketChannel stream = server.accept();
                daemon("echo", () -> answer(stream, buffer.get(), answer));
            }
        } catch (ClosedChannelException e) {
            // It is closed.
        } catch (IOException e) {
            throw new LabException("the echo server cannot accept", e);
        }
    }

    private static void answer(SocketChannel stream, ByteBuffer in, Answer answer) {
        try (stream) {
            stream.setOption(StandardSocketOptions.TCP_NODELAY, true);
            while (stream.read(in) >= 0) {
                answer.write(in.flip(), stream);
                in.compact();
            }
        } catch (IOException e) {
            // The other side ended without a farewell: there is nobody left to answer.
        }
    }

    static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
