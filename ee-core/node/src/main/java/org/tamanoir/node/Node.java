package org.tamanoir.node;

import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.identity.Identity;
import org.tamanoir.kernel.Datagrams;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.connection.ConnectionService;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.deploy.Framework;
import org.tamanoir.node.firefly.Fireflies;
import org.tamanoir.node.flow.FlowService;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.manage.ClusterUpgrader;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.node.manage.LiveConfiguration;
import org.tamanoir.node.manage.NodeManager;
import org.tamanoir.node.manage.NodeMetrics;
import org.tamanoir.node.manage.NodeParts;
import org.tamanoir.node.manage.Pins;
import org.tamanoir.node.manage.ServiceContexts;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.probe.ProbeService;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.server.ServiceServers;
import org.tamanoir.node.service.HeapWatch;
import org.tamanoir.node.service.NodeServiceContext.Kept;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.Partners;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.service.TaskThreads;
import org.tamanoir.node.store.ServiceStores;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.node.trace.Traces;
import org.tamanoir.node.trace.otlp.OtlpSink;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.OwnListeners;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.node.tuning.Tuning;
import org.tamanoir.node.worker.WorkerService;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.settings.Settings;
import org.tamanoir.trust.Trust;

/**
 * An active node, from start to stop.
 *
 * <pre>{@code
 * NodeConfiguration configuration = NodeConfiguration.of(Settings.none().set("listen", "127.0.0.1:0").set("development", true));
 * try (Node node = Node.start(configuration)) {
 *     System.out.println(node.address());
 * }
 * }</pre>
 */
public final class Node implements AutoCloseable {
    private final ConfigurationSource source;
    private final NodeConfiguration configuration;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private NodeManager manager;
    private Identity identity;
    private volatile NodeStreams streams;
    private ClusterMember cluster;
    private InetSocketAddress address;
    private volatile NodeFacts facts;
    private volatile FlowService flows;
    private volatile ConnectionService connections;

    private Node(ConfigurationSource source, NodeConfiguration configuration) {
        this.source = source;
        this.configuration = configuration;
    }

    /**
     * Loads what a start takes longest for: how a configuration is read, and the kernel helper. For a thread beside what comes before a start;
     * nothing needs it.
     */
    public static void prepare() {
        NodeConfiguration.of(Settings.none());
        Datagrams.problem();
    }

    /**
     * Starts a node; when this returns it takes streams, and the services that it had before the last stop are active again.
     *
     * @param settings that it has from beginning to end, but for what the admin API changes and what its fleet says
     * @throws AnepException EE-501, EE-502, EE-503 or EE-814; nothing is left running
     */
    public static Node start(Settings settings) {
        return start(new ConfigurationSource(null, () -> settings));
    }

    /** The same of a configuration that is in no fleet. */
    public static Node start(NodeConfiguration configuration) {
        if (configuration.fleet() != null) {
            throw new IllegalArgumentException("a node of a fleet is started with its settings");
        }
        return start(new ConfigurationSource(null, Settings::none), configuration);
    }

    /**
     * Starts a node whose configuration file is watched.
     *
     * @throws AnepException EE-501, EE-502, EE-503 or EE-814; nothing is left running
     */
    public static Node start(ConfigurationSource source) {
        return start(source, source.first());
    }

    /** The same when its first configuration has been read. @param first of the source */
    public static Node start(ConfigurationSource source, NodeConfiguration first) {
        Node node = new Node(source, first);
        try {
            node.assemble();
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

    private void assemble() {
        DataDirectory data = opened(new DataDirectory(configuration.dataDirectory()));
        long id = data.nodeId();
        Trust trust = configuration.trustStore();
        Framework framework = opened(new Framework(data.path()));
        ServiceWatch watch = opened(new ServiceWatch(configuration.shortestTimeout()));
        ServiceRegistry registry = new ServiceRegistry();
        ServiceEvents events = new ServiceEvents();
        OwnListeners own = new OwnListeners();
        Peers peers = new Peers(configuration.peers());
        RouteTable routes = new RouteTable(own);
        routes.replace(configuration.routes());
        PoolTable pools = new PoolTable();
        pools.replace(configuration.pools());
        Pins pins = new Pins();
        pins.replace(configuration.pins());
        Offload offload = opened(new Offload(configuration.kernelSettings()));
        offload.rules().replaceOperators(configuration.rules());
        registry.onCurrent(offload::current);
        Tls tls = tls(peers);
        ServiceServers servers = opened(new ServiceServers(tls == null ? () -> null : tls::toServers));
        ProbeService probes = opened(new ProbeService(configuration.probeSettings()));
        TaskThreads tasks = opened(new TaskThreads(watch));
        WorkerService workers = opened(new WorkerService());
        Partners partners = new Partners(registry, tasks);
        facts = new NodeFacts(id, configuration.listen());
        ServiceStores stores = opened(new ServiceStores(data.path().resolve("store")));
        Function<String, NodeMeans> means = publisher -> new NodeMeans(() -> facts, tasks, partners, (name, teller) -> new Kept(stores.of(publisher, name, teller), most -> stores.blocks(publisher, name, teller, most)),
                probes::forService, servers::of, (typeId, told) -> flows.forService(typeId, told), (service, told) -> connections.forService(service, told),
                workers::forService, told -> streams.tcpOf(told));
        LiveConfiguration live = new LiveConfiguration(configuration);
        AtomicReference<StreamLimits> limits = new AtomicReference<>(configuration.limits().forStreams());
        NodeMetrics metrics = new NodeMetrics();
        manager = opened(new NodeManager(live, metrics));
        Deployer deployer = opened(new Deployer(configuration.deployerSettings(live::inForce, tls), data.path(), framework, registry,
                trust, pins, events, new ServiceContexts(live::inForce, metrics, offload.rules(), means)));
        partners.from(deployer::partner);
        AccessControl access = opened(new AccessControl(configuration.accessPolicy(), Clock.systemUTC()));
        access.use(configuration.accessRules());
        EventLoops loops = opened(new EventLoops(configuration.threads(), configuration.io().equals("nio"), () -> limits.get().memory()));
        InetSocketAddress codeAddress = configuration.codeAddress() == null ? null : deployer.serve(configuration.codeAddress());
        own.add(codeAddress);
        flows = new FlowService(loops, tls, routes);
        PreviousNode self = new PreviousNode(id, codeAddress == null ? 0 : codeAddress.getPort());
        connections = opened(new ConnectionService(loops, tls, routes, self));
        Fireflies fireflies = opened(new Fireflies(() -> live.inForce().fireflySettings()));
        Traces traces = opened(new Traces(() -> live.inForce().traceSettings(), now -> new OtlpSink(now.endpoint(), resource(now.name()))));
        // A refusal is told by the manager, which opens later.
        Tuning tuning = new Tuning(loops.isEpoll() ? SocketTuning::problem : any -> "connections are not tuned with io: nio", System.nanoTime());
        tuning.configure(configuration.tune());
        streams = opened(new NodeStreams(self, loops, limits::get, routes, own, peers, pools,
                deployer, watch, offload, registry, configuration.linkSettings(), tls, access, () -> live.inForce().tcpStateSettings(), fireflies, traces, tuning));
        deployer.onEnd(streams::end);
        deployer.startKept();
        streams.told().configure(configuration.toldNeighbours());
        address = streams.listen(configuration.listen());
        facts = new NodeFacts(id, address);
        InetSocketAddress light = configuration.lightAddress() == null ? null
                : streams.listenLight(configuration.lightAddress(), () -> live.inForce().light().connections());
        offload.start(address, light, id, codeAddress == null ? 0 : codeAddress.getPort(), configuration.light().connections());
        cluster = opened(new ClusterMember(data.path(), configuration.clusterSettings(), tls == null ? null : tls.toServers()));
        manager.open(new NodeParts(id, address, codeAddress, limits, streams, deployer, cluster, registry, routes, own, peers, access, pools, pins, offload, probes, watch,
                events, trust, identity), source, tls == null ? null : tls.toServers());
        deployer.awaitReady();
        deployer.warmUp();
        opened(new HeapWatch(watch, registry::all, deployer::overused));
        cluster.open(streams, registry, address, new ClusterUpgrader(deployer.operator(), registry));
        manager.watch();
    }

    /** Null for a node without certificates. */
    private Tls tls(Peers peers) {
        if (configuration.tls() == null) {
            return null;
        }
        identity = opened(new Identity(configuration.tls().files()));
        return opened(new Tls(configuration.tlsSettings(identity, peers::isNamed)));
    }

    /** What a collector of traces is told of this node. */
    private Map<String, String> resource(String name) {
        String version = Node.class.getPackage().getImplementationVersion();
        return Map.of("service.name", name, "service.instance.id", facts.name(), "service.version", version == null ? "development" : version,
                "tamanoir.node.address", TcpSockets.text(facts.address()));
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
        streams.drain(configuration.drain());
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
