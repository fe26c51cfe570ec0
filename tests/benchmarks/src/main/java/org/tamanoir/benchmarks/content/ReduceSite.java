package org.tamanoir.benchmarks.content;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.Port;

/** A root in the middle of four hosts, a link to each; on each a node, and four members. The root routes between them for programs that speak to each other. */
final class ReduceSite implements AutoCloseable {
    static final int MEMBERS = 16;
    static final int HOSTS = 4;
    private static final int PORT = 3322;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<Port> ports = new ArrayList<>();
    private final List<LabProcess> programs = new ArrayList<>();
    private final OpenMpi mpi;
    private final int octets;
    private int groups;

    /** Octets of one operation, with the headers of Ethernet: the most that went up and down one link, and all on all links both ways. */
    record Cost(double up, double down, double all, double millis) {
    }

    ReduceSite(int octets) throws IOException {
        this.octets = octets;
        try {
            Host middle = lab.host("root");
            List<Link> links = IntStream.range(0, HOSTS).mapToObj(i -> lab.link(middle, lab.host("site" + i))).toList();
            middle.forward(true);
            links.forEach(link -> link.second().host().routeAll(link.first()));
            InetSocketAddress root = new InetSocketAddress(links.get(0).first().ipv4(), PORT);
            String to = root.getAddress().getHostAddress();
            node(middle, "{}", to);
            for (int i = 0; i < HOSTS; i++) {
                Port port = links.get(i).second();
                ports.add(port);
                node(port.host(), "{'" + to + "/32': '" + links.get(i).first().ipv4().getHostAddress() + ":" + PORT + "'}", to);
                programs.add(port.host().startJava(ReduceMembers.class, port.ipv4().getHostAddress(), to, "" + PORT, "" + MEMBERS, "" + i * MEMBERS / HOSTS, "" + MEMBERS / HOSTS, "" + octets));
            }
            mpi = new OpenMpi(middle, ports, files.folder("mpi"));
        } catch (RuntimeException | IOException e) {
            close();
            throw e;
        }
    }

    private void node(Host host, String routes, String root) {
        Path folder = files.folder(host.name());
        NodeProcess node = NodeProcess.start(host, folder, "listen: '0.0.0.0:" + PORT + "'\ncode: none\nkernel: {use: 'off'}\nroutes: " + routes
                + "\npolicies: {collect: {reaches: ['" + root + "']}}\n");
        node.deploy(CommandLineTool.bundle("collect"));
    }

    /** One operation: what more of them cost, divided by how many more; so whatever it takes to begin and to end is left out. */
    Cost cost(String system, int operations) {
        double[] one = run(system, 1);
        double[] more = run(system, 1 + operations);
        double[] each = IntStream.range(0, one.length).mapToDouble(i -> (more[i] - one[i]) / operations).toArray();
        double up = IntStream.range(0, HOSTS).mapToDouble(i -> each[i]).max().orElse(0);
        double down = IntStream.range(0, HOSTS).mapToDouble(i -> each[HOSTS + i]).max().orElse(0);
        return new Cost(up, down, IntStream.range(0, 2 * HOSTS).mapToDouble(i -> each[i]).sum(), each[2 * HOSTS]);
    }

    /** Octets up each link, octets down each link, milliseconds. */
    private double[] run(String system, int operations) {
        double[] before = octets();
        double millis = system.equals("collect") ? collect(operations) : mpi.allReduce(octets, MEMBERS / HOSTS, operations);
        double[] after = octets();
        double[] cost = new double[2 * HOSTS + 1];
        IntStream.range(0, 2 * HOSTS).forEach(i -> cost[i] = after[i] - before[i]);
        cost[2 * HOSTS] = millis;
        return cost;
    }

    private double[] octets() {
        return IntStream.range(0, 2 * HOSTS).mapToDouble(i -> {
            Port.Statistics statistics = ports.get(i % HOSTS).statistics();
            return i < HOSTS ? statistics.txBytes() : statistics.rxBytes();
        }).toArray();
    }

    private double collect(int operations) {
        groups++;
        programs.forEach(program -> program.tell("group" + groups + " " + operations));
        return programs.stream().mapToDouble(program -> Double.parseDouble(program.awaitLine("DONE ", PATIENCE).substring("DONE ".length()))).max().orElseThrow();
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
