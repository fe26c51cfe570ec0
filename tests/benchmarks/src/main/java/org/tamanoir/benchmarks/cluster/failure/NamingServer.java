package org.tamanoir.benchmarks.cluster.failure;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.ToIntFunction;

/** Answers every request of {@value Question#SIZE} octets with the same octets, but for the first one: the number of the back end that it came from. */
final class NamingServer implements AutoCloseable {
    private static final int WAITING = 1024;

    private final ServerSocket server;
    private final ToIntFunction<InetAddress> numbers;

    /** @param numbers of back ends by their addresses */
    NamingServer(InetAddress address, ToIntFunction<InetAddress> numbers) throws IOException {
        this.numbers = numbers;
        server = new ServerSocket(0, WAITING, address);
        Question.thread("naming server", this::accept).start();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Socket stream = server.accept();
                Question.thread("naming", () -> answer(stream)).start();
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void answer(Socket stream) {
        try (stream) {
            stream.setTcpNoDelay(true);
            byte number = (byte) numbers.applyAsInt(stream.getInetAddress());
            InputStream in = stream.getInputStream();
            for (byte[] octets = in.readNBytes(Question.SIZE); octets.length == Question.SIZE; octets = in.readNBytes(Question.SIZE)) {
                octets[0] = number;
                stream.getOutputStream().write(octets);
            }
        } catch (IOException e) {
            // The other side sees that the stream has ended, and judges.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
