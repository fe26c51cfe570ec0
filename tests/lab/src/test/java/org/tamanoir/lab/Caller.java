package org.tamanoir.lab;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A client of {@link Greeter}s on a host: a connection over TCP, or a flow over UDP, that can be asked again and again who serves it. */
public final class Caller implements AutoCloseable {
    /** For one answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MAX_NAME = 64;
    /** Ports of flows, below those that the kernel chooses from. */
    private static final int FIRST_PORT = 10_000;
    private static final int PORTS = 20_000;
    private static final AtomicInteger FLOWS = new AtomicInteger();

    private final Socket connection;
    private final InputStream in;
    private final DatagramSocket flow;

    private Caller(Socket connection, InputStream in, DatagramSocket flow) {
        this.connection = connection;
        this.in = in;
        this.flow = flow;
    }

    /** Opens a connection; the name that it is greeted with is the first that {@link #name} gives. @throws IOException if it cannot in time */
    public static Caller tcp(Host from, InetSocketAddress to) throws Exception {
        return from.inside(() -> {
            Socket socket = new Socket();
            try {
                socket.connect(to, (int) PATIENCE.toMillis());
                socket.setSoTimeout((int) PATIENCE.toMillis());
                return new Caller(socket, new BufferedInputStream(socket.getInputStream()), null);
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        });
    }

    /**
     * A flow. Nothing is sent before it is asked. Its port is none that a flow before had: a director knows that one for minutes, and a port of the kernel's
     * choice comes again in one of sixty counts of thirty.
     */
    public static Caller udp(Host from, InetSocketAddress to) throws Exception {
        return from.inside(() -> {
            DatagramSocket socket = new DatagramSocket(FIRST_PORT + FLOWS.getAndIncrement() % PORTS);
            socket.connect(to);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            return new Caller(null, null, socket);
        });
    }

    /** Asks again who serves. @throws IOException if nobody answers within 5 s */
    public String ask() throws IOException {
        if (flow == null) {
            connection.getOutputStream().write('\n');
        }
        return name();
    }

    /** The next name: over TCP one that was asked for, over UDP the answer to a datagram that this sends. */
    public String name() throws IOException {
        if (flow != null) {
            flow.send(new DatagramPacket(new byte[1], 1));
            DatagramPacket answer = new DatagramPacket(new byte[MAX_NAME], MAX_NAME);
            flow.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8).strip();
        }
        StringBuilder name = new StringBuilder();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0 || name.length() == MAX_NAME) {
                throw new ConnectException("the connection ended");
            }
            name.append((char) octet);
        }
        return name.toString();
    }

    /** Opens connections, or flows, one after the other. @return how many each back end has served, by its name; of failures, by their class */
    public static Map<String, Integer> count(Host from, InetSocketAddress to, boolean udp, int times) throws Exception {
        Map<String, Integer> served = new TreeMap<>();
        for (int i = 0; i < times; i++) {
            String by;
            try (Caller caller = udp ? udp(from, to) : tcp(from, to)) {
                by = caller.name();
            } catch (IOException e) {
                by = e.getClass().getSimpleName();
            }
            served.merge(by, 1, Integer::sum);
        }
        return served;
    }

    @Override
    public void close() throws IOException {
        if (flow == null) {
            connection.close();
        } else {
            flow.close();
        }
    }
}
