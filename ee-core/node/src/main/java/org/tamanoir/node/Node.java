package org.tamanoir.node;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.manage.ClusterUpgrader;
import org.tamanoir.node.manage.NodeConfiguration;
import org.tamanoir.node.manage.NodeManager;
import org.tamanoir.node.manage.Pins;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.probe.ProbeService;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.NodeMeans;
import org.tamanoir.node.service.Partners;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.service.TaskThreads;
import org.tamanoir.node.store.Stores;
import org.tamanoir.node.stream.Streams;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.trust.Trust;

/**
 * An active node, from start to stop.
 *
 * <pre>{@code
 * NodeConfiguration configuration = new NodeConfiguration();
 * configuration.listen = "127.0.0.1:0";
 * try (Node node = Node.start(configuration)) {
 *     System.out.println(node.address());
 * }
 * }</pre>
 */
public final class Node implements AutoCloseable {
    private final NodeConfiguration configuration;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private NodeManager manager;
    private Streams streams;
    private ClusterMember cluster;
    private InetSocketAddress address;
    private volatile NodeFacts facts;

    private Node(NodeConfiguration configuration) {
        this.configuration = configuration;
    }

    /**
     * Starts a node; when this returns it takes streams, and the services that it had before the last stop are active again.
     *
     * @throws AnepException EE-501, EE-502, EE-503 or EE-814; nothing is left running
     */
    public static Node start(NodeConfiguration configuration) {
        return start(configuration, null, UnaryOperator.identity());
    }

    /**
     * Starts a node whose configuration file is watched.
     *
     * @param file   read again when it changes, or null
     * @param always what goes before the file, now and whenever it is read again: the options of a command line
     * @throws AnepException EE-501, EE-502, EE-503 or EE-814; nothing is left running
     */
    public static Node start(NodeConfiguration configuration, Path file, UnaryOperator<NodeConfiguration> always) {
        configuration.check();
        Node node = new Node(configuration);
        try {
            node.assemble(file, always);
            return node;
        } catch (RuntimeException | Error e) {
            try {
                node.closeParts();
            } catch (IllegalStateException also) {
                // Why it did not start is what its operator has to know first.
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    private void assemble(Path file, UnaryOperator<NodeConfiguration> always) {
        DataDirectory data = opened(new DataDirectory(configuration.dataDirectory()));
        long id = data.nodeId();
        Trust trust = configuration.trustStore();
        ServiceWatch watch = opened(new ServiceWatch(configuration.shortestTimeout()));
        ServiceRegistry registry = new ServiceRegistry();
        ServiceEvents events = new ServiceEvents();
        RouteTable routes = new RouteTable();
        PoolTable pools = new PoolTable();
        Pins pins = new Pins();
        Offload offload = opened(new Offload(configuration.kernelSettings()));
        offload.rules().replaceOperators(configuration.ruleList());
        registry.onCurrent(offload::current);
        ProbeService probes = opened(new ProbeService(configuration.probeSettings()));
        TaskThreads tasks = opened(new TaskThreads(watch));
        Partners partners = new Partners(registry, tasks);
        facts = new NodeFacts(id, configuration.listenAddress());
        Stores stores = opened(new Stores(data.path().resolve("store")));
        NodeMeans means = new NodeMeans(() -> facts, tasks, partners, stores::of, probes::forService);
        manager = opened(new NodeManager(configuration, registry, routes, pools, pins, trust, events, watch, offload, probes));
        Deployer deployer = opened(new Deployer(configuration.deployerSettings(manager::configuration), data.path(), registry, trust, pins,
                events, manager.contexts(means)));
        partners.from(deployer::partner);
        EventLoops loops = opened(new EventLoops(configuration.threads, configuration.io.equals("nio")));
        InetSocketAddress codeAddress = configuration.codeAddress() == null ? null : deployer.serve(configuration.codeAddress());
        streams = opened(new Streams(new PreviousNode(id, codeAddress == null ? 0 : codeAddress.getPort()), loops, manager::limits, routes, pools,
                deployer, watch, offload, registry, configuration.linkSettings()));
        deployer.onEnd(streams::end);
        deployer.startKept();
        address = streams.listen(configuration.listenAddress());
        facts = new NodeFacts(id, address);
        InetSocketAddress light = configuration.lightAddress() == null ? null
                : streams.listenLight(configuration.lightAddress(), manager::lightTargets);
        offload.start(address, light, id, codeAddress == null ? 0 : codeAddress.getPort(), configuration.lightTargets());
        cluster = opened(new ClusterMember(data.path()));
        cluster.configure(configuration.clusterSettings());
        manager.open(streams, deployer, address, codeAddress, id, cluster);
        if (file != null) {
            manager.watch(file, always);
        }
        deployer.awaitReady();
        deployer.warmUp();
        cluster.open(streams, registry, address, new ClusterUpgrader(deployer.operator(), registry));
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    /** Where streams come in. */
    public InetSocketAddress address() {
        return address;
    }

    /** Where the admin API is. */
    public String adminUrl() {
        return manager.adminUrl();
    }

    /** Has directors send no new streams if it is a back end, takes no new stream, lets the open ones finish for as long as the configuration says, and stops. */
    public void stop() {
        manager.stopping();
        cluster.stopping();
        streams.drain(MapConfiguration.parseDuration("drain", configuration.drain));
        close();
    }

    /** Stops at once: open streams are ended and their peers told. */
    @Override
    public void close() {
        closeParts();
    }

    private void closeParts() {
        IllegalStateException failure = null;
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                // The others are closed all the same.
                failure = failure == null ? new IllegalStateException("a part of the node does not stop", e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
