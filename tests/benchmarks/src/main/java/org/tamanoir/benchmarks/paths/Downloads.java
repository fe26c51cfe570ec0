package org.tamanoir.benchmarks.paths;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Port;

/**
 * A server that sends so many octets to everybody who connects, and clients that fetch them again and again, each on a connection of its own: what a busy
 * server of small pages does, or many long streams where the octets do not end.
 */
final class Downloads implements AutoCloseable {
    private static final int PORT = 7400;
    private static final int PIECE = 16 * 1024;
    private static final int BACKLOG = 256;
    private static final int PATIENCE_MILLIS = 20_000;

    private final int octets;
    private final ServerSocket server;
    private final AtomicLong completed = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stop;

    /** @param completed  downloads @param received octets of payload, of those that were not completed as well */
    record Count(long completed, long received) {
    }

    /** @param octets of a download; long streams have as many as nobody gets to */
    Downloads(Port at, int octets) throws Exception {
        this.octets = octets;
        this.server = at.host().inside(() -> {
            ServerSocket open = new ServerSocket();
            open.bind(new InetSocketAddress(at.ipv4(), PORT), BACKLOG);
            return open;
        });
        start(at.host(), this::serve);
    }

    /** Starts so many clients on a host. */
    void clients(Host on, int count) {
        for (int i = 0; i < count; i++) {
            start(on, this::fetch);
        }
    }

    /** What was received within the next so many seconds. */
    Count within(double seconds) {
        long before = completed.get();
        long octetsBefore = received.get();
        Pause.millis(Math.round(1000 * seconds));
        return new Count(completed.get() - before, received.get() - octetsBefore);
    }

    /** A thread of a host: sockets that it opens are of this host, and so are those of threads that it starts. */
    private void start(Host on, Callable<Void> task) {
        Thread thread = new Thread(() -> {
            try {
                on.inside(task);
            } catch (Exception e) {
                if (!stop) {
                    throw new LabException("a download: " + e.getMessage(), e);
                }
            }
        }, "download");
        thread.setDaemon(true);
        thread.start();
        synchronized (threads) {
            threads.add(thread);
        }
    }

    private Void serve() throws IOException {
        while (!stop) {
            Socket socket = server.accept();
            Thread thread = new Thread(() -> send(socket), "upload");
            thread.setDaemon(true);
            thread.start();
        }
        return null;
    }

    private void send(Socket socket) {
        try (socket; OutputStream out = socket.getOutputStream()) {
            byte[] piece = new byte[PIECE];
            for (int left = octets; left > 0 && !stop; left -= PIECE) {
                out.write(piece, 0, Math.min(PIECE, left));
            }
        } catch (IOException e) {
            // Its client has gone: the end of a run.
        }
    }

    private Void fetch() throws IOException {
        byte[] piece = new byte[PIECE];
        while (!stop) {
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.connect(server.getLocalSocketAddress(), PATIENCE_MILLIS);
                InputStream in = socket.getInputStream();
                long sum = 0;
                for (int length = in.read(piece); length >= 0 && !stop; length = in.read(piece)) {
                    sum += length;
                    received.addAndGet(length);
                }
                if (sum == octets) {
                    completed.incrementAndGet();
                }
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        stop = true;
        server.close();
        try {
            for (Thread thread : threads) {
                thread.join(PATIENCE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
