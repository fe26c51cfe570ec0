package org.tamanoir.tests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.membership.Welcome.Virtual;

/**
 * A back end, and a host that is everything else: the client, the front-end, the destination of streams, and the director, which with direct routing
 * does no more than send packets for the virtual address to the back end's hardware address, as this host's route does.
 */
final class BackEndLab implements AutoCloseable {
    static final String VIRTUAL = "198.51.100.7";
    static final String VIRTUAL6 = "2001:db8::7";
    static final int PORT = 3322;

    private final Path directory;
    private final Lab lab;
    private final Host client;
    private final Host host;
    private final Link link;
    private final TestFrontend frontend;
    private final LabRepository repository;

    BackEndLab() throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        directory = Files.createTempDirectory("tamanoir-backend").toAbsolutePath();
        lab = Lab.open();
        client = lab.host("client");
        host = lab.host("node");
        link = lab.link(client, host);
        client.route(VIRTUAL + "/32", link.second().ipv4());
        client.route(VIRTUAL6 + "/128", link.second().ipv6());
        frontend = client.inside(() -> new TestFrontend(new InetSocketAddress(link.first().ipv4(), 0), null));
        frontend.services = List.of(new Virtual(VIRTUAL, PORT));
        repository = new LabRepository(host, directory.resolve("repository"), Grid.bundle("forward"),
                AServiceSpeaksWithItsNeighboursTest.bundle("1.0.0").in(directory));
    }

    Path directory() {
        return directory;
    }

    Host client() {
        return client;
    }

    Host host() {
        return host;
    }

    Link link() {
        return link;
    }

    /** A link of the back end to a router that leads nowhere. */
    Link aside() {
        return lab.link(host, lab.host("aside"));
    }

    TestFrontend frontend() {
        return frontend;
    }

    InetSocketAddress virtual() {
        return new InetSocketAddress(VIRTUAL, PORT);
    }

    /** Starts the node on its directory. @param more keys of its cluster */
    LabNode node(String listen, String more, String... prefix) throws IOException {
        return LabNode.start(host, directory.resolve("node"), configuration(listen, more), prefix);
    }

    String configuration(String listen, String more) {
        return "listen: '" + listen + "'\nroutes: {10.0.0.0/16: direct, 'fd00::/16': direct}\nrepositories: ['" + repository.url() + "']\nkernel: {use: off}\nlinks: {members: ['10.0.0.0/16', 'fd00::/16']}\n"
                + "cluster: {name: b1, address: " + link.second().ipv4().getHostAddress() + ", frontends: ['" + frontend.url() + "'], health: '"
                + link.second().ipv4().getHostAddress() + ":3326', virtual-addresses: [" + VIRTUAL + "/32, '" + VIRTUAL6 + "/128']" + more + "}\n";
    }

    /** Sends octets through a stream at an address to a server on the client's host, and has them back. */
    void carriesTcp(InetSocketAddress at) throws Exception {
        InetAddress here = link.first().ipv4();
        try (ServerSocket server = client.inside(() -> new ServerSocket(0, 5, here)); AnepPeer peer = client.inside(() -> new AnepPeer(at))) {
            server.setSoTimeout(20_000);
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(here.getHostAddress(), server.getLocalPort(), Delivery.RAW)))
                    .send(AnepPeer.data(Grid.FORWARD, new byte[50]));
            try (Socket accepted = server.accept(); InputStream in = accepted.getInputStream(); OutputStream out = accepted.getOutputStream()) {
                out.write(in.readNBytes(50));
                if (peer.receive().payloadLength() != 50) {
                    throw new AssertionError("not what was sent");
                }
            }
        }
    }

    /** Sends a datagram through a stream at an address to a socket on the client's host. @return who has sent the answer to it */
    InetSocketAddress carriesUdp(InetSocketAddress at) throws Exception {
        InetAddress here = at.getAddress().getAddress().length == 4 ? link.first().ipv4() : link.first().ipv6();
        try (UdpPeer peer = new UdpPeer(client, here, 0); UdpPeer receiver = new UdpPeer(client, here, 0)) {
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(here.getHostAddress(), receiver.port(), Delivery.ANEP).stream(7, 0));
            peer.send(opening, at);
            receiver.receive();
            receiver.send(AnepPeer.data(Grid.FORWARD, new byte[9]));
            peer.receive();
            return peer.lastSender();
        }
    }

    /** Asks a service of the node itself at an address. @return who has answered */
    InetSocketAddress answers(InetSocketAddress at) throws Exception {
        try (UdpPeer peer = new UdpPeer(client, link.first().ipv4(), 0)) {
            for (int i = 0; i < 100; i++) {
                peer.send(AServiceSpeaksWithItsNeighboursTest.word(0x5510, 7 + i, "version"), at);
                if (!peer.isSilent(200)) {
                    return peer.lastSender();
                }
            }
        }
        throw new AssertionError("no answer from " + at);
    }

    /** Whether the node's host tells by ARP that it has the virtual address. */
    boolean isToldByArp() throws Exception {
        client.ip("route", "replace", VIRTUAL + "/32", "dev", link.first().name());
        try (UdpPeer peer = new UdpPeer(client, link.first().ipv4(), 0)) {
            for (int i = 0; i < 4; i++) {
                peer.send(new byte[] {1}, virtual());
                Thread.sleep(250);
            }
            return client.ip("neighbour", "show", VIRTUAL).output().contains("lladdr");
        } finally {
            client.ip("neighbour", "flush", "dev", link.first().name());
            client.route(VIRTUAL + "/32", link.second().ipv4());
        }
    }

    /** Whether the node's host has an address. */
    boolean has(String address) {
        return host.ip("address", "show").output().contains(" " + address + "/");
    }

    String arp(String name) {
        return host.sysctl("net.ipv4.conf." + link.second().name() + "." + name);
    }

    @Override
    public void close() throws IOException {
        frontend.close();
        repository.close();
        lab.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
