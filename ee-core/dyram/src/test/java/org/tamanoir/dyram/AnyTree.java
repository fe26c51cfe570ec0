package org.tamanoir.dyram;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.source.SourceStatus.State;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Request;

/**
 * A session in a network that a seed draws: up to four levels of nodes, 2 to 12 receivers, losses of up to a half on any link and in both
 * directions. A tame one keeps the order of packets and nobody comes, goes or is restarted; a wild one has all of that. In a mixed one the
 * operator of each node allows some of the services, and the session asks for some.
 */
final class AnyTree {
    private static final int MOST_LEVELS = 4;
    private static final int MOST_HOSTS = 12;
    private static final long LIMIT = 600;

    private record Asked(InetSocketAddress by, long sequence) {
    }

    private final SplittableRandom random;
    private final boolean wild;
    private final boolean holding;
    private final NodeServices services;
    private final Scene scene;
    private final List<Place> leavers = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    /** When a node has asked above for a packet last, as long as nothing has come down that could be an answer. */
    private final Map<Asked, Long> open = new HashMap<>();
    private long lastTalk;
    private boolean nobodyCame;

    /** What a network is like. */
    enum Kind { TAME, WILD, TAME_HOLDING, WILD_HOLDING, TAME_MIXED, WILD_MIXED }

    /** @param kind holding: receivers hold some of the packets already */
    AnyTree(long seed, Kind kind) {
        random = new SplittableRandom(seed);
        this.wild = kind == Kind.WILD || kind == Kind.WILD_HOLDING || kind == Kind.WILD_MIXED;
        this.holding = kind == Kind.TAME_HOLDING || kind == Kind.WILD_HOLDING;
        services = kind == Kind.TAME_MIXED || kind == Kind.WILD_MIXED ? NodeServices.mixed(seed) : NodeServices.all();
        scene = new Scene(seed, 20 + random.nextInt(60));
        scene.services = services.choice();
        long[] firsts = {0, Long.MAX_VALUE - 20, -20, random.nextLong()};
        scene.first = firsts[random.nextInt(firsts.length)];
        scene.rate = Rate.fixed(500_000 + random.nextInt(8_000_000));
        scene.late = Late.SERVE;
        grow(null, 1);
        while (scene.topology.hosts().size() < 2) {
            host(scene.node(random.nextInt(scene.topology.nodes().size())));
        }
        // One who never comes keeps the session open for a while after the last repair.
        scene.expect = scene.topology.hosts().size() + 1;
        scene.gathering = Duration.ofSeconds(wild ? 3 : 5);
        // Where half of the messages are lost on each of four links, a join may need longer than four seconds.
        scene.patience = Duration.ofSeconds(wild ? 10 : 4);
        scene.observer(this::observe);
        if (holding) {
            hold();
        }
    }

    /** Each receiver finds nothing, everything or some of the packets, in some of the time that the session takes. */
    private void hold() {
        int packets = (int) scene.content.packets();
        scene.content.head(random.nextInt(packets));
        double[] parts = {0, 1, 1, random.nextDouble()};
        for (Place host : scene.topology.hosts()) {
            double part = parts[random.nextInt(parts.length)];
            BitSet held = new BitSet();
            for (int run = random.nextInt(1, 20), from = 0; from < packets; from += run) {
                held.set(from, Math.min(packets, from + run), random.nextDouble() < part);
            }
            new Finding(scene, host, held, random.nextLong(300 * Scene.MILLI));
        }
    }

    private void grow(Place above, int level) {
        HopSettings allowed = services.draw();
        Place node = scene.topology.node("node " + scene.topology.nodes().size(), above, delay(10), random.nextBoolean(), allowed);
        services.allow(node, allowed);
        weather(node);
        int hosts = random.nextInt(4);
        for (int i = 0; i < hosts; i++) {
            host(node);
        }
        int nodes = level == MOST_LEVELS ? 0 : random.nextInt(level == 1 ? 1 : 0, 4);
        for (int i = 0; i < nodes && scene.topology.hosts().size() < MOST_HOSTS; i++) {
            grow(node, level + 1);
        }
    }

    private void host(Place node) {
        weather(scene.topology.host("host " + scene.topology.hosts().size(), node, delay(1)));
    }

    private long delay(int most) {
        return Scene.MILLI / 20 + random.nextLong(most * Scene.MILLI);
    }

    /** Half of the links lose nothing, the others up to a half; in a tame network only packets on their way down and NACKs are lost. */
    private void weather(Place place) {
        double down = random.nextBoolean() ? 0 : random.nextDouble(0.5);
        double up = random.nextBoolean() ? 0 : random.nextDouble(0.5);
        SplittableRandom chance = random.split();
        scene.topology.down(place).drop(message -> isLost(message) && chance.nextDouble() < down);
        scene.topology.up(place).drop(message -> isLost(message) && chance.nextDouble() < up);
        if (wild) {
            scene.topology.down(place).jitter(random.nextLong(1, 4 * Scene.MILLI)).duplicates(random.nextDouble(0.1));
            scene.topology.up(place).jitter(random.nextLong(1, 4 * Scene.MILLI)).duplicates(random.nextDouble(0.1));
        }
    }

    private boolean isLost(Message message) {
        return wild || message instanceof Data data && data.cookie() == 0 || message instanceof Nack;
    }

    /** Runs it. @return what does not hold; empty if everything does */
    List<String> run() {
        scene.topology.nodes().forEach(scene.topology::start);
        List<Place> late = wild ? scene.topology.hosts().stream().filter(host -> random.nextInt(6) == 0).toList() : List.of();
        scene.topology.hosts().stream().filter(host -> !late.contains(host)).forEach(scene.topology::start);
        scene.startSource();
        if (wild) {
            events(late);
        }
        try {
            List<Place> staying = scene.topology.hosts().stream().filter(host -> !leavers.contains(host)).toList();
            boolean complete = scene.simulation.runUntil(() -> noticeNobody() || staying.stream().allMatch(host -> host.allHave(0) && isComplete(host)),
                    LIMIT * Scene.SECOND);
            require(complete, "not everybody is complete");
            if (wrong.isEmpty() && !nobodyCame) {
                scene.assertDelivered(staying);
                scene.simulation.runFor(2_500 * Scene.MILLI);
                quiet();
            }
            require(scene.runUntilOver(LIMIT), "the session does not end");
        } catch (AssertionError | RuntimeException e) {
            wrong.add(e.toString());
        }
        return wrong;
    }

    /** Where most messages are lost and nodes are restarted, the time for gathering may pass before one receiver has joined: then nothing is sent. */
    private boolean noticeNobody() {
        nobodyCame = wild && scene.topology.sourceCore().state() == State.OVER && scene.status().members().isEmpty() && scene.status().sent() == 0;
        return nobodyCame;
    }

    /** Whether the session ended before it began. */
    boolean nobodyCame() {
        return nobodyCame;
    }

    private static boolean isComplete(Place host) {
        return host.receiver() != null && host.receiver().status().packets() > 0
                && host.receiver().status().have() == host.receiver().status().packets();
    }

    private void events(List<Place> late) {
        late.forEach(host -> at(4, () -> scene.topology.start(host)));
        for (Place host : scene.topology.hosts()) {
            int chance = random.nextInt(12);
            if (chance == 0 && !late.contains(host)) {
                leavers.add(host);
                at(4, () -> host.receiver().leave(scene.simulation.now()));
            } else if (chance == 1 && !late.contains(host)) {
                at(4, () -> scene.topology.start(host));
            }
        }
        for (Place node : scene.topology.nodes()) {
            if (random.nextInt(8) == 0) {
                at(4, () -> scene.topology.start(node));
            }
        }
    }

    private void at(int seconds, Runnable action) {
        scene.simulation.at(random.nextLong(seconds * Scene.SECOND), action);
    }

    /** Nothing is missing, nobody asks, nothing is repaired. */
    private void quiet() {
        require(scene.simulation.now() - lastTalk > Scene.SECOND, "somebody still asks or repairs a second and a half after everybody has everything");
        for (Place node : scene.topology.nodes()) {
            require(node.node().losses() == 0, node.name() + " remembers losses");
            require(ContentFinder.in(node.node()).isEmpty(), node.name() + " keeps content");
            require(services.isReported(node), node.name() + " reports " + node.node().report() + ", " + services.choice() + " was asked");
        }
        for (Place host : scene.topology.hosts()) {
            require(leavers.contains(host) || host.receiver().missing() == 0, host.name() + " asks");
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            wrong.add(otherwise);
        }
    }

    private void observe(long now, InetSocketAddress from, InetSocketAddress to, Message message, long arrives) {
        if (message instanceof Nack nack) {
            lastTalk = now;
            each(nack.losses(), sequence -> asks(now, from, to, sequence));
        } else if (message instanceof Request request) {
            lastTalk = now;
            // It is answered with a NACK by one that misses the packet too.
            each(request.losses(), sequence -> answered(to, sequence, arrives));
        } else if (message instanceof Data data) {
            answered(to, data.sequence(), arrives);
            if (data.repair()) {
                lastTalk = now;
                repaired(from, to, data);
            }
        }
    }

    private void answered(InetSocketAddress place, long sequence, long arrives) {
        if (arrives >= 0) {
            scene.simulation.at(arrives, () -> open.remove(new Asked(place, sequence)));
        }
    }

    /** A node asks once a round: again only after the time in which an answer could have come. */
    private void asks(long now, InetSocketAddress from, InetSocketAddress to, long sequence) {
        Place place = scene.topology.at(from);
        if (place != null && !place.isHost() && !wild && services.asksOnce(place)) {
            Long before = open.put(new Asked(from, sequence), now);
            long round = 2 * scene.topology.up(place).delay();
            require(before == null || now - before > round, place.name() + " asks for " + sequence + " twice in a round trip");
        }
    }

    /** A repair goes down only where it is missing. */
    private void repaired(InetSocketAddress from, InetSocketAddress to, Data data) {
        Place place = scene.topology.at(to);
        boolean down = place != null && place.above() != null ? place.above().address().equals(from) : scene.topology.source().equals(from);
        // One that looks may find what it has asked for.
        if (down && !wild && !holding && services.repairsScoped(place)) {
            require(!place.allHave(data.sequence() - scene.first), "a repair of " + data.sequence() + " goes to " + place.name()
                    + ", where everybody has it, at " + scene.simulation.now());
        }
    }

    private interface Each {
        void packet(long sequence);
    }

    private static void each(Losses losses, Each each) {
        for (Losses.Range range : losses.ranges()) {
            for (int i = 0; i < range.count(); i++) {
                each.packet(range.first() + i);
            }
        }
    }

    @Override
    public String toString() {
        return scene.topology.nodes().size() + " nodes, " + scene.topology.hosts().size() + " receivers";
    }
}
