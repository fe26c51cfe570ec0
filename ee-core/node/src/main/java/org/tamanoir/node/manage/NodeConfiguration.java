package org.tamanoir.node.manage;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.osgi.framework.Version;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.cluster.ClusterSettings;
import org.tamanoir.node.deploy.DeployerSettings;
import org.tamanoir.node.deploy.LineSettings;
import org.tamanoir.node.link.LinkSettings;
import org.tamanoir.node.manage.Pins.Pin;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.node.offload.KernelSettings;
import org.tamanoir.node.offload.LightTarget;
import org.tamanoir.node.probe.ProbeSettings;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.FailurePolicy;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.settings.SettingsFile;
import org.tamanoir.trust.Trust;

/**
 * What an operator says of a node, as it stands in its YAML file. What is not said has a default; what is not known is an error. The
 * whole of it is explained in {@code docs/operating.md}.
 */
public final class NodeConfiguration {
    /** The code server's port is that much above the one of streams: several nodes of one host do not meet. */
    private static final int CODE_ABOVE = Anep.PORT_CODE - Anep.PORT_DATA;
    private static final int LAST_WITH_CODE = 0xFFFF - CODE_ABOVE;

    /** Where ANEP streams come in, TCP and UDP: {@code HOST:PORT}. */
    public String listen = "127.0.0.1:" + Anep.PORT_DATA;
    /** Where the admin API listens. */
    public String admin = "127.0.0.1:" + Anep.PORT_ADMIN;
    /** A file with the token that the admin API asks for from other machines; without one it lets only this machine in. */
    public Path adminTokenFile;
    /** A directory of this node alone; null for one in the user's home. */
    public Path data;
    /** Repositories, in the order in which they are asked. */
    public List<String> repositories = List.of();
    /**
     * Where other nodes may fetch the bundles of this one: {@code HOST:PORT}, or {@code none}. Null: the address of
     * {@code listen}, two ports above it, which is 3324 as a rule; any free port if that one is any too.
     */
    public String code;
    /** Code servers of other nodes, {@code HOST:PORT}, that may be asked besides the node that a stream comes from. */
    public List<String> neighbours = List.of();
    /** PEM file with the certificates of publishers whose bundles are run. Either this or {@code development} must be set. */
    public Path trust;
    /** A file with keys and bundles that are revoked. */
    public Path revoked;
    /** Run bundles that nobody has signed; for machines of developers. */
    public boolean development;
    /** Versions that streams to a prefix get: prefix to service to version. */
    public Map<String, Map<String, String>> pins = Map.of();
    public UpgradeOptions upgrade = new UpgradeOptions();
    /** Limits and failure policies of services by the name of the service. */
    public Map<String, PolicyOptions> policies = Map.of();
    public KernelSection kernel = new KernelSection();
    /** Light rules of the operator, in the order in which they are asked. */
    public List<RuleText> rules = List.of();
    public LightSection light = new LightSection();
    /** What is next to the node, for services that speak with it. */
    public LinksSection links = new LinksSection();
    /** Where the probes of other nodes are answered. */
    public ProbesSection probes = new ProbesSection();
    /** The node is a back end of a cluster; null if it is in none. */
    public ClusterSection cluster;
    /** Back ends that serve streams in the place of this node. */
    public List<PoolSection> pools = List.of();
    /** Prefix to {@code HOST:PORT} or {@code direct}. Null: loopback only on a loopback address, nothing elsewhere. */
    public Map<String, String> routes;
    /** Options of services by the name of the service. */
    public Map<String, Map<String, Object>> services = new LinkedHashMap<>();
    public Limits limits = new Limits();
    /** Event loops. */
    public int threads = Math.max(1, Runtime.getRuntime().availableProcessors());
    /** Threads of each heavy service. */
    public int heavyThreads = Math.max(1, Runtime.getRuntime().availableProcessors());
    /** {@code epoll} where it works, or {@code nio}. */
    public String io = "epoll";
    /** How long open streams may go on after the node has been told to stop. */
    public String drain = "10s";

    /** Limits as they are written; see {@link StreamLimits}. */
    public static final class Limits {
        private static final StreamLimits PRESET = StreamLimits.defaults();
        public int streams = PRESET.streams();
        public int streamsPerSource = PRESET.streamsPerSource();
        public String packetTimeout = "10s";
        public String idleTimeout = "10m";
        public String datagramIdle = "30s";
        public String connectTimeout = "5s";
        public long parkedBytes = PRESET.parkedBytes();
        public int parkedDatagrams = PRESET.parkedDatagrams();
        public long bufferedBytes = PRESET.bufferedBytes();
        public int hops = PRESET.hops();
        /** How long one call of a service may take. */
        public String serviceTimeout = "1s";
        /** How long a service may take to start. */
        public String startTimeout = "10s";
        /** For one request to a repository. */
        public String repositoryTimeout = "10s";
        /** For one request to another node's code server. */
        public String nodeTimeout = "2s";
        /** How long a service that could not be had is not asked for again. */
        public String rememberFailure = "5s";
        /** Octets of the largest bundle. */
        public long bundleBytes = 64L << 20;

        public StreamLimits forStreams() {
            return new StreamLimits(atLeastOne("streams", streams), atLeastOne("streams-per-source", streamsPerSource),
                    time("packet-timeout", packetTimeout), time("idle-timeout", idleTimeout), time("datagram-idle", datagramIdle),
                    time("connect-timeout", connectTimeout), atLeastOne("parked-bytes", parkedBytes),
                    atLeastOne("parked-datagrams", parkedDatagrams), atLeastOne("buffered-bytes", bufferedBytes), hopsInRange());
        }

        private int hopsInRange() {
            if (hops < 1 || hops > 255) {
                throw bad("limits: hops is " + hops + "; it must be from 1 to 255", null);
            }
            return hops;
        }

        private static int atLeastOne(String name, int value) {
            return (int) atLeastOne(name, (long) value);
        }

        private static long atLeastOne(String name, long value) {
            return NodeConfiguration.atLeastOne("limits: " + name, value);
        }
    }

    static long atLeastOne(String name, long value) {
        if (value < 1) {
            throw bad(name + " is " + value + "; it must be at least 1", null);
        }
        return value;
    }

    static Duration time(String name, String text) {
        Duration time = MapConfiguration.parseDuration(name, text);
        if (time.isZero()) {
            throw bad(name + " must not be 0", null);
        }
        return time;
    }

    /**
     * Reads a file.
     *
     * @throws AnepException EE-501 that names the line or the option
     */
    public static NodeConfiguration read(Path file) {
        NodeConfiguration configuration = SettingsFile.read(file, NodeConfiguration.class, NodeConfiguration::new);
        configuration.check();
        return configuration;
    }

    /** Checks everything that can be checked without starting a node; EE-501 says what is wrong. */
    public void check() {
        address("listen", listen);
        address("admin", admin);
        routeList();
        poolList();
        repositories.forEach(NodeConfiguration::checkRepository);
        services.forEach((name, options) -> {
            if (options == null || options.containsValue(null)) {
                throw bad("services: " + name + " has an option without a value", null);
            }
        });
        policies.forEach((name, options) -> {
            if (options == null) {
                throw bad("policies: " + name + " says nothing", null);
            }
        });
        neighbourList();
        pinList();
        codeAddress();
        lineSettings();
        kernelSettings();
        ruleList();
        light.targets();
        lightAddress();
        links.check();
        probeSettings();
        clusterSettings();
        policies.keySet().forEach(service -> policy(service, FailurePolicy.RESTART));
        time("node-timeout", limits.nodeTimeout);
        limits.forStreams();
        Limits.atLeastOne("bundle-bytes", limits.bundleBytes);
        time("service-timeout", limits.serviceTimeout);
        time("start-timeout", limits.startTimeout);
        time("repository-timeout", limits.repositoryTimeout);
        time("remember-failure", limits.rememberFailure);
        MapConfiguration.parseDuration("drain", drain);
        if (threads < 1 || heavyThreads < 1 || threads > 1024 || heavyThreads > 1024) {
            throw bad("threads and heavy-threads must be from 1 to 1024", null);
        }
        if (!io.equals("epoll") && !io.equals("nio")) {
            throw bad("io is '" + io + "'; it must be epoll or nio", null);
        }
    }

    /** The routes: those that are written, or what an address of that kind gets without any. */
    public List<Route> routeList() {
        if (routes == null) {
            return listenAddress().getAddress().isLoopbackAddress() ? RouteTable.loopbackOnly() : List.of();
        }
        return routes.entrySet().stream().map(entry -> {
            if (entry.getValue() == null) {
                throw bad("routes: " + entry.getKey() + " leads nowhere; it must be HOST:PORT or direct", null);
            }
            return Route.of(entry.getKey(), entry.getValue());
        }).toList();
    }

    /** Who serves streams in the place of this node. */
    public List<Pool> poolList() {
        return PoolSection.pools(pools);
    }

    /** How the kernel is used. */
    public KernelSettings kernelSettings() {
        return kernel.settings();
    }

    /** The rules of the operator, in order. */
    public List<LightRule> ruleList() {
        return RuleText.rules(rules);
    }

    /** Where connections of light streams go. */
    public List<LightTarget> lightTargets() {
        return light.targets();
    }

    /**
     * What is next to the node.
     *
     * @throws AnepException EE-501, or EE-604 if there is no such interface
     */
    public LinkSettings linkSettings() {
        return links.settings();
    }

    /** How the node probes the way to others, and answers their probes. */
    public ProbeSettings probeSettings() {
        return probes.settings(listenAddress());
    }

    /** How the node is a back end; null if it is in no cluster. */
    public ClusterSettings clusterSettings() {
        return cluster == null ? null : cluster.settings(listenAddress());
    }

    /** Where light TCP streams come in; null for nowhere. */
    public InetSocketAddress lightAddress() {
        return light.address(listenAddress());
    }

    /** How the versions of services follow each other. */
    LineSettings lineSettings() {
        return upgrade.settings(time("remember-failure", limits.rememberFailure));
    }

    /** What a service is allowed; {@code declared} is the failure policy that it has by itself. */
    ServicePolicy policy(String service, FailurePolicy declared) {
        ServicePolicy preset = ServicePolicy.preset(declared, time("service-timeout", limits.serviceTimeout));
        PolicyOptions options = policies.get(service);
        return options == null ? preset : options.over(preset, service);
    }

    /** The shortest time that any service is allowed for one call. */
    public Duration shortestTimeout() {
        Duration shortest = time("service-timeout", limits.serviceTimeout);
        for (String service : policies.keySet()) {
            Duration timeout = policy(service, FailurePolicy.RESTART).timeout();
            shortest = timeout.compareTo(shortest) < 0 ? timeout : shortest;
        }
        return shortest;
    }

    /** The pins, read. */
    public List<Pin> pinList() {
        List<Pin> list = new ArrayList<>();
        pins.forEach((prefix, versions) -> {
            if (versions == null) {
                throw bad("pins: " + prefix + " pins nothing; it must be SERVICE: VERSION", null);
            }
            versions.forEach((service, version) -> list.add(pin(prefix, service, version)));
        });
        return list;
    }

    static Pin pin(String prefix, String service, String version) {
        try {
            return new Pin(Prefix.parse(prefix), service, Version.parseVersion(version).toString());
        } catch (IllegalArgumentException | NullPointerException e) {
            throw bad("pins: " + prefix + ": " + service + " is '" + version + "'; it must be a version such as 1.2.0", e);
        }
    }

    /** What is trusted, as the files say now. */
    public Trust trustStore() {
        if (development == (trust != null)) {
            throw bad(development ? "trust and development exclude each other" : "say whose bundles are run: trust (--trust FILE) with the "
                    + "certificates of publishers, or development (--development) for any bundle", null);
        }
        if (development && revoked != null) {
            throw bad("revoked needs trust: in development mode nobody's signature counts", null);
        }
        return development ? Trust.development() : Trust.of(trust, revoked);
    }

    /** Where the code server listens; null for nowhere. */
    public InetSocketAddress codeAddress() {
        if (code == null) {
            InetSocketAddress streams = listenAddress();
            return new InetSocketAddress(streams.getAddress(), streams.getPort() == 0 || streams.getPort() > LAST_WITH_CODE
                    ? 0 : streams.getPort() + CODE_ABOVE);
        }
        return code.equals("none") ? null : address("code", code);
    }

    /** The code servers of neighbours. */
    List<InetSocketAddress> neighbourList() {
        return neighbours.stream().map(text -> address("neighbours", String.valueOf(text))).toList();
    }

    /** What the deployer goes by; {@code now} is the configuration in force whenever it is asked. */
    public DeployerSettings deployerSettings(Supplier<NodeConfiguration> now) {
        Duration start = MapConfiguration.parseDuration("start-timeout", limits.startTimeout);
        Duration request = MapConfiguration.parseDuration("repository-timeout", limits.repositoryTimeout);
        return new DeployerSettings(repositories, neighbourList(), request, time("node-timeout", limits.nodeTimeout), start,
                limits.bundleBytes, heavyThreads, request.plus(start).multipliedBy(2), () -> now.get().lineSettings(),
                (service, declared) -> now.get().policy(service, declared));
    }

    private static void checkRepository(String url) {
        try {
            HttpFetch.of(String.valueOf(url), ErrorCode.BAD_CONFIGURATION);
        } catch (AnepException e) {
            throw bad("repositories: " + e.text(), e);
        }
    }

    public InetSocketAddress listenAddress() {
        return address("listen", listen);
    }

    public InetSocketAddress adminAddress() {
        return address("admin", admin);
    }

    /** The token of the admin API, or null. */
    public String adminToken() {
        if (adminTokenFile == null) {
            return null;
        }
        try {
            String token = Files.readString(adminTokenFile).trim();
            if (token.isEmpty()) {
                throw bad(adminTokenFile + " is empty", null);
            }
            return token;
        } catch (IOException e) {
            throw bad("cannot read " + adminTokenFile + ": " + AnepException.reason(e), e);
        }
    }

    /** The directory of this node. */
    public Path dataDirectory() {
        return data != null ? data
                : Path.of(System.getProperty("user.home"), ".local", "share", "tamanoir", "node-" + listenAddress().getPort());
    }

    static InetSocketAddress address(String name, String text) {
        return SettingsFile.address(name, text);
    }

    private static AnepException bad(String what, Throwable cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what, cause);
    }
}
