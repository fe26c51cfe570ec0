package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;

/** A relay on loopback that does wrong on purpose: between the client of the load program and its server. */
final class Mishandling implements AutoCloseable {
    /** What is done to the n-th datagram of the way back, n from 1. */
    interface ToDatagram {
        /** @return how often it is passed on, after what was done to its octets */
        int handle(int number, byte[] octets, int length);
    }

    private final InetAddress loopback = InetAddress.getLoopbackAddress();
    private final InetSocketAddress server;
    private final DatagramSocket near;
    private final DatagramSocket far;
    private final ServerSocket streams;
    private volatile SocketAddress client;

    Mishandling(InetSocketAddress server) throws IOException {
        this.server = server;
        near = new DatagramSocket(0, loopback);
        far = new DatagramSocket(0, loopback);
        streams = new ServerSocket(0, 1, loopback);
    }

    int datagramPort() {
        return near.getLocalPort();
    }

    int streamPort() {
        return streams.getLocalPort();
    }

    void relayDatagrams(ToDatagram mistake) {
        start(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
            while (true) {
                packet.setLength(65_535);
                near.receive(packet);
                client = packet.getSocketAddress();
                packet.setSocketAddress(server);
                far.send(packet);
            }
        });
        start(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
            for (int number = 1;; number++) {
                packet.setLength(65_535);
                far.receive(packet);
                packet.setSocketAddress(client);
                for (int times = mistake.handle(number, packet.getData(), packet.getLength()); times > 0; times--) {
                    near.send(packet);
                }
            }
        });
    }

    /** Passes one stream on, with one octet inverted. */
    void relayStream(long damaged) {
        start(() -> {
            try (Socket from = streams.accept(); Socket to = new Socket(server.getAddress(), server.getPort())) {
                start(() -> copy(to.getInputStream(), from.getOutputStream(), -1));
                copy(from.getInputStream(), to.getOutputStream(), damaged);
                to.shutdownOutput();
                // Until the report has gone back, or the client is away.
                from.setSoTimeout(2_000);
                Thread.sleep(500);
            }
        });
    }

    private static void copy(InputStream in, OutputStream out, long damaged) throws IOException {
        byte[] octets = new byte[65_536];
        long at = 0;
        for (int got = in.read(octets); got >= 0; got = in.read(octets)) {
            if (damaged >= at && damaged < at + got) {
                octets[(int) (damaged - at)] ^= (byte) 0xFF;
            }
            at += got;
            out.write(octets, 0, got);
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // The sockets are closed: the test is over.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "mishandling");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        near.close();
        far.close();
        try {
            streams.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
