package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.Console;
import org.tamanoir.console.board.History;
import org.tamanoir.http.HttpServer;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.fleet.FleetAgent;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.settings.SettingsWatch;

/** The Active Node Manager: measures a node that runs, changes it with its configuration, and opens its admin API. */
public final class NodeManager implements AutoCloseable {
    /** Of what the console can look back. */
    private static final long HISTORY_OCTETS = 16 << 20;

    private final LiveConfiguration live;
    private final NodeMetrics metrics;
    private final AdminThreads threads = new AdminThreads();
    private final NodeEvents events = new NodeEvents(System::nanoTime);
    private ConfigurationSource source;
    private FleetAgent agent;
    private NodeStatus status;
    private List<HttpServer> admin = List.of();
    private UsageWatch usage;
    private Console console;
    private volatile SettingsWatch files;

    public NodeManager(LiveConfiguration live, NodeMetrics metrics) {
        this.live = live;
        this.metrics = metrics;
    }

    /**
     * Opens the admin API for a node that runs.
     *
     * @param source  where its configuration comes from
     * @param servers for https to the server of its fleet; null for the JDK's authorities
     * @throws AnepException EE-502
     */
    public void open(NodeParts node, ConfigurationSource source, SSLContext servers) {
        this.source = source;
        node.events().listen(events::service);
        usage = new UsageWatch(node.streams(), () -> {
            events.look(node.routes().hops().each(node.routes().all()));
            node.streams().tuning().look();
        });
        node.streams().tuning().listen(events::tuning);
        metrics.watch(node.streams(), node.registry(), node.deployer(), node.events(), node.offload());
        metrics.watch(node.watch().calls());
        metrics.watch(node.probes().counters());
        metrics.watch(node.streams().tcp());
        metrics.watch(node.streams().tuning());
        metrics.watch(node.streams().fireflies());
        metrics.watch(node.streams().traces());
        metrics.watch(node.cluster());
        metrics.watch(node.pools());
        metrics.watch(node.routes());
        metrics.watch(node.streams().told());
        if (node.identity() != null) {
            metrics.watch(node.identity());
        }
        node.pools().at(new PoolPlace(node.streams(), node.cluster()));
        AuditLog audit = new AuditLog(live.inForce().dataDirectory());
        status = new NodeStatus(node, live, () -> files == null ? null : files.refused(), audit::problem, source::lost, () -> agent.view());
        agent = new FleetAgent(new FleetMember(source, live, status, node.streams().counters(), live.inForce().dataDirectory()), servers);
        metrics.watch(agent);
        live.parts(List.of(ConfigurableParts.routes(node.routes()), ConfigurableParts.toldRoutes(node.streams()), ConfigurableParts.peers(node.peers()), ConfigurableParts.pools(node.pools()),
                ConfigurableParts.pins(node.pins(), node.deployer()), ConfigurableParts.rules(node.offload().rules()), ConfigurableParts.tuning(node.streams().tuning()),
                ConfigurableParts.limits(node.limits()), ConfigurableParts.lightTargets(node.offload()), ConfigurableParts.links(node.streams()),
                ConfigurableParts.access(node.access()), ConfigurableParts.fleet(agent), ConfigurableParts.cluster(node.cluster()), ConfigurableParts.services(node.registry(), node.watch())));
        NodeBoard board = new NodeBoard(node, live, status, events);
        node.streams().onEnded(stream -> {
            events.stream(stream);
            board.ended(stream);
        });
        console = new Console(board, new History(History.MILLIS, HISTORY_OCTETS, part -> { }));
        admin = new AdminApi(node, live, status, metrics, events, console, threads, this::reload).start(audit);
        admin.stream().filter(HttpServer::isTcp).forEach(server -> node.own().add(server.address()));
    }

    /** Reads a configuration file again whenever it changes, and asks the fleet's server, if there is one. */
    public void watch() {
        if (source.file() != null) {
            files = new SettingsWatch(source.file(), changed -> source.reload(live));
        }
        agent.configure(live.inForce().fleetSettings());
        agent.start();
    }

    private List<String> reload() {
        if (files == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "this node was started without a configuration file");
        }
        files.apply();
        return live.overridden();
    }

    /** Of the admin API: {@code http://HOST:PORT} where it listens on TCP, otherwise {@code unix:/PATH}. */
    public String adminUrl() {
        return admin.get(admin.size() - 1).url();
    }

    /** The node is asked to stop: health says so. */
    public void stopping() {
        status.stopping();
    }

    @Override
    public void close() {
        if (agent != null) {
            agent.close();
        }
        if (files != null) {
            files.close();
        }
        if (usage != null) {
            usage.close();
        }
        if (console != null) {
            console.close();
        }
        admin.forEach(HttpServer::close);
        threads.close();
    }

    /**
     * What this node is seen from the addresses of its pools: their back ends may have the same configuration as the edge node. The machine's addresses are
     * looked at once a second at most.
     */
    static final class PoolPlace implements PoolTable.Place {
        private static final long LOOK_NANOS = 1_000_000_000;

        private static final int MOST_LOOKED = 64;

        private record Looked(boolean own, long nanos) {
        }

        private final NodeStreams streams;
        private final ClusterMember cluster;
        private final Map<InetSocketAddress, Looked> looked = new ConcurrentHashMap<>();

        PoolPlace(NodeStreams streams, ClusterMember cluster) {
            this.streams = streams;
            this.cluster = cluster;
        }

        @Override
        public boolean serves(InetSocketAddress address) {
            return cluster.serves(address) || isOwn(address);
        }

        private boolean isOwn(InetSocketAddress address) {
            Looked last = looked.get(address);
            long now = System.nanoTime();
            if (last == null || now - last.nanos() > LOOK_NANOS) {
                if (looked.size() > MOST_LOOKED) {
                    looked.clear();
                }
                last = new Looked(streams.own().contains(address), now);
                looked.put(address, last);
            }
            return last.own();
        }

        @Override
        public boolean isBackEnd() {
            return cluster.settings() != null;
        }
    }
}
