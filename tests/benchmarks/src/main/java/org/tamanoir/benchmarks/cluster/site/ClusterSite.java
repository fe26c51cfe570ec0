package org.tamanoir.benchmarks.cluster.site;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
 * The network of {@link ClusterTestbed}, with direct routing: what back ends answer goes past the directors.
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
    /** For the JVM of the front-end, keepalived and the kernel. */
    private static final int MEGABYTES = 512;
    private static final int ROUTER_ID = 51;
    /** The last part of the addresses of the first director; the second has the next. */
    private static final int DIRECTOR_END = 2;
    /** A level that follows the link would compress nothing on one as fast as this. */
    private static final int GZIP_LEVEL = 6;
    private static final int POLL_MILLIS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> SERVICES = List.of("monitoring", "compression");

    private final TemporaryFolder files = new TemporaryFolder();
    private final ClusterTestbed testbed;
    private final Port receiver;
    private final Port far;
    private final String timing;
    private final String pool;
    private final Director[] directors;
    private final FrontEnd[] frontEnds;
    private final NodeProcess[] nodes = new NodeProcess[BACK_ENDS];

    /**
     * Starts everything; all back ends are in when this returns.
     *
     * @param directors one, or a pair that takes turns
     * @param timing    further keys of the front-end's configuration: period and check
     * @param pool      further keys of its pool: {@code , scheduler: wrr}
     * @throws LabException if it cannot be had
     */
    public ClusterSite(int directors, String timing, String pool) {
        this.timing = timing;
        this.pool = pool;
        this.directors = new Director[directors];
        frontEnds = new FrontEnd[directors];
        testbed = ClusterTestbed.open(BACK_ENDS);
        try {
            testbed.answerByRouter();
            receiver = testbed.join("receiver");
            far = testbed.join("far");
            for (int i = 1; i <= directors; i++) {
                startDirector(i);
            }
            for (int i = 1; i <= BACK_ENDS; i++) {
                startNode(i);
            }
            for (int i = 1; i <= BACK_ENDS; i++) {
                awaitIn(i);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Boots a director, which must be dead, and starts its front-end. @param number from 1 */
    public void startDirector(int number) {
        Director director = testbed.boot(number, MEGABYTES);
        directors[number - 1] = director;
        String vrrp = "";
        if (directors.length == 1) {
            director.run("ip address add " + virtual().getAddress().getHostAddress() + "/32 dev vec0");
        } else {
            vrrp = "vrrp: {device: vec0, source: " + end(testbed.outer(), number) + ", peers: [" + end(testbed.outer(), 3 - number) + "], router: " + ROUTER_ID
                    + ", priority: " + (100 + number) + ", synchronisation: vec1}\n";
        }
        frontEnds[number - 1] = new FrontEnd(FrontEndMachine.of(director), director.name(), url(number), testbed.backEnd(1).host()).configure("engine: ipvs\n"
                + timing + vrrp + "pools: {default: {addresses: [" + virtual().getAddress().getHostAddress() + "], method: direct" + pool + "}}\n")
                .start().awaitReady();
    }

    private static String end(Bridge bridge, int director) {
        return bridge.ipv4(DIRECTOR_END + director - 1).getHostAddress();
    }

    private String url(int director) {
        return FrontEnd.url(testbed.inner().ipv4(DIRECTOR_END + director - 1));
    }

    /** Starts a back end on what it had, with its services. @param number from 1 */
    public void startNode(int number) {
        Port port = testbed.backEnd(number);
        String urls = IntStream.rangeClosed(1, directors.length).mapToObj(i -> "'" + url(i) + "'").collect(Collectors.joining(", "));
        nodes[number - 1] = serving(port, "b" + number, "routes: {" + host(receiver) + ": direct, " + host(far) + ": '" + far.ipv4().getHostAddress() + ":" + PORT
                + "'}\ncluster: {name: b" + number + ", address: " + port.ipv4().getHostAddress() + ", frontends: [" + urls + "], token: " + FrontEnd.TOKEN + ", virtual-addresses: [0.0.0.0/0]}\n");
    }

    /** Starts the node on the far host, which streams go on to. */
    public NodeProcess startFar() {
        return serving(far, "far", "routes: {" + host(far) + ": direct}\n");
    }

    private NodeProcess serving(Port port, String name, String more) {
        NodeProcess node = NodeProcess.start(port.host(), files.folder(name), "listen: '[::]:" + PORT + "'\nkernel: {use: off}\n"
                + "services: {compression: {algorithm: gzip, level: " + GZIP_LEVEL + "}}\n" + more);
        SERVICES.forEach(service -> node.deploy(CommandLineTool.bundle(service)));
        return node;
    }

    private static String host(Port port) {
        return port.ipv4().getHostAddress() + "/32";
    }

    /** Cuts a director's power: its front-end, its kernel and all that they knew are gone. */
    public void cutPower(int number) {
        directors[number - 1].kill();
        frontEnds[number - 1] = null;
    }

    /** Waits until a back end gets streams from every director. */
    public void awaitIn(int number) {
        alive().forEach(each -> each.awaitIn("b" + number));
    }

    /** Waits until no back end of some weighs more than so many times what another does. */
    public void awaitEven(List<Integer> numbers, double factor) {
        List<String> names = numbers.stream().map(number -> "b" + number).toList();
        alive().forEach(each -> each.awaitEven(names, factor));
    }

    /** Has a back end leave the cluster, or come back, and waits until it has. */
    public void serve(int number, boolean serves) {
        nodes[number - 1].post(serves ? "/cluster/join" : "/cluster/leave");
        if (serves) {
            awaitIn(number);
        } else {
            alive().forEach(each -> each.await("b" + number, shown -> shown.path("standing").asText().equals("DRAINING")));
        }
    }

    /** The number of the director that has the virtual address, from 1. @throws LabException if none has it in time */
    public int master() {
        if (frontEnds.length == 1) {
            return 1;
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            List<FrontEnd> masters = alive().stream().filter(each -> each.role().equals("master")).toList();
            if (masters.size() == 1) {
                return 1 + Arrays.asList(frontEnds).indexOf(masters.get(0));
            }
            Pause.millis(POLL_MILLIS);
        }
        throw new LabException("no director, or both, became master");
    }

    private List<FrontEnd> alive() {
        return Arrays.stream(frontEnds).filter(Objects::nonNull).toList();
    }

    /** @param number from 1 */
    public Director director(int number) {
        return directors[number - 1];
    }

    /** @param number from 1 */
    public NodeProcess node(int number) {
        return nodes[number - 1];
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

    /** The number of the back end that has an address, from 1; 0 if none has. */
    public int backEnd(InetAddress address) {
        return 1 + testbed.backEnds().stream().map(Port::ipv4).toList().indexOf(address);
    }

    @Override
    public void close() {
        Arrays.stream(directors).filter(Objects::nonNull).forEach(Director::close);
        // Nobody is left whom they could tell that they go, and what they have set up is of their hosts.
        Arrays.stream(nodes).filter(Objects::nonNull).forEach(NodeProcess::kill);
        testbed.close();
        files.close();
    }
}
