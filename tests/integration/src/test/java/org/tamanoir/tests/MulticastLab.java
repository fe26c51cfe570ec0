package org.tamanoir.tests;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.client.multicast.MulticastSender;
import org.tamanoir.client.multicast.MulticastSenderOptions;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Loss;
import org.tamanoir.lab.Port;

/** A source, a node with the service {@code dyram}, and two receivers on its local network, on which a part of the packets is lost. */
final class MulticastLab implements AutoCloseable {
    private static final LinkOptions OPTIONS = LinkOptions.DEFAULT.offloads(false);

    final Lab lab = Lab.open();
    final Path directory;
    final Host source = lab.host("source");
    final List<Host> receivers = new ArrayList<>();
    final List<Loss> loss = new ArrayList<>();
    final LabNode node;
    private final Link access;
    private final Bridge lan;
    private final LabRepository repository;
    private int groups;

    /** A laboratory; without what it needs the test is skipped, and says so. */
    static MulticastLab open() throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        return new MulticastLab();
    }

    private MulticastLab() throws Exception {
        directory = Files.createTempDirectory("tamanoir-multicast").toAbsolutePath();
        Host router = lab.host("node");
        access = lab.link(source, router, OPTIONS);
        lan = lab.bridge(router, OPTIONS);
        for (int i = 1; i <= 2; i++) {
            Host host = lab.host("r" + i);
            Port port = lan.join(host);
            receivers.add(host);
            loss.add(port.lose(0));
        }
        repository = new LabRepository(router, directory.resolve("repository"), Grid.bundle("dyram"));
        node = LabNode.start(router, directory.resolve("node"), "listen: '[::]:3322'\nrepositories: ['" + repository.url() + "']\nlinks: {members: "
                + Lab.PREFIXES + ", interface: " + Bridge.NAME + "}\nkernel: {use: off}\n");
    }

    /** A group that nobody had before. */
    InetSocketAddress group(boolean six) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(six ? "ff15::77" : "239.255.79.1"), 5405 + groups++);
    }

    /** The node for the source. */
    InetSocketAddress above(boolean six) {
        return new InetSocketAddress(six ? access.second().ipv6() : access.second().ipv4(), 3322);
    }

    /** Octets that have left the source by its link. */
    long octetsOfTheSource() {
        return access.first().statistics().txBytes();
    }

    /** The node for the receivers. */
    InetSocketAddress below(boolean six) {
        return new InetSocketAddress(six ? lan.port().ipv6() : lan.port().ipv4(), 3322);
    }

    Path file(String name, int size) throws IOException {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return Files.write(directory.resolve(name), octets);
    }

    /** Where a receiver puts a session's files. */
    Path output(String receiver, InetSocketAddress group) {
        return directory.resolve("out-" + receiver + "-" + group.getPort());
    }

    /** Options of the first or second receiver, called {@code r0} or {@code r1}. */
    MulticastReceiverOptions options(int receiver, InetSocketAddress group) {
        MulticastReceiverOptions options = new MulticastReceiverOptions(group, "r" + receiver, output("r" + receiver, group))
                .via(below(isSix(group)));
        // Java looks up IPv6 addresses in /proc/net, which shows the namespace of the process and not that of the thread.
        return isSix(group) ? options.networkInterface("to-node") : options;
    }

    MulticastReceiver receive(int receiver, MulticastReceiverOptions options) throws Exception {
        return receivers.get(receiver).inside(() -> MulticastReceiver.start(options));
    }

    MulticastSender send(MulticastSenderOptions options) throws Exception {
        return source.inside(() -> MulticastSender.start(options));
    }

    MulticastSenderOptions to(InetSocketAddress group, Path file) {
        return new MulticastSenderOptions(group, List.of(file)).via(above(isSix(group))).expect(2).rate(20_000_000);
    }

    private static boolean isSix(InetSocketAddress group) {
        return group.getAddress() instanceof Inet6Address;
    }

    @Override
    public void close() throws IOException {
        lab.close();
        repository.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
