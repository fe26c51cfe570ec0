package org.tamanoir.benchmarks.dyram.figures;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.MemoryContent;
import org.tamanoir.dyram.sim.OneWayLink;
import org.tamanoir.dyram.sim.Simulation;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.sim.Tree.HostAt;
import org.tamanoir.dyram.source.SourceSettings;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;

/**
 * Runs one session of the protocol's cores and measures it.
 *
 * <p>Packets follow each other so fast, and receivers gather losses so shortly, that both are a small part of a round trip. What is fixed in
 * the protocol (margins of 3 and 5 ms, the source's patience of 50 ms) is so too where the round trip is long. The source begins when
 * round-trip times have been measured, as they have been in a session that lasts.
 */
final class SimulatedSession {
    private static final int PACKET = 32;
    private static final int IP_UDP = 28;
    private static final long SECOND = 1_000_000_000;
    /** Round trips are known: their variation has fallen to a thousandth after twenty reports. */
    private static final Duration WARM_UP = Duration.ofSeconds(6);
    private static final long LIMIT = 3_600 * SECOND;
    private static final byte[] SECRET = Tree.secret();

    private final Setting setting;
    private final Simulation simulation;
    private final Tree tree;
    private final long oneWay;
    private final long[] sentAt;
    /** From the moment at which a packet would have come to a receiver by its first transmission to the moment at which it came, in round trips. */
    private final List<Double> delays = new ArrayList<>();
    /** Of each packet the longest; 0 if it came to everybody at first. */
    private final double[] lastDelays;
    private long outstanding;

    private SimulatedSession(Setting setting, long seed) {
        this.setting = setting;
        this.simulation = new Simulation(seed);
        long source = Setting.Split.nanos(setting.split().source(), setting.roundTrip());
        long core = Setting.Split.nanos(setting.split().core(), setting.roundTrip());
        long tail = Setting.Split.nanos(setting.split().tail(), setting.roundTrip());
        this.oneWay = source + core + tail;
        int[] hosts = IntStream.generate(setting::hosts).limit(setting.groups()).toArray();
        HopSettings nodes = HopSettings.DEFAULT.times(Duration.ZERO, setting.decide());
        this.tree = new Tree(simulation, hosts, source, core, tail, nodes, nodes);
        this.sentAt = new long[setting.packets()];
        this.lastDelays = new double[setting.packets()];
        this.outstanding = (long) setting.packets() * setting.groups() * setting.hosts();
    }

    /** @return what a session with this seed gives: always the same */
    static Outcome run(Setting setting, long seed) {
        return new SimulatedSession(setting, seed).run();
    }

    private Outcome run() {
        simulation.observer(this::sent);
        tree.gather(Duration.ofNanos(Setting.INTERVAL));
        tree.startCore();
        for (int site = 0; site < setting.groups(); site++) {
            tree.startSite(site);
        }
        tree.hosts().forEach(tree::startHost);
        tree.hosts().forEach(host -> host.store().whenPut(index -> arrived((int) index)));
        long rate = (long) (PACKET + Codec.DATA_OVERHEAD + IP_UDP) * 8 * SECOND / Setting.INTERVAL;
        // One more than there are is expected: the source begins when it has waited for the time in which round trips are measured.
        tree.startSource(new SourceSettings(simulation.random().nextLong() | 1, Tree.GROUP, tree.core(), SECRET, 1, PACKET, List.of(),
                setting.groups() * setting.hosts() + 1, SourceSettings.Late.REFUSE, SourceSettings.Rate.fixed(rate), WARM_UP, SourceSettings.PATIENCE,
                setting.services().choice()), new MemoryContent(setting.packets(), PACKET, 1));
        simulation.at(WARM_UP.toNanos() - setting.roundTrip().toNanos(), () -> {
            lose(tree.sourceLink());
            tree.hosts().forEach(host -> lose(simulation.pipe(host.node(), host.address())));
        });
        if (!simulation.runUntil(() -> outstanding == 0, LIMIT)) {
            throw new IllegalStateException("a session did not end: " + setting);
        }
        return outcome();
    }

    private void lose(OneWayLink pipe) {
        double loss = setting.linkLoss();
        SplittableRandom random = simulation.random();
        pipe.drop(message -> (setting.lost() == Setting.Lost.EVERYTHING || message instanceof Data) && random.nextDouble() < loss);
    }

    private void sent(long now, InetSocketAddress from, InetSocketAddress to, Message message, long arrives) {
        if (message instanceof Data data && !data.repair() && from.equals(tree.source())) {
            sentAt[(int) data.sequence() - 1] = now;
        }
    }

    private void arrived(int index) {
        outstanding--;
        long late = simulation.now() - sentAt[index] - oneWay;
        if (late > 0) {
            double delay = (double) late / setting.roundTrip().toNanos();
            delays.add(delay);
            lastDelays[index] = Math.max(lastDelays[index], delay);
        }
    }

    private Outcome outcome() {
        long core = 0;
        long lan = 0;
        for (InetSocketAddress site : tree.sites()) {
            core += simulation.pipe(tree.core(), site).data();
            lan += simulation.pipe(site, tree.core()).data();
        }
        for (HostAt host : tree.hosts()) {
            lan += simulation.pipe(host.node(), host.address()).data() + simulation.pipe(host.address(), host.node()).data();
        }
        double packets = setting.packets();
        double[] sorted = delays.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return new Outcome(tree.sourceLink().data() / packets, core / packets, lan / packets,
                (simulation.now() - sentAt[0]) / (packets * Setting.INTERVAL), Arrays.stream(sorted).average().orElse(0),
                sorted.length == 0 ? 0 : sorted[(int) Math.ceil(0.99 * sorted.length) - 1],
                Arrays.stream(lastDelays).filter(delay -> delay > 0).average().orElse(0));
    }

    /**
     * What one simulated session gave.
     *
     * @param sourceLink packets of content, repairs too, that the source sent for each packet of the session
     * @param coreLinks  those that went from the source's node to sites
     * @param lanLinks   those on the links of hosts, in both directions, and those that went from sites to the source's node
     * @param time       until the last receiver had everything, in times of sending every packet once
     * @param meanDelay  mean recovery delay, in round trips, over every receiver and packet that did not come at first
     * @param p99Delay   99 of 100 recovery delays are not longer
     * @param lastDelay  mean over packets of the delay of the receiver that was repaired last
     */
    record Outcome(double sourceLink, double coreLinks, double lanLinks, double time, double meanDelay, double p99Delay, double lastDelay) {
        /** The consumed bandwidth of the papers, as far as their figure lets one guess: source's link and links to sites. */
        double consumed() {
            return sourceLink + coreLinks;
        }

        double everywhere() {
            return sourceLink + coreLinks + lanLinks;
        }
    }
}
