package org.tamanoir.benchmarks.cluster.site;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.qos.edge.EdgeNode;
import org.tamanoir.benchmarks.qos.edge.Pause;
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
    private static final int POLL_MILLIS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String TOKEN = "between-us";
    private static final List<String> SERVICES = List.of("monitoring", "compression");

    private final TemporaryFolder files = new TemporaryFolder();
    private final ClusterTestbed testbed;
    private final Port receiver;
    private final Port far;
    private final String timing;
    private final String pool;
    private final FrontEnd[] frontEnds;
    private final int[] starts;
    private final EdgeNode[] nodes = new EdgeNode[BACK_ENDS];

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
        frontEnds = new FrontEnd[directors];
        starts = new int[directors];
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
        if (frontEnds.length == 1) {
            director.run("ip address add " + virtual().getAddress().getHostAddress() + "/32 dev vec0");
        }
        Path file = write("director" + number + ".yaml", configuration(number, director));
        frontEnds[number - 1] = FrontEnd.start(director, "frontend" + ++starts[number - 1], file, testbed.backEnd(1).host(), TOKEN);
    }

    private String configuration(int number, Director director) {
        String vrrp = frontEnds.length == 1 ? "" : "vrrp: {device: vec0, source: " + director.taps().get(0).ipv4().getHostAddress() + ", peers: ["
                + testbed.outer().ipv4(DIRECTOR_END + (number == 1 ? 1 : 0)).getHostAddress() + "], router: " + ROUTER_ID + ", priority: " + (100 + number)
                + ", synchronisation: vec1}\n";
        return "name: director" + number + "\nlisten: 0.0.0.0:" + FrontEnd.PORT + "\ntoken-file: " + write("token", TOKEN) + "\ndata: /run/frontend\nengine: ipvs\n"
                + timing + vrrp + "pools: {default: {addresses: [" + virtual().getAddress().getHostAddress() + "], method: direct" + pool + "}}\n";
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(files.folder("configuration").resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a back end on what it had, with its services. @param number from 1 */
    public void startNode(int number) {
        Port port = testbed.backEnd(number);
        String directors = IntStream.rangeClosed(1, frontEnds.length).mapToObj(i -> "'http://" + testbed.inner().ipv4(DIRECTOR_END + i - 1).getHostAddress() + ":"
                + FrontEnd.PORT + "'").collect(Collectors.joining(", "));
        nodes[number - 1] = serving(port, "b" + number, "routes: {" + host(receiver) + ": direct, " + host(far) + ": '" + far.ipv4().getHostAddress() + ":" + PORT
                + "'}\ncluster: {name: b" + number + ", address: " + port.ipv4().getHostAddress() + ", frontends: [" + directors + "], token: " + TOKEN + "}\n");
    }

    /** Starts the node on the far host, which streams go on to. */
    public EdgeNode startFar() {
        return serving(far, "far", "routes: {" + host(far) + ": direct}\n");
    }

    private EdgeNode serving(Port port, String name, String more) {
        EdgeNode node = EdgeNode.start(port.host(), files.folder(name), "listen: '[::]:" + PORT + "'\nkernel: {use: off}\n"
                + "services: {compression: {algorithm: gzip}}\n" + more);
        SERVICES.forEach(service -> node.deploy(CommandLineTool.bundle(service)));
        return node;
    }

    private static String host(Port port) {
        return port.ipv4().getHostAddress() + "/32";
    }

    /** Cuts a director's power: its front-end, its kernel and all that they knew are gone. */
    public void cutPower(int number) {
        frontEnds[number - 1].director().kill();
        frontEnds[number - 1] = null;
    }

    /** Waits until all front-ends that are alive show of a back end what is wanted. @throws LabException if that takes too long */
    public void await(int number, Predicate<JsonNode> wanted) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (FrontEnd each : alive()) {
            while (true) {
                JsonNode shown = each.backEnd("b" + number);
                if (wanted.test(shown)) {
                    break;
                }
                if (System.nanoTime() > end) {
                    throw new LabException("after " + PATIENCE.toSeconds() + " s " + each.director().name() + " shows of b" + number + ": " + shown);
                }
                Pause.millis(POLL_MILLIS);
            }
        }
    }

    /** Waits until a back end gets streams from every director. */
    public void awaitIn(int number) {
        await(number, shown -> shown.path("standing").asText().equals("IN") && shown.path("answers").asBoolean());
    }

    /** Has a back end leave the cluster, or come back, and waits until it has. */
    public void serve(int number, boolean serves) {
        nodes[number - 1].post(serves ? "/cluster/join" : "/cluster/leave");
        if (serves) {
            awaitIn(number);
        } else {
            await(number, shown -> shown.path("standing").asText().equals("DRAINING"));
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
    public FrontEnd frontEnd(int number) {
        return frontEnds[number - 1];
    }

    /** @param number from 1 */
    public EdgeNode node(int number) {
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
        alive().forEach(each -> each.director().close());
        // Nobody is left whom they could tell that they go, and what they have set up is of their hosts.
        Arrays.stream(nodes).filter(Objects::nonNull).forEach(EdgeNode::kill);
        testbed.close();
        files.close();
    }
}
