package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.source.SourceSettings.Late;

/** Congestion control: a queue at one site slows the session down before much is lost, and it goes on faster when the queue has gone. */
class TheRateFollowsTheSlowestTest {
    private static final long MOST = 20_000_000;
    private static final long NARROW = 5_000_000;

    @Test
    void aBottleneckAtOneSiteIsFoundAndLeftAgain() {
        Scene scene = Scene.sites(1, 40_000, 2, 2);
        scene.rate = new Rate(MOST, 0, true);
        scene.late = Late.SERVE;
        Place site = scene.node(1);
        scene.topology.down(site).rate(NARROW, 100 * Scene.MILLI);
        scene.start();
        scene.runUntilSent(1);
        scene.simulation.runFor(10 * Scene.SECOND);

        // It has settled: what comes is looked at for ten seconds.
        long sent = scene.status().sent();
        long lostBefore = scene.topology.down(site).lost();
        long packetsBefore = scene.topology.down(site).packets();
        double sum = 0;
        for (int i = 0; i < 40; i++) {
            scene.simulation.runFor(250 * Scene.MILLI);
            sum += scene.status().rate();
        }
        double lost = (scene.topology.down(site).lost() - lostBefore) / (double) (scene.topology.down(site).packets() - packetsBefore);
        double used = (scene.status().sent() - sent) * (Scene.PACKET_SIZE + 76) * 8.0 / 10 / NARROW;
        System.out.printf("bottleneck of 5 Mb/s: rate %.2f Mb/s in the mean, %.0f %% of it used, %.2f %% lost there%n", sum / 40 / 1e6, used * 100,
                lost * 100);
        assertThat(sum / 40).isBetween(NARROW * 0.6, NARROW * 1.1);
        assertThat(used).isBetween(0.6, 1.02);
        assertThat(lost).isLessThan(0.06);

        scene.topology.down(site).rate(0, 0);
        scene.simulation.runFor(15 * Scene.SECOND);
        assertThat(scene.status().rate()).as("bits a second without the bottleneck").isGreaterThan(MOST * 9 / 10);
        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
    }

    @Test
    void lossByChanceDoesNotSlowASessionDown() {
        Scene scene = Scene.sites(2, 10_000, 2, 2);
        scene.rate = new Rate(MOST, 0, true);
        scene.topology.hosts().forEach(host -> scene.topology.down(host).loss(0.2));
        scene.start();
        scene.runUntilSent(8_000);

        assertThat(scene.status().rate()).isGreaterThan(MOST * 9 / 10);
    }
}
