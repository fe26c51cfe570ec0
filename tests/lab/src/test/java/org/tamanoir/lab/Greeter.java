package org.tamanoir.lab;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server on a host that tells everybody its name: over TCP once a connection is there and again for each line that comes, over UDP for each datagram.
 * So a client knows who serves it. It has at most 512 connections.
 */
public final class Greeter implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 512;
    private static final int BACKLOG = 512;
    private static final int MAX_OCTETS = 2_048;

    private final byte[] line;
    private final ServerSocket server;
    private final DatagramSocket datagrams;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    private Greeter(String name, ServerSocket server, DatagramSocket datagrams) {
        this.line = (name + "\n").getBytes(StandardCharsets.UTF_8);
        this.server = server;
        this.datagrams = datagrams;
    }

    /**
     * Starts one, with the name of its host.
     *
     * @param at over TCP and UDP. With direct routing and tunnels the virtual address: over UDP answers leave with the address that the socket has
     */
    public static Greeter start(Host host, InetSocketAddress at) throws Exception {
        ServerSocket server = host.inside(() -> new ServerSocket(at.getPort(), BACKLOG, at.getAddress()));
        Greeter greeter = new Greeter(host.name(), server, host.inside(() -> new DatagramSocket(at)));
        thread(greeter::accept, host.name() + " accepts");
        thread(greeter::receive, host.name() + " receives");
        return greeter;
    }

    private static void thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                if (connections.size() == MAX_CONNECTIONS) {
                    socket.close();
                } else {
                    connections.add(socket);
                    thread(() -> serve(socket), "greets " + socket.getRemoteSocketAddress());
                }
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            int octet = '\n';
            while (octet >= 0) {
                if (octet == '\n') {
                    socket.getOutputStream().write(line);
                }
                octet = in.read();
            }
        } catch (IOException e) {
            // The client has gone.
        } finally {
            connections.remove(socket);
        }
    }

    private void receive() {
        DatagramPacket packet = new DatagramPacket(new byte[MAX_OCTETS], MAX_OCTETS);
        while (!datagrams.isClosed()) {
            try {
                datagrams.receive(packet);
                datagrams.send(new DatagramPacket(line, line.length, packet.getSocketAddress()));
            } catch (IOException e) {
                // Closed, or the client cannot be reached: it asks again.
            }
        }
    }

    /** Ends it with its connections. */
    @Override
    public void close() throws IOException {
        server.close();
        datagrams.close();
        for (Socket socket : connections) {
            socket.close();
        }
    }
}
