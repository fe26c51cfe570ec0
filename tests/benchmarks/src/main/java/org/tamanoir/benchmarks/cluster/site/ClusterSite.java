package org.tamanoir.benchmarks.cluster.site;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.ClusterTestbed;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Port;

/**
 * The network of {@link ClusterTestbed}, with direct routing: what back ends answer goes past the directors. Directors and back ends have numbers from 1.
 *
 * <pre>
 *            outer                       inner
 *   client ────┬── director1 (director2) ──┬── backend1   each tamanoir node run
 *   receiver ──┤     frontend run          ├── backend2
 *   far ───────┴── router ─────────────────┴── backend3
 * </pre>
 *
 * <p>Streams for {@code receiver} leave the active network at the back end; those for {@code far} go on to a node there, which delivers them.
 */
public final class ClusterSite implements AutoCloseable {
    public static final int PORT = 3322;
    public static final int BACK_ENDS = 3;
    public static final List<Integer> ALL = IntStream.rangeClosed(1, BACK_ENDS).boxed().toList();
    /** For the JVM of the front-end, keepalived and the kernel. */
    private static final int MEGABYTES = 512;
    private static final int ROUTER_ID = 51;
    /** A level that follows the link would compress nothing on one as fast as this. */
    private static final int GZIP_LEVEL = 6;
    private static final int POLL_MILLIS = 50;

    private final TemporaryFolder files = new TemporaryFolder();
    private final ClusterTestbed testbed;
    private final Port receiver;
    private final Port far;
    private final int pair;
    private final String timing;
    private final String pool;
    private final Map<Integer, Director> directors = new TreeMap<>();
    private final Map<Integer, FrontEnd> frontEnds = new TreeMap<>();
    private final Map<Integer, NodeProcess> nodes = new TreeMap<>();

    /**
     * Starts everything; all back ends are in when this returns.
     *
     * @param pair   one director, or a pair that takes turns
     * @param timing further keys of the front-end's configuration: period and check
     * @param pool   further keys of its pool: {@code , scheduler: wrr}
     * @throws LabException if it cannot be had
     */
    public ClusterSite(int pair, String timing, String pool) {
        this.pair = pair;
        this.timing = timing;
        this.pool = pool;
        testbed = ClusterTestbed.open(BACK_ENDS);
        try {
            testbed.answerByRouter();
            receiver = testbed.join("receiver");
            far = testbed.join("far");
            IntStream.rangeClosed(1, pair).forEach(this::startDirector);
            ALL.forEach(this::startNode);
            ALL.forEach(this::awaitIn);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Boots a director, which must be dead, and starts its front-end. */
    public void startDirector(int number) {
        Director director = testbed.boot(number, MEGABYTES);
        directors.put(number, director);
        String virtual = virtual().getAddress().getHostAddress();
        String vrrp = "";
        if (pair == 1) {
            director.run("ip address add " + virtual + "/32 dev vec0");
        } else {
            vrrp = "vrrp: {device: vec0, source: " + end(testbed.outer(), number).getHostAddress() + ", peers: [" + end(testbed.outer(), 3 - number).getHostAddress()
                    + "], router: " + ROUTER_ID + ", priority: " + (100 + number) + ", synchronisation: vec1}\n";
        }
        frontEnds.put(number, new FrontEnd(FrontEndMachine.of(director), director.name(), url(number), testbed.backEnd(1).host())
                .configure("engine: ipvs\n" + timing + vrrp + "pools: {default: {addresses: [" + virtual + "], method: direct" + pool + "}}\n").start().awaitReady());
    }

    /** The last part of the addresses of the first director is 2. */
    private static InetAddress end(Bridge bridge, int director) {
        return bridge.ipv4(1 + director);
    }

    private String url(int director) {
        return FrontEnd.url(end(testbed.inner(), director));
    }

    /** Starts a back end on what it had, with its services. */
    public void startNode(int number) {
        Port port = testbed.backEnd(number);
        String urls = IntStream.rangeClosed(1, pair).mapToObj(i -> "'" + url(i) + "'").collect(Collectors.joining(", "));
        nodes.put(number, serving(port, "b" + number, "routes: {" + host(receiver) + ": direct, " + host(far) + ": '" + far.ipv4().getHostAddress() + ":" + PORT
                + "'}\ncluster: {name: b" + number + ", address: " + port.ipv4().getHostAddress() + ", frontends: [" + urls + "], token: " + FrontEnd.TOKEN
                + ", virtual-addresses: [0.0.0.0/0]}\n"));
    }

    /** Starts the node on the far host, which streams go on to. */
    public NodeProcess startFar() {
        return serving(far, "far", "routes: {" + host(far) + ": direct}\n");
    }

    private NodeProcess serving(Port port, String name, String more) {
        NodeProcess node = NodeProcess.start(port.host(), files.folder(name), "listen: '[::]:" + PORT + "'\nkernel: {use: off}\n"
                + "services: {compression: {algorithm: gzip, level: " + GZIP_LEVEL + "}}\n" + more);
        List.of("monitoring", "compression").forEach(service -> node.deploy(CommandLineTool.bundle(service)));
        return node;
    }

    private static String host(Port port) {
        return port.ipv4().getHostAddress() + "/32";
    }

    /** Cuts a director's power: its front-end, its kernel and all that they knew are gone. */
    public void cutPower(int number) {
        directors.get(number).kill();
        frontEnds.remove(number);
    }

    /** Waits until a back end gets streams from every director. */
    public void awaitIn(int number) {
        frontEnds.values().forEach(frontEnd -> frontEnd.awaitIn("b" + number));
    }

    /** Waits until no back end of some weighs more than so many times what another does. */
    public void awaitEven(List<Integer> numbers, double factor) {
        frontEnds.values().forEach(frontEnd -> frontEnd.awaitEven(numbers.stream().map(number -> "b" + number).toList(), factor));
    }

    /** Has a back end leave the cluster, or come back, and waits until it has. */
    public void serve(int number, boolean serves) {
        node(number).post(serves ? "/cluster/join" : "/cluster/leave");
        if (serves) {
            awaitIn(number);
        } else {
            frontEnds.values().forEach(frontEnd -> frontEnd.await("b" + number, shown -> shown.path("standing").asText().equals("DRAINING")));
        }
    }

    /** The number of the director of a pair that has the virtual address. @throws LabException if none has it in time */
    public int master() {
        long end = System.nanoTime() + FrontEndMachine.PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            List<Integer> masters = frontEnds.keySet().stream().filter(number -> frontEnds.get(number).role().equals("master")).toList();
            if (masters.size() == 1) {
                return masters.get(0);
            }
            Pause.millis(POLL_MILLIS);
        }
        throw new LabException("no director, or both, became master");
    }

    public Director director(int number) {
        return directors.get(number);
    }

    public NodeProcess node(int number) {
        return nodes.get(number);
    }

    public ClusterTestbed testbed() {
        return testbed;
    }

    public Port receiver() {
        return receiver;
    }

    public Port far() {
        return far;
    }

    /** Where applications find the cluster. */
    public InetSocketAddress virtual() {
        return new InetSocketAddress(testbed.virtual(1), PORT);
    }

    /** The number of the back end that has an address; 0 if none has. */
    public int backEnd(InetAddress address) {
        return 1 + testbed.backEnds().stream().map(Port::ipv4).toList().indexOf(address);
    }

    @Override
    public void close() {
        directors.values().forEach(Director::close);
        // Nobody is left whom they could tell that they go, and what they have set up is of their hosts.
        nodes.values().forEach(NodeProcess::kill);
        testbed.close();
        files.close();
    }
}
