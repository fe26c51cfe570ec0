package org.tamanoir.benchmarks.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.SoftInterrupts;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;

/**
 * One client and one server of the load, and between them hosts with links of their own: what one of them attaches or loads into its kernel, the packets
 * of no other one meet.
 */
public class LoadNetwork implements AutoCloseable {
    /**
     * A host between client and server.
     *
     * @param host     a router of IPv4
     * @param access   from the client, its second end here
     * @param delivery to the server, its first end here
     */
    public record Middle(Host host, Link access, Link delivery) {
        /** Where the client sends what is for a node. */
        public InetAddress address() {
            return access.second().ipv4();
        }

        /** The server, as it is reached by this way. */
        public InetSocketAddress server() {
            return new InetSocketAddress(delivery.second().ipv4(), LoadServer.PORT);
        }
    }

    /**
     * What a run of the client has taken.
     *
     * @param client     what it said
     * @param nodeNanos  CPU time of the node's process
     * @param otherNanos CPU time of the server and of soft interrupts
     * @param seconds    on the clock
     */
    public record Taken(LoadFigures client, double nodeNanos, double otherNanos, double seconds) {
        /** CPU time of client, server, node and soft interrupts together. Not of round trips on TCP, whose client does not say what it took. */
        public double wholeNanos() {
            return client.get("cpu") + nodeNanos + otherNanos;
        }
    }

    private static final double NANOS = 1e9;

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final LoadTool tool;
    private final LinkOptions options;
    private final Host client;
    private final Host server;
    private final LoadServer load;
    private final SoftInterrupts softInterrupts = new SoftInterrupts();

    /** @param options of every link */
    protected LoadNetwork(LoadTool tool, LinkOptions options) {
        this.tool = tool;
        this.options = options;
        try {
            client = lab.host("client");
            server = lab.host("server");
            load = LoadServer.start(server, tool);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A new host between client and server. */
    public final Middle middle(String name) {
        Host host = lab.host(name);
        Link access = lab.link(client, host, options);
        Link delivery = lab.link(host, server, options);
        host.forward(true);
        client.route(delivery.ipv4Subnet(), access.second().ipv4());
        server.route(access.ipv4Subnet(), delivery.first().ipv4());
        return new Middle(host, access, delivery);
    }

    /**
     * Lets a client run to its end.
     *
     * @param cpus of it
     * @param node pid of the node's process, or none
     * @throws org.tamanoir.lab.LabException with what it says if it fails
     */
    public final Taken run(String cpus, LoadTool.Client what, long... node) {
        CpuTime before = CpuTime.of(node);
        double ends = ends();
        long begin = System.nanoTime();
        LoadFigures figures = tool.run(client, cpus, what);
        double seconds = (System.nanoTime() - begin) / NANOS;
        return new Taken(figures, CpuTime.of(node).since(before) * NANOS, ends() - ends, seconds);
    }

    /** CPU time of the server and of soft interrupts, nanoseconds. */
    private double ends() {
        return load.count().get("cpu") + softInterrupts.nanos();
    }

    public final Host client() {
        return client;
    }

    protected final Host server() {
        return server;
    }

    public final LoadServer load() {
        return load;
    }

    public final LoadTool tool() {
        return tool;
    }

    /** A folder for files, which goes with the network. */
    public final Path folder(String name) {
        return files.folder(name);
    }

    @Override
    public final void close() {
        lab.close();
        files.close();
    }
}
