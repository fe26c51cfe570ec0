package org.tamanoir.oci;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before a server on loopback, and cuts connections. */
final class Relay implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int to;
    /** Connections that are still to be cut. */
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile long up = Long.MAX_VALUE;
    private volatile long down = Long.MAX_VALUE;

    Relay(int to) throws IOException {
        this.to = to;
        daemon(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** So many connections end after so many octets to the server, or from it. */
    Relay cut(int connections, long newUp, long newDown) {
        up = newUp;
        down = newDown;
        cuts.set(connections);
        return this;
    }

    int cutsLeft() {
        return cuts.get();
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
                daemon(() -> copy(client, server, true));
                daemon(() -> copy(server, client, false));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void copy(Socket from, Socket target, boolean isUp) {
        long moved = 0;
        byte[] octets = new byte[16 << 10];
        try (from; target; InputStream in = from.getInputStream(); OutputStream out = target.getOutputStream()) {
            for (int n = in.read(octets); n >= 0; n = in.read(octets)) {
                out.write(octets, 0, n);
                moved += n;
                if (moved > (isUp ? up : down) && cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other direction has ended.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
