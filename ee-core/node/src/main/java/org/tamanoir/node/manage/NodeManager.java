package org.tamanoir.node.manage;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.cluster.ClusterSettings;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.offload.LightTarget;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.link.LinkCounters;
import org.tamanoir.node.link.LinkSettings;
import org.tamanoir.node.manage.Pins.Pin;
import org.tamanoir.node.probe.ProbeService;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.NodeMeans;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceCall;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.stream.PoolAssignment;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.node.stream.StreamStatus;
import org.tamanoir.node.stream.Streams;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.settings.SettingsWatch;
import org.tamanoir.trust.Trust;

/** The Active Node Manager: holds the configuration in force and answers for the node. */
public final class NodeManager implements AutoCloseable {
    private final NodeMetrics metrics = new NodeMetrics();
    private final ServiceRegistry registry;
    private final RouteTable routes;
    private final PoolTable pools;
    private final Pins pins;
    private final Trust trust;
    private final ServiceEvents events;
    private final ServiceWatch watch;
    private final Offload offload;
    private final ProbeService probes;
    private volatile NodeConfiguration configuration;
    private volatile StreamLimits limits;
    private volatile boolean stopping;
    private Streams streams;
    private ClusterMember cluster;
    private Deployer deployer;
    private InetSocketAddress address;
    private InetSocketAddress code;
    private String nodeId;
    private HttpServer admin;
    private SettingsWatch files;

    public NodeManager(NodeConfiguration configuration, ServiceRegistry registry, RouteTable routes, PoolTable pools, Pins pins, Trust trust,
                       ServiceEvents events, ServiceWatch watch, Offload offload, ProbeService probes) {
        this.offload = offload;
        this.probes = probes;
        this.registry = registry;
        this.routes = routes;
        this.pools = pools;
        this.pins = pins;
        this.trust = trust;
        this.events = events;
        this.watch = watch;
        this.configuration = configuration;
        this.limits = configuration.limits.forStreams();
        routes.replace(configuration.routeList());
        pools.replace(configuration.poolList());
        pins.replace(configuration.pinList());
    }

    /** The limits in force. */
    public StreamLimits limits() {
        return limits;
    }

    /** Makes what each service is given. */
    public NodeServiceContext.Factory contexts(NodeMeans means) {
        return new ServiceContexts(() -> configuration, metrics, offload.rules(), means);
    }

    /**
     * Opens the admin API for a node that runs.
     *
     * @throws AnepException EE-502
     */
    public void open(Streams running, Deployer deploying, InetSocketAddress listening, InetSocketAddress codeServer, long id, ClusterMember member) {
        cluster = member;
        streams = running;
        deployer = deploying;
        address = listening;
        code = codeServer;
        nodeId = String.format("%016x", id);
        metrics.watch(running, registry, deploying, events, offload);
        metrics.watch(probes.counters());
        metrics.watch(member);
        metrics.watch(pools);
        pools.at(new PoolPlace(running, member));
        admin = new AdminApi(this).start(configuration.adminAddress(), configuration.adminToken());
    }

    /**
     * Reads a configuration file again whenever it changes.
     *
     * @param always what goes before the file each time
     */
    public void watch(Path file, UnaryOperator<NodeConfiguration> always) {
        files = new SettingsWatch(file, changed -> apply(always.apply(NodeConfiguration.read(changed))));
    }

    /**
     * Routes, pools, rules, light connections, links, the cluster, pins, limits of streams, upgrade options, options of services that take them while they run,
     * and options and policies of services that start later take effect at once; the rest with the next start.
     */
    private void apply(NodeConfiguration changed) {
        changed.check();
        StreamLimits newLimits = changed.limits.forStreams();
        List<Pool> newPools = changed.poolList();
        List<Pin> newPins = changed.pinList();
        List<LightRule> newRules = changed.ruleList();
        List<LightTarget> newTargets = changed.lightTargets();
        LinkSettings newLinks = changed.linkSettings();
        ClusterSettings newCluster = changed.clusterSettings();
        Reconfiguration services = new Reconfiguration(registry, watch);
        services.apply(configuration, changed);
        ClusterSettings clusterBefore = cluster.settings();
        try {
            cluster.configure(newCluster);
            offload.rules().replaceOperators(newRules);
        } catch (RuntimeException e) {
            cluster.configure(clusterBefore);
            services.takeBack();
            throw e;
        }
        routes.replace(changed.routeList());
        pools.replace(newPools);
        offload.lightTargets(newTargets);
        streams.links().configure(newLinks);
        limits = newLimits;
        configuration = changed;
        pins.replace(newPins);
        deployer.operator().repin();
    }

    /** The node as a back end. */
    ClusterMember cluster() {
        return cluster;
    }

    /** {@code http://HOST:PORT} of the admin API. */
    public String adminUrl() {
        return admin.url();
    }

    /** The node is asked to stop: health says so. */
    public void stopping() {
        stopping = true;
    }

    NodeMetrics metrics() {
        return metrics;
    }

    Streams streams() {
        return streams;
    }

    RouteTable routes() {
        return routes;
    }

    PoolTable pools() {
        return pools;
    }

    Offload offload() {
        return offload;
    }

    /** Where light TCP streams go. */
    public List<LightTarget> lightTargets() {
        return configuration.lightTargets();
    }

    List<ServiceStatus> services() {
        return deployer.operator().statuses();
    }

    /** The version of a service that is current, by its name; null if there is none. */
    RunningService current(String name) {
        return registry.named(name).stream().filter(service -> registry.find(service.typeId()) == service).findFirst().orElse(null);
    }

    /** Calls a service, for as long as it may take; see {@link ServiceCall#of}. */
    <T> T call(RunningService service, String what, Callable<T> call) {
        return ServiceCall.of(service, watch, what, call);
    }

    Deployer deployer() {
        return deployer;
    }

    ServiceEvents events() {
        return events;
    }

    Pins pins() {
        return pins;
    }

    /** The configuration in force. */
    public NodeConfiguration configuration() {
        return configuration;
    }

    /** {@code ok}, or what is wrong. */
    Map<String, Object> health() {
        Set<String> stuck = watch.stuck();
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("status", stopping ? "stopping" : stuck.isEmpty() ? "ok" : "degraded");
        if (!stuck.isEmpty()) {
            health.put("stuckServices", stuck);
        }
        if (files != null && files.refused() != null) {
            health.put("configurationRefused", files.refused());
        }
        return health;
    }

    Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        String version = NodeManager.class.getPackage().getImplementationVersion();
        status.put("node", nodeId);
        status.put("version", version == null ? "development" : version);
        status.put("address", TcpSockets.text(address));
        status.put("health", health());
        status.put("uptimeMillis", ManagementFactory.getRuntimeMXBean().getUptime());
        status.put("streams", streams.count());
        status.put("streamsOpened", streams.counters().opened().sum());
        status.put("streamsCompleted", streams.counters().completed().sum());
        status.put("packetsIn", streams.counters().packetsIn().sum());
        status.put("bytesIn", streams.counters().bytesIn().sum());
        status.put("bytesOut", streams.counters().bytesOut().sum());
        status.put("packetsBack", streams.counters().packetsBack().sum());
        status.put("bytesBack", streams.counters().bytesBack().sum());
        status.put("bytesReturned", streams.counters().bytesReturned().sum());
        status.put("memoryBytes", streams.retained());
        status.put("links", linkCounts());
        status.put("errors", streams.counters().errorCounts());
        status.put("directMemoryBytes", PlatformDependent.usedDirectMemory());
        status.put("repositories", deployer.repositories());
        status.put("codeServer", code == null ? "none" : TcpSockets.text(code));
        status.put("trust", trust.describe());
        status.put("probes", probes.status());
        status.put("kernel", offload.kernel().status());
        status.put("cluster", cluster.status());
        status.put("limits", configuration.limits);
        return status;
    }

    /** What is next to the node, what comes from there and goes there, and what the handlers say that have to do with it. */
    Map<String, Object> links() {
        Map<String, Object> links = linkCounts();
        links.put("neighbours", streams.links().settings().neighbours().stream().map(TcpSockets::text).toList());
        NetworkInterface groups = streams.links().settings().groups();
        links.put("interface", groups == null ? null : groups.getName());
        NetworkInterface heard = streams.links().settings().heard();
        links.put("hears", heard == null ? null : heard.getName());
        links.put("ttl", streams.links().settings().ttl());
        links.put("groups", streams.links().joined());
        links.put("handlers", streams.links().reports());
        return links;
    }

    private Map<String, Object> linkCounts() {
        LinkCounters counters = streams.links().counters();
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("packetsIn", counters.in().sum());
        counts.put("bytesIn", counters.inOctets().sum());
        counts.put("packetsOut", counters.out().sum());
        counts.put("bytesOut", counters.outOctets().sum());
        counts.put("dropped", counters.drops());
        return counts;
    }

    /** Where a service runs, and why. */
    Map<String, Object> explain(String type) {
        int typeId;
        try {
            typeId = Integer.decode(type);
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + type + "' is no Type ID such as 0x5402", e);
        }
        RunningService service = registry.find(typeId);
        List<Map<String, Object>> rules = offload.explainer().rulesOf(typeId);
        PoolAssignment handed = streams.handed(typeId);
        if (service == null && rules.isEmpty() && handed == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "no service with Type ID " + Anep.typeName(typeId) + " is active here, and no rule is for it");
        }
        Map<String, Object> explained = new LinkedHashMap<>();
        explained.put("typeId", Anep.typeName(typeId));
        explained.put("name", service == null ? null : service.name());
        explained.put("level", service == null ? null : service.level().name().toLowerCase(Locale.ROOT));
        put(explained, handed != null ? Placement.atPool(handed.pool().address(), handed.because())
                : offload.explainer().ofType(typeId, service == null ? null : service.level()));
        explained.put("rules", rules);
        return explained;
    }

    /** Where a stream runs, and why. */
    Map<String, Object> explainStream(String number) {
        StreamStatus stream = null;
        Placement placement = null;
        try {
            stream = streams.find(Long.parseLong(number));
            placement = stream == null ? null : streams.explain(stream.number());
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream is named by its number", e);
        }
        if (placement == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no open stream " + number);
        }
        Map<String, Object> explained = new LinkedHashMap<>();
        explained.put("stream", stream.number());
        explained.put("transport", stream.transport());
        explained.put("services", stream.services());
        put(explained, placement);
        return explained;
    }

    private static void put(Map<String, Object> explained, Placement placement) {
        explained.put("runs", placement.where());
        explained.put("because", placement.because());
        explained.put("notLower", placement.notLower());
    }

    @Override
    public void close() {
        if (files != null) {
            files.close();
        }
        if (admin != null) {
            admin.close();
        }
    }
}
