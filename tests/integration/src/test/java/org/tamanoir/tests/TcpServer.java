package org.tamanoir.tests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An ordinary server on loopback: each connection has a thread that does what the test says. */
final class TcpServer implements AutoCloseable {
    /** What a connection is for. */
    interface Work {
        void with(Socket socket) throws IOException;
    }

    private final ServerSocket server;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();

    TcpServer(Work work) throws IOException {
        // On every address, so that all of 127.0.0.0/8 is a destination.
        server = new ServerSocket(0, 200);
        Thread thread = new Thread(() -> accept(work), "test-server");
        thread.setDaemon(true);
        thread.start();
    }

    /** Gives back what it gets, and ends when its client has ended. */
    static TcpServer echo() throws IOException {
        return new TcpServer(socket -> {
            try (socket; InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
                in.transferTo(out);
            }
        });
    }

    /** Takes connections for the test to use; see {@link #next}. */
    static TcpServer idle() throws IOException {
        return new TcpServer(socket -> { });
    }

    private void accept(Work work) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                accepted.add(socket);
                Thread thread = new Thread(() -> run(work, socket), "test-connection");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void run(Work work, Socket socket) {
        try {
            work.with(socket);
        } catch (IOException e) {
            // The node or the test has cut the connection.
        }
    }

    int port() {
        return server.getLocalPort();
    }

    /** The next connection that has come in. */
    Socket next() {
        try {
            Socket socket = accepted.poll(10, TimeUnit.SECONDS);
            if (socket == null) {
                throw new IllegalStateException("no connection has come");
            }
            socket.setSoTimeout(15_000);
            return socket;
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Connections that have come in and were not asked for. */
    int waiting() {
        return accepted.size();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
