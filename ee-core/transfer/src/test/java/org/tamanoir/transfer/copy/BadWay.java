package org.tamanoir.transfer.copy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A way to a server on which connections are cut and octets change, about once in so many octets; or answers are held. */
final class BadWay implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final long seed;
    private final int every;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger faults = new AtomicInteger();
    private final AtomicLong carried = new AtomicLong();
    private final CountDownLatch answers;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    BadWay(InetSocketAddress server, long seed, int every) throws IOException {
        this(server, seed, every, 0);
    }

    /** A good one, but nothing comes back by it until so many connections are open. */
    static BadWay holding(InetSocketAddress server, int connections) throws IOException {
        return new BadWay(server, 0, Integer.MAX_VALUE, connections);
    }

    private BadWay(InetSocketAddress server, long seed, int every, int held) throws IOException {
        this.server = server;
        this.seed = seed;
        this.every = every;
        this.answers = new CountDownLatch(held);
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Octets in both directions. */
    long carried() {
        return carried.get();
    }

    int faults() {
        return faults.get();
    }

    private static void start(Runnable what) {
        Thread thread = new Thread(what);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                Socket farther = new Socket(server.getAddress(), server.getPort());
                open.add(near);
                open.add(farther);
                int number = connections.incrementAndGet();
                answers.countDown();
                start(() -> carry(near, farther, new Random(seed * 1000 + number)));
                start(() -> answer(farther, near, new Random(seed * 1000 + 500 + number)));
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void answer(Socket from, Socket to, Random random) {
        try {
            answers.await();
            carry(from, to, random);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void carry(Socket from, Socket to, Random random) {
        byte[] octets = new byte[16 << 10];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(octets); count >= 0; count = in.read(octets)) {
                if (random.nextInt(every) < count) {
                    faults.incrementAndGet();
                    if (random.nextBoolean()) {
                        octets[random.nextInt(count)] ^= (byte) (1 << random.nextInt(8));
                    } else {
                        from.close();
                        to.close();
                        return;
                    }
                }
                out.write(octets, 0, count);
                carried.addAndGet(count);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // Whoever is at the other end sees it.
            try {
                from.close();
                to.close();
            } catch (IOException f) {
                // It is closed.
            }
        }
    }

    /** Cuts what is open. */
    void cut() throws IOException {
        for (Socket socket : open) {
            open.remove(socket);
            socket.close();
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
