package org.tamanoir.tests;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.kernel.Feature;
import org.tamanoir.kernel.KernelProbe;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;

/** A sender, a host for a node that forwards, and a receiver: three hosts in a row. */
final class LightLab implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final int PORT = 3322;

    private final Path directory;
    private final Lab lab;
    private final Host sender;
    private final Host host;
    private final Host receiver;
    private final Link near;
    private final Link far;

    /** Skips a test, with the reason, where namespaces or the kernel path cannot be had. */
    static void needsKernel() {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        if (!LabRequirements.has("bpftool")) {
            DebianPackages.install(List.of("bpftool"));
        }
        KernelProbe probe = KernelProbe.of();
        for (Feature feature : List.of(Feature.BPF, Feature.PERFMON, Feature.TCX, Feature.NFT)) {
            Assumptions.assumeTrue(probe.has(feature), () -> probe.missing(feature).orElse(feature.name()));
        }
    }

    LightLab() throws IOException {
        needsKernel();
        directory = Files.createTempDirectory("tamanoir-light").toAbsolutePath();
        lab = Lab.open();
        try {
            sender = lab.host("sender");
            host = lab.host("node");
            receiver = lab.host("receiver");
            near = lab.link(sender, host);
            far = lab.link(host, receiver);
            host.forward(true);
            sender.route("10.0.0.0/16", near.second().ipv4());
            sender.route("fd00::/16", near.second().ipv6());
            receiver.route("10.0.0.0/16", far.first().ipv4());
            receiver.route("fd00::/16", far.first().ipv6());
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    Path directory() {
        return directory;
    }

    Host sender() {
        return sender;
    }

    Host host() {
        return host;
    }

    Host receiver() {
        return receiver;
    }

    /** From the sender to the node. */
    Link near() {
        return near;
    }

    /** From the node to the receiver. */
    Link far() {
        return far;
    }

    Lab lab() {
        return lab;
    }

    /** Where the node of {@link #configuration} is asked, by IPv4. */
    InetSocketAddress address() {
        return new InetSocketAddress(near.second().ipv4(), PORT);
    }

    /** Of a node that listens everywhere and delivers to the receiver; {@code more} is YAML. */
    String configuration(String more) {
        return configuration("[::]:" + PORT, more);
    }

    static String configuration(String listen, String more) {
        return "listen: '" + listen + "'\nroutes: {10.0.0.0/16: direct, 'fd00::/16': direct}\n" + more;
    }

    /** Starts the node on a directory of its own, or on that of the one before. */
    LabNode node(String more) throws IOException {
        return LabNode.start(host, directory.resolve("node"), configuration(more));
    }

    UdpPeer peerAtSender() throws Exception {
        return new UdpPeer(sender, near.first().ipv4(), 0);
    }

    UdpPeer peerAtReceiver() throws Exception {
        return new UdpPeer(receiver, far.second().ipv4(), 0);
    }

    @Override
    public void close() throws IOException {
        lab.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
