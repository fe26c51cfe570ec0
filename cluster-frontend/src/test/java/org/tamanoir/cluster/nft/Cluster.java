package org.tamanoir.cluster.nft;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Port;

/** A client, a director, and behind it three back ends on one link, whose default route it is. The virtual addresses are the director's own. */
final class Cluster implements AutoCloseable {
    static final List<String> NAMES = List.of("a", "b", "c");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int TIMEOUT = 2_000;

    final Lab lab = Lab.open();
    final Host client = lab.host("client");
    final Host director = lab.host("director");
    private final Link near = lab.link(client, director);
    private final Map<String, Port> ports = new LinkedHashMap<>();
    private final Map<String, LabProcess> processes = new LinkedHashMap<>();

    Cluster() {
        // In a host of its own: in a bridge of the director its rules would see frames before they are packets (br_netfilter).
        Bridge bridge = lab.bridge(lab.host("switch"), LinkOptions.DEFAULT);
        Port inner = bridge.join(director);
        director.forward(true);
        for (String name : NAMES) {
            Host host = lab.host(name);
            Port port = bridge.join(host);
            host.route("default", inner.ipv4());
            host.route("default", inner.ipv6());
            ports.put(name, port);
            start(name);
        }
        processes.values().forEach(process -> process.awaitLine("ready", PATIENCE));
    }

    Host host(String name) {
        return ports.get(name).host();
    }

    private void start(String name) {
        processes.put(name, host(name).startJava(BackEndMain.class, name));
    }

    void kill(String name) {
        processes.get(name).kill();
    }

    void restart(String name) {
        start(name);
        processes.get(name).awaitLine("ready", PATIENCE);
    }

    InetAddress virtual(boolean six) {
        return six ? near.second().ipv6() : near.second().ipv4();
    }

    RealServer server(String name, boolean six, int weight) {
        return Plans.server(name, (six ? ports.get(name).ipv6() : ports.get(name).ipv4()).getHostAddress(), weight);
    }

    /** A connection of a host. */
    Stream stream(Host host, InetAddress source, InetAddress to) throws Exception {
        return host.inside(() -> new Stream(source, to));
    }

    /** The name of the back end that answers a new connection. */
    String ask(InetAddress source, InetAddress to) throws Exception {
        try (Stream stream = stream(client, source, to)) {
            return stream.ask();
        }
    }

    /** A UDP socket of the client. */
    DatagramSocket datagrams(InetAddress source) throws Exception {
        return client.inside(() -> {
            DatagramSocket socket = new DatagramSocket(new InetSocketAddress(source, 0));
            socket.setSoTimeout(TIMEOUT);
            return socket;
        });
    }

    /** The name of the back end that answers a datagram. */
    static String ask(DatagramSocket socket, InetAddress to) throws IOException {
        socket.send(new DatagramPacket(new byte[] {1}, 1, new InetSocketAddress(to, 3322)));
        DatagramPacket answer = new DatagramPacket(new byte[64], 64);
        socket.receive(answer);
        return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8);
    }

    /** A TCP connection to the virtual service. */
    static final class Stream implements AutoCloseable {
        private final Socket socket = new Socket();
        private final BufferedReader in;

        private Stream(InetAddress source, InetAddress to) throws IOException {
            try {
                socket.setSoTimeout(TIMEOUT);
                socket.bind(new InetSocketAddress(source, 0));
                socket.connect(new InetSocketAddress(to, 3322), TIMEOUT);
                in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        }

        /** Who answers; null if the connection has ended. */
        String ask() throws IOException {
            socket.getOutputStream().write('\n');
            return in.readLine();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Override
    public void close() {
        lab.close();
    }
}
