package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.MemoryContent;
import org.tamanoir.dyram.sim.Simulation;
import org.tamanoir.dyram.sim.Topology;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.source.SourceSettings;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.ServiceChoice;

/** A session in a simulated network: what a test sets up, and what it asks afterwards. */
final class Scene {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;
    static final int PACKET_SIZE = 500;
    static final long SESSION = 0x5e55_1011L;

    /** A message that was sent. */
    record Sent(long at, InetSocketAddress from, InetSocketAddress to, Message message, boolean lost) {
    }

    final Simulation simulation;
    final Topology topology;
    final MemoryContent content;
    private final Map<InetSocketAddress, Long> cookies = new HashMap<>();
    private final Map<InetSocketAddress, Integer> members = new HashMap<>();
    private final List<Simulation.Observer> observers = new ArrayList<>();
    private Predicate<Message> kept = message -> false;
    final List<Sent> sent = new ArrayList<>();
    long first;
    List<String> names = List.of();
    int expect = -1;
    Late late = Late.REFUSE;
    Rate rate = Rate.fixed(20_000_000);
    Duration gathering = SourceSettings.GATHERING;
    Duration patience = Duration.ofSeconds(2);
    ServiceChoice services = ServiceChoice.ALL;

    Scene(long seed, int packets) {
        simulation = new Simulation(seed);
        topology = new Topology(simulation);
        content = new MemoryContent(packets, PACKET_SIZE, seed);
        simulation.observer(this::observe);
    }

    /** The papers' network: the source's node, sites with hosts. Delays as in the laboratory. */
    static Scene sites(long seed, int packets, HopSettings core, HopSettings site, int... hosts) {
        Scene scene = new Scene(seed, packets);
        Place edge = scene.topology.node("core", null, MILLI / 10, false, core);
        for (int i = 0; i < hosts.length; i++) {
            Place node = scene.topology.node("site " + i, edge, 10 * MILLI, true, site);
            for (int j = 0; j < hosts[i]; j++) {
                scene.topology.host("host " + i + "." + j, node, MILLI / 10);
            }
        }
        return scene;
    }

    static Scene sites(long seed, int packets, int... hosts) {
        return sites(seed, packets, HopSettings.DEFAULT, HopSettings.DEFAULT, hosts);
    }

    private void observe(long now, InetSocketAddress from, InetSocketAddress to, Message message, long arrives) {
        if (message instanceof Accept accept && arrives >= 0 && topology.at(to).isHost() && accept.name().equals(topology.at(to).name())) {
            cookies.put(to, accept.cookie());
            members.put(to, accept.member());
        }
        if (kept.test(message)) {
            // What a message holds is lent: content is not looked at afterwards.
            sent.add(new Sent(now, from, to, message, arrives < 0));
        }
        observers.forEach(observer -> observer.sent(now, from, to, message, arrives));
    }

    /** Keeps these messages in {@link #sent}. */
    Scene keep(Predicate<Message> which) {
        kept = which;
        return this;
    }

    Scene observer(Simulation.Observer observer) {
        observers.add(observer);
        return this;
    }

    /** Starts nodes, receivers, source. */
    Scene start() {
        topology.startAll();
        startSource();
        return this;
    }

    void startSource() {
        topology.startSource(new SourceSettings(SESSION, Tree.GROUP, topology.nodes().get(0).address(), Tree.secret(), first, PACKET_SIZE,
                names, expect < 0 ? topology.hosts().size() : expect, late, rate, gathering, patience, services), content);
    }

    /** A message in somebody's name, from where that one is. */
    void say(Place from, Message message) {
        simulation.outlet(from.address()).send(message, from.above().address());
    }

    /** What a receiver shows to its node. */
    long cookie(Place host) {
        return cookies.get(host.address());
    }

    /** A receiver's number in the session. */
    int member(Place host) {
        return members.get(host.address());
    }

    Place host(int number) {
        return topology.hosts().get(number);
    }

    /** Nodes in the order in which they were made; 0 is the source's. */
    Place node(int number) {
        return topology.nodes().get(number);
    }

    long count(Place node, Count what) {
        return node.node().counters().get(what);
    }

    SourceStatus status() {
        return topology.sourceCore().status();
    }

    MemberStatus status(Place host) {
        return status().members().stream().filter(member -> member.name().equals(host.name())).findFirst().orElseThrow();
    }

    boolean runUntilOver(long seconds) {
        return simulation.runUntil(() -> topology.sourceCore().state() == SourceStatus.State.OVER, simulation.now() + seconds * SECOND);
    }

    /** Until the source has sent so many packets for the first time. */
    void runUntilSent(long packets) {
        assertThat(simulation.runUntil(() -> status().sent() >= packets, simulation.now() + 100 * SECOND)).isTrue();
    }

    /** Every receiver has what was sent, and the source knows. */
    void assertDelivered() {
        assertDelivered(topology.hosts());
        assertThat(status().allComplete()).isTrue();
    }

    void assertDelivered(List<Place> to) {
        assertThat(to).allSatisfy(host -> assertThat(host.store().content()).isEqualTo(content.octets()));
    }

    /** Nothing is missed any more anywhere. */
    void assertQuiet() {
        assertThat(topology.nodes()).allSatisfy(place -> assertThat(place.node().losses()).as(place.name()).isZero());
        assertThat(topology.hosts()).allSatisfy(place -> assertThat(place.receiver().missing()).as(place.name()).isZero());
    }

    /** Loses the first original of a packet on its way to a place, and nothing else. */
    void lose(long index, Place... places) {
        for (Place place : places) {
            boolean[] dropped = new boolean[1];
            topology.down(place).drop(message -> {
                boolean now = !dropped[0] && message instanceof Data data && !data.repair() && data.sequence() == first + index;
                dropped[0] |= now;
                return now;
            });
        }
    }
}
