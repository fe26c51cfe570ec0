package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.benchmarks.cluster.site.FrontEnd;
import org.tamanoir.benchmarks.cluster.site.FrontEndMachine;
import org.tamanoir.lab.ClusterTestbed;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Port;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Mischief;

/**
 * A cluster as its operator has it: {@code frontend run} on one or two directors, nodes behind them, a receiver of streams in front. The repository has
 * {@code forward}, {@code monitoring}, and {@code stateful}, which needs the streams of a source to stay together.
 */
final class ClusterLab implements AutoCloseable {
    static final int PORT = 3322;
    static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Between looks at a director, first and at last. */
    private static final Duration FIRST_LOOK = Duration.ofMillis(50);
    private static final Duration LAST_LOOKS = Duration.ofMillis(500);
    /** The Type ID of {@code stateful}. */
    static final int STATEFUL = 0x5500;
    /** For the JVM of the front-end, keepalived and the kernel. */
    private static final int MEGABYTES = 384;
    /** The last part of the first director's addresses. */
    private static final int FIRST = 2;

    private final Path directory;
    private final ClusterTestbed testbed;
    private final LabRepository repository;
    private final Port receiver;
    private final Map<Integer, Director> directors = new TreeMap<>();
    private final Map<Integer, FrontEnd> frontends = new TreeMap<>();
    private final Map<Integer, LabNode> nodes = new TreeMap<>();
    private List<String> urls = List.of();

    private ClusterLab(int backEnds) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        // For marks: the kernel of user-mode Linux has no nftables for IP. For the engine that is nftables.
        DebianPackages.require("iptables-legacy", "iptables");
        DebianPackages.require("conntrack", "conntrack");
        directory = Files.createTempDirectory("tamanoir-cluster").toAbsolutePath();
        testbed = ClusterTestbed.open(backEnds);
        receiver = testbed.join("receiver");
        repository = new LabRepository(testbed.router(), testbed.inner().port().ipv4().getHostAddress(), directory.resolve("repository"),
                Grid.bundle("forward"), Grid.bundle("monitoring"), new ServiceBundle("stateful", STATEFUL, "middle", Mischief.class).attribute("affinity=\"source\"").in(directory));
    }

    /** With one director that has IPVS. @param pool further keys of the pool: {@code , method: direct} */
    ClusterLab(int backEnds, String pool) throws Exception {
        this(backEnds);
        begin(backEnds, List.of(testbed.inner().ipv4(FIRST)), () -> {
            Director director = boot(1);
            director.run("ip addr add " + address() + "/32 dev vec0; ip addr add " + gateway() + " dev vec1");
            frontend(1, FrontEndMachine.of(director)).configure(pools(pool)).start();
        });
    }

    /** With two directors that have IPVS and take turns. */
    static ClusterLab pair(int backEnds) throws Exception {
        ClusterLab lab = new ClusterLab(backEnds);
        lab.begin(backEnds, List.of(lab.testbed.inner().ipv4(FIRST), lab.testbed.inner().ipv4(FIRST + 1)), () -> {
            lab.startOfPair(1);
            lab.startOfPair(2);
        });
        return lab;
    }

    /** With a director that has the kernel of this machine, by nftables. */
    static ClusterLab nft(int backEnds) throws Exception {
        ClusterLab lab = new ClusterLab(backEnds);
        List<Port> ends = lab.testbed.joinBoth("director");
        lab.begin(backEnds, List.of(ends.get(1).ipv4()), () -> {
            ends.get(0).host().ip("address", "add", lab.address() + "/32", "dev", ends.get(0).name());
            ends.get(0).host().ip("address", "add", lab.gateway(), "dev", ends.get(1).name());
            lab.frontend(1, FrontEndMachine.of(ends.get(0).host(), lab.directory.resolve("director"))).configure(lab.pools("")).start("--engine", "nft");
        });
        return lab;
    }

    private interface Start {
        void run() throws Exception;
    }

    /** Starts everything at the same time: most of a start is waiting for something. */
    private void begin(int backEnds, List<InetAddress> ends, Start directors) throws Exception {
        urls = ends.stream().map(FrontEnd::url).toList();
        try {
            for (int i = 1; i <= backEnds; i++) {
                launch(i);
            }
            directors.run();
            frontends.values().forEach(FrontEnd::awaitReady);
            nodes.values().forEach(LabNode::awaitReady);
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    private Director boot(int number) {
        directors.put(number, testbed.boot(number, MEGABYTES));
        return directors.get(number);
    }

    private FrontEnd frontend(int number, FrontEndMachine machine) {
        frontends.put(number, new FrontEnd(machine, "director" + number, urls.get(number - 1), testbed.backEnd(1).host()));
        return frontends.get(number);
    }

    /** Boots a director of a pair, and starts its front-end: also one that had its power cut. */
    FrontEnd startOfPair(int number) {
        Director director = boot(number);
        return frontend(number, FrontEndMachine.of(director)).configure("vrrp: {device: vec0, source: " + outer(number) + ", peers: [" + outer(3 - number)
                + "], priority: " + (110 - number) + ", synchronisation: vec1, gateways: ['" + gateway() + " dev vec1']}\n" + pools("")).start();
    }

    private String outer(int director) {
        return testbed.outer().ipv4(FIRST + director - 1).getHostAddress();
    }

    private String address() {
        return testbed.virtual(1).getHostAddress();
    }

    private String gateway() {
        return testbed.gateway().getHostAddress() + "/24";
    }

    /** Of a front-end's file. @param more keys of the pool: {@code , method: direct} */
    String pools(String more) {
        return "pools: {default: {addresses: [" + address() + "]" + more + "}}\n";
    }

    private LabNode launch(int number) throws IOException {
        Port port = testbed.backEnd(number);
        String address = port.ipv4().getHostAddress();
        LabNode node = LabNode.launch(port.host(), directory.resolve("b" + number), "listen: '[::]:" + PORT + "'\nroutes: {" + testbed.outer().ipv4Subnet()
                + ": direct}\nrepositories: ['" + repository.url() + "']\nkernel: {use: off}\ncluster: {name: b" + number + ", address: " + address
                + ", frontends: [" + urls.stream().map(url -> "'" + url + "'").collect(Collectors.joining(", ")) + "], token: " + FrontEnd.TOKEN + ", virtual-addresses: [" + address() + "/32]}\n");
        nodes.put(number, node);
        return node;
    }

    /** Starts a back end on its directory. @param number from 1 */
    LabNode startNode(int number) throws IOException {
        return launch(number).awaitReady();
    }

    LabNode node(int number) {
        return nodes.get(number);
    }

    ClusterTestbed testbed() {
        return testbed;
    }

    /** The first one that has IPVS. */
    Director director() {
        return director(1);
    }

    Director director(int number) {
        return directors.get(number);
    }

    FrontEnd frontend() {
        return frontend(1);
    }

    FrontEnd frontend(int number) {
        return frontends.get(number);
    }

    Port receiver() {
        return receiver;
    }

    InetSocketAddress virtual() {
        return new InetSocketAddress(testbed.virtual(1), PORT);
    }

    /** Where a back end is. */
    InetAddress place(int number) {
        return testbed.backEnd(number).ipv4();
    }

    /** Publishes a bundle. */
    void push(Path bundle) {
        repository.push(bundle);
    }

    /** {@code service upgrade} of all back ends, by the first front-end. */
    Command.Result upgrade(String service, String drain) {
        return operate(Duration.ofMinutes(3), "service", "upgrade", service, "--cluster", urls.get(0), "--drain", drain, "--token", FrontEnd.TOKEN);
    }

    /** What {@code frontend status} of the first front-end shows to people. */
    String tell() {
        Command.Result result = operate(PATIENCE, "frontend", "status", "--frontend", urls.get(0), "--token", FrontEnd.TOKEN);
        assertThat(result.exit()).as(result.errors()).isZero();
        return result.output();
    }

    private Command.Result operate(Duration patience, String... command) {
        return testbed.backEnd(1).host().tryRun(patience, CommandLineTool.command(command).toArray(String[]::new));
    }

    Path directory() {
        return directory;
    }

    /** What {@code GET /status} of the first front-end answers. */
    JsonNode status() {
        return frontend().status();
    }

    /** Waits until the first front-end shows of a back end what is wanted. */
    void until(int number, Predicate<JsonNode> wanted) {
        frontend().await("b" + number, wanted);
    }

    /** Waits until back ends get streams. */
    void awaitIn(int... numbers) {
        for (FrontEnd each : frontends.values()) {
            for (int number : numbers) {
                each.awaitIn("b" + number);
            }
        }
    }

    /** Waits for what a director or its front-end says: in user-mode Linux each look costs many times what it costs elsewhere, so there are few. */
    static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(new IterativePollInterval(ClusterLab::longer, FIRST_LOOK));
    }

    private static Duration longer(Duration pause) {
        Duration longer = pause.multipliedBy(3).dividedBy(2);
        return longer.compareTo(LAST_LOOKS) < 0 ? longer : LAST_LOOKS;
    }

    /** Asks the admin API of a back end, on its host. */
    void post(int number, String path) {
        testbed.backEnd(number).host().run("curl", "-sf", "-X", "POST", node(number).admin() + path);
    }

    @Override
    public void close() throws IOException {
        frontends.values().forEach(each -> each.machine().close());
        repository.close();
        testbed.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        assertThat(directory).doesNotExist();
    }
}
