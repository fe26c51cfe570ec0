package org.tamanoir.dyram.sim;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.node.NodeCore;
import org.tamanoir.dyram.node.NodeSettings;
import org.tamanoir.dyram.receiver.ReceiverCore;
import org.tamanoir.dyram.receiver.ReceiverSettings;
import org.tamanoir.dyram.source.Content;
import org.tamanoir.dyram.source.SourceCore;
import org.tamanoir.dyram.source.SourceSettings;

/**
 * The papers' network: a source, its node at the edge of the core, a node at each site, receivers behind it.
 *
 * <pre>
 *   source ── core ──┬── site 1 ──┬── host 1.1
 *                    │            └── host 1.2
 *                    └── site 2 ──── host 2.1
 * </pre>
 *
 * <p>Hosts of a site hear their node's packets to the group; each has losses of its own.
 */
public final class Tree {
    /** The group of the session. */
    public static final InetSocketAddress GROUP = group();

    private static final byte[] SECRET = {1, 2, 3};

    /** A receiver, what it keeps, and where it is. */
    public static final class HostAt {
        private final InetSocketAddress address;
        private final InetSocketAddress node;
        private final String name;
        private final long instance;
        private final MemoryStore store = new MemoryStore();
        private ReceiverCore core;

        HostAt(InetSocketAddress address, InetSocketAddress node, String name, long instance) {
            this.address = address;
            this.node = node;
            this.name = name;
            this.instance = instance;
        }

        public InetSocketAddress address() {
            return address;
        }

        public InetSocketAddress node() {
            return node;
        }

        public String name() {
            return name;
        }

        public MemoryStore store() {
            return store;
        }

        public ReceiverCore core() {
            return core;
        }
    }

    private final Simulation simulation;
    private final InetSocketAddress source;
    private final InetSocketAddress core;
    private final List<InetSocketAddress> sites = new ArrayList<>();
    private final List<HostAt> hosts = new ArrayList<>();
    private final HopSettings coreSettings;
    private final HopSettings siteSettings;
    private NodeCore coreNode;
    private final List<NodeCore> siteNodes = new ArrayList<>();
    private SourceCore sourceCore;
    private Duration gather = ReceiverSettings.GATHER;

    /**
     * @param hostsOfSites  how many hosts each site has
     * @param sourceDelay   nanoseconds from the source to its node
     * @param coreDelay     nanoseconds from the source's node to each site
     * @param tailDelay     nanoseconds from a site's node to each host
     */
    public Tree(Simulation simulation, int[] hostsOfSites, long sourceDelay, long coreDelay, long tailDelay, HopSettings coreSettings,
                HopSettings siteSettings) {
        this.simulation = simulation;
        this.coreSettings = coreSettings;
        this.siteSettings = siteSettings;
        source = simulation.address("source");
        core = simulation.address("core");
        simulation.link(source, core, sourceDelay);
        for (int site = 1; site <= hostsOfSites.length; site++) {
            InetSocketAddress node = simulation.address("site " + site);
            sites.add(node);
            siteNodes.add(null);
            simulation.link(core, node, coreDelay);
            for (int host = 1; host <= hostsOfSites[site - 1]; host++) {
                HostAt at = new HostAt(simulation.address("host " + site + "." + host), node, "host " + site + "." + host,
                        simulation.random().nextLong());
                simulation.link(node, at.address(), tailDelay);
                simulation.hear(node, GROUP, at.address());
                hosts.add(at);
            }
        }
    }

    private static InetSocketAddress group() {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 239, 1, 2, 3}), 5405);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four octets are an address", e);
        }
    }

    /** How long receivers that are started from now on gather losses before they ask. */
    public void gather(Duration time) {
        gather = time;
    }

    /** Starts nodes, receivers and the source. */
    public void start(Content content, int packetSize, long bitsPerSecond, long firstSequence) {
        startCore();
        for (int site = 0; site < sites.size(); site++) {
            startSite(site);
        }
        hosts.forEach(this::startHost);
        startSource(new SourceSettings(simulation.random().nextLong() | 1, GROUP, core, SECRET, firstSequence, packetSize, List.of(),
                hosts.size(), SourceSettings.Late.REFUSE, SourceSettings.Rate.fixed(bitsPerSecond), SourceSettings.GATHERING,
                SourceSettings.PATIENCE), content);
    }

    public void startSource(SourceSettings settings, Content content) {
        sourceCore = new SourceCore(settings, content, simulation.outlet(source), simulation.random());
        simulation.run(source, sourceCore);
    }

    /** Starts the source's node, or starts it anew without what it knew. */
    public void startCore() {
        coreNode = new NodeCore(new NodeSettings(coreSettings, () -> sites, false), simulation.outlet(core), simulation.random());
        simulation.run(core, coreNode);
    }

    /** The same for the node of a site, from 0. */
    public void startSite(int site) {
        InetSocketAddress address = sites.get(site);
        NodeCore node = new NodeCore(new NodeSettings(siteSettings, () -> List.of(core), true), simulation.outlet(address),
                simulation.random());
        siteNodes.set(site, node);
        simulation.run(address, node);
    }

    /** Starts a receiver, or starts it anew with what it has kept. */
    public void startHost(HostAt host) {
        ReceiverCore receiver = new ReceiverCore(new ReceiverSettings(host.name(), host.instance, SECRET, GROUP, host.node(), gather,
                ReceiverSettings.PATIENCE, ReceiverSettings.WINDOW), host.store(), simulation.outlet(host.address()),
                simulation.random());
        host.core = receiver;
        host.store().whenChecked(failure -> receiver.checked(simulation.now(), failure));
        simulation.run(host.address(), receiver);
    }

    /** It is gone without a word. */
    public void kill(InetSocketAddress address) {
        simulation.run(address, null);
    }

    /** Every receiver's own link loses this part of what goes to it. */
    public void tailLoss(double part) {
        hosts.forEach(host -> simulation.pipe(host.node(), host.address()).loss(part));
    }

    /** Every site's link loses this part of what goes to it. */
    public void siteLoss(double part) {
        sites.forEach(site -> simulation.pipe(core, site).loss(part));
    }

    public OneWayLink sourceLink() {
        return simulation.pipe(source, core);
    }

    public OneWayLink siteLink(int site) {
        return simulation.pipe(core, sites.get(site));
    }

    public InetSocketAddress source() {
        return source;
    }

    public InetSocketAddress core() {
        return core;
    }

    public List<InetSocketAddress> sites() {
        return sites;
    }

    public List<HostAt> hosts() {
        return hosts;
    }

    public NodeCore coreNode() {
        return coreNode;
    }

    public List<NodeCore> siteNodes() {
        return siteNodes;
    }

    public SourceCore sourceCore() {
        return sourceCore;
    }

    /** The secret that everybody here shares. */
    public static byte[] secret() {
        return SECRET.clone();
    }
}
