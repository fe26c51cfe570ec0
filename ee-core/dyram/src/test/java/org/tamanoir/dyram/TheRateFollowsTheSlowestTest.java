package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.sim.OneWayLink;
import org.tamanoir.dyram.source.SourceSettings.Rate;

/** Congestion control: a queue at one site slows the session down before much is lost, and it goes on faster when the queue has gone. */
class TheRateFollowsTheSlowestTest {
    private static final long MOST = 20_000_000;
    private static final long NARROW = 5_000_000;

    private static Scene behindABottleneck() {
        Scene scene = Scene.sites(1, 40_000, 2, 2);
        scene.rate = new Rate(MOST, 0, true);
        scene.topology.down(scene.node(1)).rate(NARROW, 100 * Scene.MILLI);
        scene.start();
        scene.runUntilSent(1);
        scene.simulation.runFor(6 * Scene.SECOND);
        return scene;
    }

    @Test
    @Tag("long")
    void aBottleneckAtOneSiteIsFound() {
        Scene scene = behindABottleneck();
        OneWayLink way = scene.topology.down(scene.node(1));

        assertThat(scene.status().rate()).as("it has settled").isLessThan(MOST / 2);

        // What comes is looked at for eight seconds.
        long sent = scene.status().sent();
        long lostBefore = way.lost();
        long packetsBefore = way.packets();
        double sum = 0;
        for (int i = 0; i < 32; i++) {
            scene.simulation.runFor(250 * Scene.MILLI);
            sum += scene.status().rate();
        }
        double rate = sum / 32;
        double lost = (way.lost() - lostBefore) / (double) (way.packets() - packetsBefore);
        double used = (scene.status().sent() - sent) * (Scene.PACKET_SIZE + 76) * 8.0 / 8 / NARROW;
        System.out.printf("bottleneck of 5 Mb/s: rate %.2f Mb/s in the mean, %.0f %% of it used, %.2f %% lost there%n", rate / 1e6, used * 100,
                lost * 100);
        assertThat(rate).isBetween(NARROW * 0.6, NARROW * 1.1);
        assertThat(used).isBetween(0.6, 1.02);
        assertThat(lost).isLessThan(0.06);
    }

    @Test
    @Tag("long")
    void withoutTheBottleneckItGoesUpAgain() {
        Scene scene = behindABottleneck();
        assertThat(scene.status().rate()).isLessThan(MOST / 2);

        scene.topology.down(scene.node(1)).rate(0, 0);
        scene.simulation.runFor(12 * Scene.SECOND);

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
