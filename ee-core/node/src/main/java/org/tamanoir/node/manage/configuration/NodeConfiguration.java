package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.AccessRoles;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.access.AccessRules;
import org.tamanoir.node.cluster.ClusterSettings;
import org.tamanoir.node.deploy.DeployerSettings;
import org.tamanoir.node.deploy.LifecycleSettings;
import org.tamanoir.node.deploy.RepositoryAddress;
import org.tamanoir.node.deploy.RepositoryMetadata;
import org.tamanoir.node.firefly.FireflySettings;
import org.tamanoir.node.fleet.FleetPartFile;
import org.tamanoir.node.fleet.FleetSettings;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.identity.Peers.Peer;
import org.tamanoir.node.link.LinkSettings;
import org.tamanoir.node.offload.KernelSettings;
import org.tamanoir.node.probe.ProbeService.ProbeSettings;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.routing.ToldNeighbour;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.tcpstate.TcpStateSettings;
import org.tamanoir.node.trace.TraceSettings;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.node.tuning.TuneRule;
import org.tamanoir.oci.Location;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.settings.BadSetting;
import org.tamanoir.settings.Settings;
import org.tamanoir.trust.Trust;

/**
 * What an operator says of a node. What is not said has its default; {@code docs/operating.md} explains every key. Immutable, and checked
 * as far as that is possible without starting a node.
 *
 * @param listen         where ANEP streams come in, TCP and UDP
 * @param admin          where the admin API listens besides the Unix socket in the data directory; null for nowhere
 * @param adminTokenFile a file with the token of operators, over TCP; null for none
 * @param adminRoles     who else may look at the node and change it, over TCP; null for nobody
 * @param data           a directory of this node alone; null for one in the user's home
 * @param repositories   in the order in which they are asked: a URL, or {@code {url: …, tuf: FILE, bundles: oci://…}}
 * @param code           where other nodes may fetch the bundles of this one. Auto: on the host of {@code listen}, two ports above it
 * @param neighbours     code servers of other nodes that may be asked besides the node that a stream comes from
 * @param trust          PEM file with the certificates of publishers whose bundles are run; this or {@code development} must be set
 * @param guests         PEM file as trust, with the certificates of guests: publishers who have quotas instead of trust; null for none
 * @param revoked        a file with keys and bundles that are revoked; null for none
 * @param development    run bundles that nobody has signed; for machines of developers
 * @param pins           versions that streams to a prefix get
 * @param policies       limits and failure policies by the name of the service, or of guests by {@code ~LABEL/*} or {@code ~*}
 * @param rules          light rules of the operator, in the order in which they are asked
 * @param tcpState       how often the TCP state of streams is read
 * @param tune           how connections of streams are tuned: rules in the order in which they are asked
 * @param fireflies      which collector of SciTags is told of each flow; null for none
 * @param traces         which streams are recorded, and who gets the spans; null for none
 * @param cluster        the node is a back end; null if it is in no cluster
 * @param pools          back ends that serve streams in the place of this node
 * @param routes         longest prefix first. Not said: loopback on a loopback address, nothing elsewhere
 * @param toldRoutes     nodes that are told routes, and believed what they tell of theirs. Not said: none
 * @param peers          nodes that are believed. Not said: this machine on a loopback address, nobody elsewhere
 * @param accessPolicy   a file that says who may open which streams; null for everybody who is let in
 * @param access         the same rules in place; null for none, and without effect beside a file
 * @param fleet          whose nodes this one is among; null if it is in no fleet
 * @param tls            certificates, and who may come in without; null for no TLS
 * @param places         where hosts are, for the map of the console
 * @param services       options by the name of the service
 * @param threads        event loops
 * @param heavyThreads   threads of each heavy service
 * @param io             {@code epoll} where it works, or {@code nio}
 * @param drain          how long open streams may go on after the node has been told to stop
 */
public record NodeConfiguration(InetSocketAddress listen, InetSocketAddress admin, Path adminTokenFile, AdminRoles adminRoles, Path data, List<RepositoryAddress> repositories,
                                Endpoint code, List<InetSocketAddress> neighbours, Path trust, Path guests, Path revoked, boolean development,
                                @JsonDeserialize(converter = PinsReader.class) List<Pin> pins, UpgradeSection upgrade,
                                Map<String, PolicySection> policies, KernelSection kernel,
                                @JsonDeserialize(converter = RuleText.Reader.class) List<LightRule> rules, LightSection light,
                                LinksSection links, ProbesSection probes, TcpStateSection tcpState, @JsonDeserialize(converter = TuneSection.Reader.class) List<TuneRule> tune, FirefliesSection fireflies, TracesSection traces, ClusterSection cluster,
                                @JsonDeserialize(converter = PoolSection.Reader.class) List<Pool> pools,
                                @JsonDeserialize(converter = RoutesReader.class) List<Route> routes, ToldRoutesSection toldRoutes, List<Peer> peers, Path accessPolicy, Map<String, Object> access, FleetSection fleet, TlsSection tls, List<Place> places,
                                Map<String, Map<String, Object>> services, Limits limits, Integer threads, Integer heavyThreads, String io,
                                Duration drain) {
    private static final int CODE_ABOVE = Anep.PORT_CODE - Anep.PORT_DATA;
    private static final int MOST_THREADS = 1024;

    public NodeConfiguration {
        listen = ConfigurationValues.or(listen, new InetSocketAddress("127.0.0.1", Anep.PORT_DATA));
        repositories = ConfigurationValues.all("repositories", repositories);
        repositories.forEach(NodeConfiguration::checkRepository);
        code = ConfigurationValues.or(code, Endpoint.AUTO);
        neighbours = ConfigurationValues.all("neighbours", neighbours);
        pins = ConfigurationValues.or(pins, List.of());
        upgrade = ConfigurationValues.or(upgrade, new UpgradeSection(null, null, null, null));
        policies = policies == null ? Map.of() : Collections.unmodifiableMap(policies);
        kernel = ConfigurationValues.or(kernel, KernelSection.preset());
        rules = ConfigurationValues.or(rules, List.of());
        light = ConfigurationValues.or(light, new LightSection(null, null));
        links = ConfigurationValues.or(links, new LinksSection(null, null, null, null, null));
        probes = ConfigurationValues.or(probes, new ProbesSection(null, null));
        tcpState = ConfigurationValues.or(tcpState, new TcpStateSection(null, null, null, null, null, null));
        tune = ConfigurationValues.or(tune, List.of());
        pools = ConfigurationValues.or(pools, List.of());
        routes = routes != null ? sorted(routes) : listen.getAddress().isLoopbackAddress() ? RouteTable.loopbackOnly() : List.of();
        toldRoutes = ConfigurationValues.or(toldRoutes, new ToldRoutesSection(null));
        toldRoutes.neighbours(listen);
        peers = peers != null ? ConfigurationValues.all("peers", peers) : listen.getAddress().isLoopbackAddress() ? Peers.loopbackOnly() : List.of();
        places = ConfigurationValues.all("places", places);
        services = services == null ? Map.of() : Collections.unmodifiableMap(services);
        limits = ConfigurationValues.or(limits, Limits.preset());
        int processors = Math.max(1, Runtime.getRuntime().availableProcessors());
        threads = ConfigurationValues.or(ConfigurationValues.within("threads", threads, 1, MOST_THREADS), processors);
        heavyThreads = ConfigurationValues.or(ConfigurationValues.within("heavy-threads", heavyThreads, 1, MOST_THREADS), processors);
        io = ConfigurationValues.or(io, "epoll");
        drain = ConfigurationValues.or(drain, Duration.ofSeconds(10));
        if (!io.equals("epoll") && !io.equals("nio")) {
            throw new BadSetting("io", "it is '" + io + "'; it must be epoll or nio");
        }
        services.forEach((name, options) -> {
            if (options == null || options.values().stream().anyMatch(Objects::isNull)) {
                throw new BadSetting(List.of("services", name), "an option has no value");
            }
        });
        policies.forEach((name, policy) -> {
            if (policy == null) {
                throw new BadSetting(List.of("policies", name), "it says nothing");
            }
            if (ServiceName.isGuest(name) && !ServiceName.isPattern(name)) {
                throw new BadSetting(List.of("policies", name), "it is neither ~LABEL/NAME, nor ~LABEL/* for all services of a guest, nor ~* for those of all guests");
            }
        });
        if (cluster != null) {
            cluster.settings(listen);
        }
        if (access != null) {
            Map<String, Object> inPlace = access;
            at(List.of("access"), () -> accessRules(Path.of("access.yaml"), inPlace));
        }
    }

    /**
     * Reads a file.
     *
     * @throws AnepException EE-501 that names the key and the line
     */
    public static NodeConfiguration read(Path file) {
        return of(Settings.of(file));
    }

    /** What is written in a file and in options of a command. @throws AnepException EE-501 that names the key */
    public static NodeConfiguration of(Settings settings) {
        return settings.as(NodeConfiguration.class, ConfigurationValues.TYPES);
    }

    /** The same with other routes, rules and pins: what the admin API changes. */
    public NodeConfiguration with(List<Route> newRoutes, List<LightRule> newRules, List<Pin> newPins) {
        return new NodeConfiguration(listen, admin, adminTokenFile, adminRoles, data, repositories, code, neighbours, trust, guests, revoked, development, newPins,
                upgrade, policies, kernel, newRules, light, links, probes, tcpState, tune, fireflies, traces, cluster, pools, newRoutes, toldRoutes, peers, accessPolicy, access, fleet, tls, places, services, limits, threads, heavyThreads,
                io, drain);
    }

    // Values that several keys make together.

    /**
     * TLS for streams; null for none. Who has it closes its identity.
     *
     * @param expected names that next hops may have
     */
    public Tls.Settings tlsSettings(Identity identity, Predicate<String> expected) {
        return new Tls.Settings(identity, tls.isRequired(), tls.plain(), expected, limits.packetTimeout());
    }

    /** How the kernel is used. */
    public KernelSettings kernelSettings() {
        return kernel.settings();
    }

    /**
     * What is next to the node.
     *
     * @throws AnepException EE-604 if there is no such interface now
     */
    public LinkSettings linkSettings() {
        return links.settings(listen);
    }

    /** The nodes that are told routes and believed theirs. */
    public List<ToldNeighbour> toldNeighbours() {
        return toldRoutes.neighbours(listen);
    }

    /** How the node probes the way to others, and answers their probes. */
    public ProbeSettings probeSettings() {
        return probes.settings(listen);
    }

    /** How often the TCP state of streams is read. */
    public TcpStateSettings tcpStateSettings() {
        return tcpState.settings();
    }

    /** Whom it tells of its flows; null for nobody. */
    public FireflySettings fireflySettings() {
        return fireflies == null ? null : fireflies.settings();
    }

    /** Which streams it records; null for none. */
    public TraceSettings traceSettings() {
        return traces == null ? null : traces.settings();
    }

    /** How the node is a back end; null if it is in no cluster. */
    public ClusterSettings clusterSettings() {
        return cluster == null ? null : cluster.settings(listen);
    }

    /** How the node is in a fleet; null if it is in none. */
    public FleetSettings fleetSettings() {
        return fleet == null ? null : fleet.settings();
    }

    /** Rules of access that stand in the configuration; null for none. They are written to a file of the node's directory. */
    public AccessRules accessRules() {
        return access == null ? null : accessRules(dataDirectory().resolve("access.yaml"), access);
    }

    private static AccessRules accessRules(Path file, Map<String, Object> rules) {
        return new AccessRules(file, ConfigurationValues.yaml(rules));
    }

    /** Where light TCP streams come in; null for nowhere. */
    public InetSocketAddress lightAddress() {
        return light.address(listen);
    }

    /** Where the code server listens; null for nowhere. */
    public InetSocketAddress codeAddress() {
        return code.or(Endpoint.above(listen, CODE_ABOVE));
    }

    /** The directory of this node. */
    public Path dataDirectory() {
        return data != null ? data : presetData(listen.getPort());
    }

    /** The directory of the node whose streams come in at a port, if nobody says another one. */
    public static Path presetData(int port) {
        return Path.of(System.getProperty("user.home"), ".local", "share", "tamanoir", "node-" + port);
    }

    /** How the versions of services follow each other. */
    LifecycleSettings lineSettings() {
        return upgrade.settings(limits.rememberFailure());
    }

    /** What a service is allowed; {@code declared} is the failure policy that it has by itself. */
    ServicePolicy policy(String service, FailurePolicy declared) {
        ServicePolicy policy = ServicePolicy.preset(declared, limits.serviceTimeout());
        String label = ServiceName.label(service);
        if (label != null) {
            policy = over(ServiceName.all(label), over(ServiceName.GUESTS, policy.ofGuest()));
        }
        return over(service, policy);
    }

    private ServicePolicy over(String key, ServicePolicy policy) {
        PolicySection written = policies.get(key);
        return written == null ? policy : written.over(policy);
    }

    /** The shortest time that any service is allowed for one call. */
    public Duration shortestTimeout() {
        return policies.values().stream().map(PolicySection::timeout).filter(timeout -> timeout != null).min(Comparator.naturalOrder())
                .filter(timeout -> timeout.compareTo(limits.serviceTimeout()) < 0).orElse(limits.serviceTimeout());
    }

    /** What the deployer goes by; {@code now} is the configuration in force whenever it is asked, {@code secure} null for no TLS. */
    public DeployerSettings deployerSettings(Supplier<NodeConfiguration> now, Tls secure) {
        return new DeployerSettings(secure, repositories, neighbours, limits.repositoryTimeout(), limits.nodeTimeout(), limits.startTimeout(),
                limits.bundleBytes(), heavyThreads, limits.repositoryTimeout().plus(limits.startTimeout()).multipliedBy(2),
                () -> now.get().lineSettings(), (service, declared) -> now.get().policy(service, declared), () -> now.get().limits().guestServices());
    }

    // What is read when the node starts.

    /** What is trusted, as the files say now. */
    public Trust trustStore() {
        if (development == (trust != null)) {
            throw bad(development ? "trust and development exclude each other" : "say whose bundles are run: trust (--trust FILE) with the "
                    + "certificates of publishers, or development (--development) for any bundle", null);
        }
        if (development && revoked != null) {
            throw bad("revoked needs trust: in development mode nobody's signature counts", null);
        }
        if (development && guests != null) {
            throw bad("guests needs trust: in development mode every bundle of a guest's name is taken", null);
        }
        return development ? Trust.development() : Trust.of(trust, guests, revoked, dataDirectory().resolve("revoked.seen"), othersRevocations());
    }

    /** Lists of what is revoked that come from repositories, and from the fleet: also from the one that the node was in. */
    private List<Path> othersRevocations() {
        Path ofFleet = FleetPartFile.revocations(dataDirectory());
        return Stream.concat(RepositoryMetadata.revocations(repositories, dataDirectory()).stream(),
                Stream.of(ofFleet).filter(list -> fleet != null || Files.exists(list.getParent()))).toList();
    }

    /** The Unix socket of the admin API. */
    public Path adminSocket() {
        return adminSocket(dataDirectory());
    }

    /** That of the node with this directory. */
    public static Path adminSocket(Path data) {
        return data.resolve("admin.sock");
    }

    /**
     * Who may do what over TCP, as the files of tokens say now.
     *
     * @throws AnepException EE-501 if a file cannot be read, or if nobody could use {@code admin}
     */
    public List<AccessRoles.Grant> adminGrants() {
        List<AccessRoles.Grant> grants = ConfigurationValues.or(adminRoles, new AdminRoles(null, null)).grants(adminTokenFile);
        if (admin != null && !development && grants.isEmpty()) {
            throw bad("admin: over TCP it needs admin-token-file or admin-roles, because every user of this machine reaches the port; without admin "
                    + "the commands of this machine use the Unix socket " + adminSocket(), null);
        }
        return grants;
    }

    // Keys whose names are the operator's.

    /** {@code PREFIX: HOST:PORT} or {@code PREFIX: direct}. */
    static final class RoutesReader extends StdConverter<Map<String, String>, List<Route>> {
        @Override
        public List<Route> convert(Map<String, String> texts) {
            return texts.entrySet().stream().map(each -> {
                if (each.getValue() == null) {
                    throw new BadSetting(each.getKey(), "it leads nowhere; it must be HOST:PORT or direct");
                }
                return at(List.of(each.getKey()), () -> Route.of(each.getKey(), each.getValue()));
            }).toList();
        }
    }

    /** {@code PREFIX: {SERVICE: VERSION}}. */
    static final class PinsReader extends StdConverter<Map<String, Map<String, String>>, List<Pin>> {
        @Override
        public List<Pin> convert(Map<String, Map<String, String>> texts) {
            return texts.entrySet().stream().flatMap(each -> {
                if (each.getValue() == null) {
                    throw new BadSetting(each.getKey(), "it pins nothing; it must be SERVICE: VERSION");
                }
                return each.getValue().entrySet().stream().map(version -> at(List.of(each.getKey(), version.getKey()),
                        () -> Pin.of(each.getKey(), version.getKey(), version.getValue())));
            }).toList();
        }
    }

    private static List<Route> sorted(List<Route> routes) {
        return at(List.of("routes"), () -> RouteTable.sorted(routes));
    }

    private static void checkRepository(RepositoryAddress repository) {
        if (repository.url() == null) {
            throw new BadSetting(List.of("repositories"), "an entry has no url");
        }
        at(List.of("repositories"), () -> HttpFetch.of(repository.url(), ErrorCode.BAD_CONFIGURATION));
        if (repository.bundles() != null) {
            at(List.of("repositories"), () -> Location.parse(repository.bundles()));
        } else if (repository.credentials() != null) {
            throw new BadSetting(List.of("repositories"), "credentials are for a registry, and there is no bundles: oci://…");
        }
    }

    /** Names the key of what goes wrong. */
    private static <T> T at(List<String> key, Supplier<T> read) {
        try {
            return read.get();
        } catch (AnepException e) {
            throw new BadSetting(key, e.text());
        }
    }

    private static AnepException bad(String what, Throwable cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what, cause);
    }
}
