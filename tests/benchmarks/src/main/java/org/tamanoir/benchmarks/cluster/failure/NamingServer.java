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
        start("naming server", this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    private void accept() {
        while (true) {
            try {
                Socket stream = server.accept();
                start("naming", () -> answer(stream));
            } catch (IOException e) {
                // It is closed.
                return;
            }
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

    private static void start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
