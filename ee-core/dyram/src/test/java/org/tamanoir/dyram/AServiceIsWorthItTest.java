package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;

/**
 * What each service saves, against the numbers of a model: twelve receivers at three sites, each losing a quarter of what comes to it,
 * independently. A packet that one site lacks is sent again by the source without election, and only if all four of a site lack it with
 * election among hosts.
 */
class AServiceIsWorthItTest {
    private static final HopSettings NOTHING = HopSettings.DEFAULT.detect(false).aggregate(false).subcast(false).elect(Election.NONE)
            .repairTimer(false);

    /** Transmissions until the last of twelve has a packet, if each is lost to each with 0.25. */
    private static final double ROUNDS = 2.741;

    /** What a run cost, per packet of the session; the delay in milliseconds. */
    private record Cost(double source, double core, double tails, double nacks, double asked, double delay) {
    }

    private static Cost run(int packets, HopSettings nodes, double tailLoss, double siteLoss) {
        Scene scene = Scene.sites(11, packets, nodes, nodes, 4, 4, 4);
        for (Place host : scene.topology.hosts()) {
            scene.topology.down(host).drop(lossy(scene, tailLoss));
        }
        for (int i = 1; i <= 3; i++) {
            scene.topology.down(scene.node(i)).drop(lossy(scene, siteLoss));
        }
        Delays delays = new Delays(scene);
        scene.observer(delays);
        long[] asked = new long[1];
        scene.observer((now, from, to, message, arrives) -> asked[0] += message instanceof Message.Nack && scene.topology.at(from).isHost()
                ? 1 : 0);
        scene.start();
        assertThat(scene.runUntilOver(300)).isTrue();
        scene.assertDelivered();
        double sites = 0;
        for (int i = 1; i <= 3; i++) {
            sites += scene.topology.down(scene.node(i)).data();
        }
        double tails = scene.topology.hosts().stream().mapToLong(host -> scene.topology.down(host).data()).sum();
        return new Cost(scene.topology.down(scene.node(0)).data() / (double) packets, sites / 3 / packets, tails / 12 / packets,
                scene.status().nacks() / (double) packets, asked[0] / 12.0 / packets, delays.mean());
    }

    /** Packets of content are lost, nothing else: that is what the model counts. */
    private static java.util.function.Predicate<Message> lossy(Scene scene, double part) {
        var random = scene.simulation.random();
        return message -> message instanceof Data && part > 0 && random.nextDouble() < part;
    }

    /** From when a packet should have come to a receiver to its coming, in milliseconds. What a site lost should have come to all its receivers. */
    private static final class Delays implements org.tamanoir.dyram.sim.Simulation.Observer {
        private final Scene scene;
        private final java.util.Map<String, Long> lost = new java.util.HashMap<>();
        private double sum;
        private long count;

        Delays(Scene scene) {
            this.scene = scene;
        }

        @Override
        public void sent(long now, InetSocketAddress from, InetSocketAddress to, Message message, long arrives) {
            Place place = message instanceof Data ? scene.topology.at(to) : null;
            if (place == null) {
                return;
            }
            long sequence = ((Data) message).sequence();
            if (arrives < 0) {
                (place.isHost() ? java.util.List.of(place) : place.below()).forEach(host -> lost.putIfAbsent(host.name() + " " + sequence, now));
            } else if (place.isHost() && lost.containsKey(place.name() + " " + sequence)) {
                sum += (arrives - lost.remove(place.name() + " " + sequence)) / 1e6;
                count++;
            }
        }

        double mean() {
            return sum / count;
        }
    }

    @Test
    @Tag("long")
    void theSourceSendsWhatTheModelSays() {
        HopSettings all = HopSettings.DEFAULT;
        Cost everything = run(2_000, all, 0.25, 0);
        Cost hosts = run(2_000, all.elect(Election.HOSTS), 0.25, 0);
        Cost none = run(2_000, all.elect(Election.NONE).subcast(false), 0.25, 0);
        System.out.printf("source packets a packet at 25 %% independent loss: %.4f with election at every level, %.4f among hosts, %.4f without%n",
                everything.source(), hosts.source(), none.source());

        assertThat(everything.source()).isCloseTo(1.0, Offset.offset(0.002));
        assertThat(hosts.source()).isCloseTo(1.012, Offset.offset(0.01));
        // The model repairs for all in step, which is the least: the sum over k of 1 - (1 - 0.25^k)^12.
        assertThat(none.source()).isBetween(ROUNDS - 0.05, ROUNDS * 1.04);
    }

    @Test
    @Tag("long")
    void eachServiceSavesWhatItIsFor() {
        Cost nothing = run(1_000, NOTHING, 0.1, 0.02);
        Cost aggregate = run(1_000, NOTHING.aggregate(true), 0.1, 0.02);
        Cost subcast = run(1_000, NOTHING.aggregate(true).subcast(true), 0.1, 0.02);
        HopSettings hosts = NOTHING.aggregate(true).subcast(true).elect(Election.HOSTS).repairTimer(true);
        Cost elect = run(1_000, hosts, 0.1, 0.02);
        HopSettings sites = hosts.elect(Election.ALL);
        Cost everyLevel = run(1_000, sites, 0.1, 0.02);
        Cost detect = run(1_000, sites.detect(true), 0.1, 0.02);
        Cost[] costs = {nothing, aggregate, subcast, elect, everyLevel, detect};
        String[] names = {"nothing", "+ aggregation", "+ subcast", "+ election of hosts", "+ election of sites", "+ detection"};
        for (int i = 0; i < costs.length; i++) {
            System.out.printf("%-20s source %.3f  core %.3f  tails %.3f  NACKs at the source %.4f  delay %.1f ms%n", names[i], costs[i].source(),
                    costs[i].core(), costs[i].tails(), costs[i].nacks(), costs[i].delay());
        }

        assertThat(aggregate.nacks()).as("NACKs at the source").isLessThan(nothing.nacks() * 0.8);
        assertThat(subcast.tails()).as("copies to receivers").isLessThan(aggregate.tails() * 0.8);
        assertThat(elect.source()).as("source packets").isLessThan(subcast.source() * 0.8);
        assertThat(elect.delay()).as("delay of a repair").isLessThan(subcast.delay() * 0.8);
        assertThat(everyLevel.source()).isLessThan(elect.source() - 0.02).isLessThan(1.005);
        assertThat(detect.source()).isLessThan(1.005);
    }

    /** Whole sites lose packets: the node finds the gap before its receivers have gathered theirs, and they do not ask. */
    @Test
    void detectionInTheNodeIsQuieterAndNotSlower() {
        HopSettings late = HopSettings.DEFAULT.detect(false);
        Cost without = run(1_000, late, 0, 0.05);
        Cost with = run(1_000, HopSettings.DEFAULT, 0, 0.05);
        System.out.printf("5 %% site loss, detection by receivers: %.1f ms, %.3f NACKs of each receiver a packet; by the node: %.1f ms, %.3f%n",
                without.delay(), without.asked(), with.delay(), with.asked());

        assertThat(with.delay()).isLessThan(without.delay() + 1);
        assertThat(with.asked()).isLessThan(without.asked() / 4);
    }
}
