package org.tamanoir.benchmarks.relay;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tamanoir.benchmarks.kernel.LoadFigures;
import org.tamanoir.benchmarks.kernel.LoadServer;
import org.tamanoir.benchmarks.kernel.LoadTool;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;

/**
 * Client, relay and server in a line, as in {@link RelayTestbed}, with the load in C: a JVM at both ends would cost more than a datagram between them. No
 * datagram is cut on the way.
 */
final class DatagramTestbed implements AutoCloseable {
    /** What the load program does. */
    enum Case {
        /** Some datagrams under way, each echoed. */
        WINDOW("udp-window", 32),
        /** One way, as many as can be sent. */
        BLAST("udp-blast", 32),
        /** One under way. */
        TRIP("udp-trip", 1);

        private final String argument;
        private final int window;

        Case(String argument, int window) {
            this.argument = argument;
            this.window = window;
        }
    }

    /** @param cpuSeconds of the relay's process; empty where the kernel does it alone */
    record Result(LoadFigures figures, Optional<Double> cpuSeconds) {
    }

    static final int MTU = 9000;
    /** As a decimal number: {@code monitoring}. */
    private static final String TYPE = Integer.toString(0x5402);
    private static final String NO_SESSION = "0";
    /** A node takes one of the hops that a datagram has, a peer leaves them all: either way it has come by the relay that it was sent to. */
    private static final String ANY_HOPS = "-1";
    private static final Duration WARM = Duration.ofMillis(300);
    private static final Duration MARGIN = Duration.ofSeconds(20);

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final LoadTool tool;
    private final Host client;
    private final Host relay;
    private final Link access;
    private final Link delivery;
    private final LoadServer server;
    private int ports = 7100;

    DatagramTestbed(LoadTool tool) {
        this.tool = tool;
        try {
            client = lab.host("client");
            relay = lab.host("node");
            Host end = lab.host("server");
            access = lab.link(client, relay, LinkOptions.DEFAULT.mtu(MTU));
            delivery = lab.link(relay, end, LinkOptions.DEFAULT.mtu(MTU));
            relay.forward(true);
            client.route(delivery.ipv4Subnet(), access.second().ipv4());
            end.route(access.ipv4Subnet(), delivery.first().ipv4());
            server = LoadServer.start(end, tool);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Where the relays run. */
    Host relay() {
        return relay;
    }

    /** The relays' address as the client sees it. */
    InetAddress relayAddress() {
        return access.second().ipv4();
    }

    String serverSubnet() {
        return delivery.ipv4Subnet();
    }

    InetSocketAddress destination() {
        return new InetSocketAddress(delivery.second().ipv4(), LoadServer.PORT);
    }

    /** An address for a relay of its own. */
    InetSocketAddress entry() {
        ports += 10;
        return new InetSocketAddress(relayAddress(), ports);
    }

    Path folder(String name) {
        return files.folder(name);
    }

    /**
     * Lets the client run. Round trips have everything on one CPU, the other cases both ends apart and the relay wherever there is room.
     *
     * @param octets of a datagram
     * @param intact whether every octet of every echo is compared
     * @throws LabException if it fails, or if what came is not what was sent
     */
    Result run(RelaySystem system, Case what, int octets, Duration duration, boolean intact) {
        boolean one = what == Case.TRIP;
        server.tree().pin(one ? "0" : ProcessTree.allCpus().contains("1") ? "1" : "0");
        system.processes().forEach(process -> process.pin(one ? "0" : ProcessTree.allCpus()));
        List<String> command = tool.command("0", what.argument, system.load().getAddress().getHostAddress(), Integer.toString(system.load().getPort()),
                destination().getAddress().getHostAddress(), Integer.toString(octets), seconds(duration), seconds(WARM), ANY_HOPS,
                Integer.toString(what.window), intact ? "check" : "echo", TYPE, NO_SESSION);
        Optional<Double> before = cpuSeconds(system);
        Command.Result result = client.tryRun(duration.plus(WARM).plus(MARGIN), command.toArray(String[]::new));
        Optional<Double> cpu = cpuSeconds(system).map(after -> after - before.orElseThrow());
        if (result.exit() != 0) {
            throw new LabException(result.errors().strip());
        }
        LoadFigures figures = LoadFigures.of(result.output());
        if (what != Case.BLAST && figures.get("stray") > 0) {
            throw new LabException(figures + ": echoes that are not what was sent");
        }
        return new Result(figures, cpu);
    }

    private static Optional<Double> cpuSeconds(RelaySystem system) {
        return system.processes().isEmpty() ? Optional.empty() : Optional.of(system.processes().stream().mapToDouble(ProcessTree::cpuSeconds).sum());
    }

    /** What the server has got of the last one-way run. */
    LoadFigures received() {
        return server.count();
    }

    private static String seconds(Duration duration) {
        return Double.toString(duration.toMillis() / 1000.0);
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
