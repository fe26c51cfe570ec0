package org.tamanoir.repository;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The way from a mirror to its upstream: counts octets, can be cut in the middle of an answer, and can lead somewhere else. */
final class Wire implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong answered = new AtomicLong();
    private volatile int port;
    private volatile long cutAt = Long.MAX_VALUE;
    private volatile Runnable onCut = () -> { };

    Wire(int port) throws IOException {
        this.port = port;
        daemon(() -> {
            while (!listener.isClosed()) {
                carry(listener.accept());
            }
        });
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** Octets of answers, headers included, since the wire was laid. */
    long answered() {
        return answered.get();
    }

    void leadTo(int newPort) {
        port = newPort;
    }

    /** Ends every connection once so many octets of answers more have passed, and calls {@code then}. */
    void cutAfter(long octets, Runnable then) {
        onCut = then;
        cutAt = answered.get() + octets;
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // One end has gone: so does the other.
                return;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void carry(Socket client) throws IOException {
        open.add(client);
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
            client.close();
            return;
        }
        open.add(server);
        daemon(() -> pump(client, server, false));
        daemon(() -> pump(server, client, true));
    }

    private void pump(Socket from, Socket to, boolean isAnswer) throws IOException {
        byte[] buffer = new byte[8192];
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                // Before whoever asked has it, and asks how much it was.
                long all = isAnswer ? answered.addAndGet(n) : 0;
                out.write(buffer, 0, n);
                if (all >= cutAt) {
                    cutAt = Long.MAX_VALUE;
                    onCut.run();
                    return;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
