package org.tamanoir.dyram.sim;

import java.net.InetSocketAddress;
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

/** A tree of any shape: nodes below nodes, hosts at any of them, each link with its own delay, each place to be started, killed and restarted. */
public final class Topology {
    /** A node or a receiver, and what runs there. */
    public static final class Place {
        private final InetSocketAddress address;
        private final Place above;
        private final String name;
        private final long instance;
        private final boolean groups;
        private final boolean host;
        private final HopSettings settings;
        private final MemoryStore store = new MemoryStore();
        private final List<InetSocketAddress> neighbours = new ArrayList<>();
        private final List<Place> below = new ArrayList<>();
        private byte[] secret = Tree.secret();
        private String memberName;
        private Duration patience = ReceiverSettings.PATIENCE;
        private NodeCore node;
        private ReceiverCore receiver;

        private Place(InetSocketAddress address, Place above, String name, long instance, boolean host, boolean groups, HopSettings settings) {
            this.address = address;
            this.above = above;
            this.name = name;
            this.memberName = name;
            this.instance = instance;
            this.host = host;
            this.groups = groups;
            this.settings = settings;
        }

        public InetSocketAddress address() {
            return address;
        }

        /** The node above; null at the source's node. */
        public Place above() {
            return above;
        }

        public List<Place> below() {
            return below;
        }

        public String name() {
            return name;
        }

        public boolean isHost() {
            return host;
        }

        /** What it believes to share with the source when it is started next. */
        public void secret(byte[] other) {
            secret = other;
        }

        /** Under which name it joins when it is started next. */
        public void memberName(String other) {
            memberName = other;
        }

        /** How long it waits for a silent source when it is started next. */
        public void patience(Duration other) {
            patience = other;
        }

        public MemoryStore store() {
            return store;
        }

        public NodeCore node() {
            return node;
        }

        public ReceiverCore receiver() {
            return receiver;
        }

        /** Whether some receiver at or below has a packet. */
        public boolean has(long index) {
            return host ? store.has(index) : below.stream().anyMatch(place -> place.has(index));
        }

        /** Whether every receiver at or below has a packet. */
        public boolean allHave(long index) {
            return host ? store.has(index) : below.stream().allMatch(place -> place.allHave(index));
        }
    }

    private final Simulation simulation;
    private final InetSocketAddress source;
    private final List<Place> nodes = new ArrayList<>();
    private final List<Place> hosts = new ArrayList<>();
    private SourceCore sourceCore;

    public Topology(Simulation simulation) {
        this.simulation = simulation;
        source = simulation.address("source");
    }

    /**
     * A node.
     *
     * @param above  the node above; null for the source's node, which is the first
     * @param groups whether its hosts hear what it sends to the group
     */
    public Place node(String name, Place above, long delay, boolean groups, HopSettings settings) {
        Place place = new Place(simulation.address(name), above, name, 0, false, groups, settings);
        attach(place, delay);
        nodes.add(place);
        return place;
    }

    /** A receiver at a node. */
    public Place host(String name, Place node, long delay) {
        Place place = new Place(simulation.address(name), node, name, simulation.random().nextLong(), true, false, null);
        attach(place, delay);
        if (node.groups) {
            simulation.hear(node.address, Tree.GROUP, place.address);
        }
        hosts.add(place);
        return place;
    }

    private void attach(Place place, long delay) {
        simulation.link(place.above == null ? source : place.above.address, place.address, delay);
        if (place.above != null) {
            place.above.below.add(place);
            if (!place.host) {
                place.above.neighbours.add(place.address);
                place.neighbours.add(place.above.address);
            }
        }
    }

    /** Starts a place, or starts it anew: a node without what it knew, a receiver with what it has kept. */
    public void start(Place place) {
        if (place.host) {
            ReceiverCore receiver = new ReceiverCore(new ReceiverSettings(place.memberName, place.instance, place.secret, Tree.GROUP,
                    place.above.address, ReceiverSettings.GATHER, place.patience, ReceiverSettings.WINDOW), place.store, simulation.outlet(place.address), simulation.random());
            place.receiver = receiver;
            place.store.whenChecked(failure -> receiver.checked(simulation.now(), failure));
            simulation.run(place.address, receiver);
        } else {
            place.node = new NodeCore(new NodeSettings(place.settings, () -> place.neighbours, place.groups), simulation.outlet(place.address),
                    simulation.random());
            simulation.run(place.address, place.node);
        }
    }

    public void startAll() {
        nodes.forEach(this::start);
        hosts.forEach(this::start);
    }

    public void startSource(SourceSettings settings, Content content) {
        sourceCore = new SourceCore(settings, content, simulation.outlet(source), simulation.random());
        simulation.run(source, sourceCore);
    }

    /** It is gone without a word. */
    public void kill(Place place) {
        simulation.run(place.address, null);
    }

    /** The source is gone without a word. */
    public void killSource() {
        simulation.run(source, null);
    }

    /** The way from above to a place. */
    public OneWayLink down(Place place) {
        return simulation.pipe(place.above == null ? source : place.above.address, place.address);
    }

    /** The way from a place to above. */
    public OneWayLink up(Place place) {
        return simulation.pipe(place.address, place.above == null ? source : place.above.address);
    }

    /** What is at an address; null if it is the source. */
    public Place at(InetSocketAddress address) {
        for (Place place : nodes) {
            if (place.address.equals(address)) {
                return place;
            }
        }
        return hosts.stream().filter(place -> place.address.equals(address)).findFirst().orElse(null);
    }

    public InetSocketAddress source() {
        return source;
    }

    public SourceCore sourceCore() {
        return sourceCore;
    }

    /** The source's node comes first. */
    public List<Place> nodes() {
        return nodes;
    }

    public List<Place> hosts() {
        return hosts;
    }
}
