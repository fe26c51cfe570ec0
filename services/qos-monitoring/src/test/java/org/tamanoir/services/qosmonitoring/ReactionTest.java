package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.tamanoir.services.qosmonitoring.VirtualPath.MEGABIT;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;

/** Changes of a path show in samples soon enough for a flow to be in another class within three periods, and things that vanish do too. */
class ReactionTest {
    private static final Segment SEGMENT = Simulation.segment(1);
    private static final QosClass BE = Simulation.qosClass("BE", 0);
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int RUNS = 40;

    /** Seconds until a sample is as it should be, the worst of many phases and seeds. */
    private static double worst(Predicate<ClassSample> first, Predicate<ClassSample> then, boolean back, double load, int queueOctets) {
        double worst = 0;
        for (int run = 0; run < RUNS; run++) {
            Random random = new Random(run);
            Simulation simulation = new Simulation(Map.of());
            VirtualPath path = new VirtualPath(run);
            path.queueOctets = queueOctets;
            simulation.watch(SEGMENT, BE, path);
            simulation.run(Duration.ofMillis(12_000 + random.nextInt(5_000)));
            path.cross(load * MEGABIT, simulation.now);
            double there = until(simulation, first);
            simulation.run(Duration.ofMillis(15_000 + random.nextInt(5_000)));
            path.cross(0, simulation.now);
            worst = Math.max(worst, back ? until(simulation, then) : there);
        }
        return worst;
    }

    private static double until(Simulation simulation, Predicate<ClassSample> holds) {
        long from = simulation.now;
        while (!holds.test(simulation.sample(SEGMENT, "BE")) && simulation.now - from < 60_000_000_000L) {
            simulation.run(LOOK);
        }
        return (simulation.now - from) / 1e9;
    }

    @Test
    @Tag("long")
    void delayThatGrowsAndGoesAgainShowsWithinTwoPeriods() {
        Predicate<ClassSample> late = sample -> sample.rttMs() > 10;
        Predicate<ClassSample> quick = sample -> sample.rttMs() < 1;
        assertThat(worst(late, quick, false, 200, 300_000)).isLessThan(2);
        assertThat(worst(late, quick, true, 200, 300_000)).isLessThan(2);
    }

    @Test
    @Tag("long")
    void aTcpFlowSeesWithinTwoPeriodsThatItGetsLess() {
        assertThat(worst(sample -> sample.tcpMbps() < 40, sample -> sample.tcpMbps() > 90, false, 200, 300_000)).isLessThan(2);
        assertThat(worst(sample -> sample.tcpMbps() < 40, sample -> sample.tcpMbps() > 90, true, 200, 300_000)).isLessThan(3);
    }

    @Test
    void aReflectorThatVanishesIsAllLossAndNoDelayAndItsAgeGrows() {
        Simulation simulation = new Simulation(Map.of());
        VirtualPath path = new VirtualPath(3);
        simulation.watch(SEGMENT, BE, path);
        simulation.run(Duration.ofSeconds(10));
        path.alive = false;
        simulation.run(Duration.ofSeconds(2));
        ClassSample gone = simulation.sample(SEGMENT, "BE");
        assertThat(gone.lossPct()).isEqualTo(100);
        assertThat(gone.rttMs()).isNaN();
        assertThat(gone.rttMinMs()).isNaN();
        assertThat(gone.jitterMs()).isNaN();
        assertThat(gone.udpMbps()).isZero();
        assertThat(gone.tcpMbps()).isZero();
        assertThat(gone.ageSeconds()).isCloseTo(2, within(0.3));
        simulation.run(Duration.ofSeconds(30));
        assertThat(simulation.sample(SEGMENT, "BE").ageSeconds()).isCloseTo(32, within(0.3));

        path.alive = true;
        simulation.run(Duration.ofSeconds(3));
        ClassSample again = simulation.sample(SEGMENT, "BE");
        assertThat(again.lossPct()).isZero();
        assertThat(again.rttMs()).isCloseTo(0.08, within(0.01));
        assertThat(again.udpMbps()).isCloseTo(100, within(1.0));
    }

    @Test
    void aReflectorThatNeverAnsweredIsNotKnownAndIsSentLittle() {
        Simulation simulation = new Simulation(Map.of());
        VirtualPath path = new VirtualPath(3);
        path.alive = false;
        simulation.watch(SEGMENT, BE, path);
        simulation.run(Duration.ofSeconds(10));
        assertThat(simulation.monitor.samples(SEGMENT, simulation.now)).isEmpty();
        long before = simulation.spent.size();
        simulation.run(Duration.ofSeconds(40));
        assertThat(simulation.spent.size() - before).as("trains in 40 s").isBetween(5L, 15L);
        assertThat(simulation.spent).noneMatch(spent -> spent.order().throughput);
        path.alive = true;
        simulation.run(Duration.ofSeconds(6));
        assertThat(simulation.sample(SEGMENT, "BE").lossPct()).as("what was lost before the first answer").isZero();
    }

    @Test
    void largePacketsThatDoNotArriveLeaveTheThroughputUnknown() {
        Simulation simulation = new Simulation(Map.of());
        VirtualPath path = new VirtualPath(3);
        path.largest = 1_400;
        simulation.watch(SEGMENT, BE, path);
        simulation.run(Duration.ofSeconds(20));
        ClassSample sample = simulation.sample(SEGMENT, "BE");
        assertThat(sample.lossPct()).isZero();
        assertThat(sample.udpMbps()).isNaN();
        assertThat(sample.tcpMbps()).isNaN();
        assertThat(simulation.monitor.report(simulation.now).get("paths").toString()).contains("large packets do not arrive");
    }
}
