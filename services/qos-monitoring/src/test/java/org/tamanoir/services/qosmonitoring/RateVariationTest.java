package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosMonitoring.HeldBack;
import org.tamanoir.service.qos.Segment;

/** The coefficient of variation of the rates of one second. */
class RateVariationTest {
    private static final long SECOND = 1_000_000_000L;

    private final RateVariation variation = new RateVariation();
    private long now = Long.MAX_VALUE - 3 * SECOND;

    private void seconds(long flow, boolean enough, long... octets) {
        for (long each : octets) {
            now += SECOND;
            variation.carried(flow, each, SECOND, enough, now);
        }
    }

    @Test
    void aSteadyFlowDoesNotVaryAndASawToothDoesByItsFormula() {
        seconds(1, true, 100, 100, 100, 100);
        assertThat(variation.percent(now)).as("four seconds say nothing").isNaN();
        seconds(1, true, 100);
        assertThat(variation.percent(now)).isZero();
        RateVariation saw = new RateVariation();
        for (int i = 0; i < 10; i++) {
            saw.carried(1, 1000 + 1000 * i / 9, SECOND, true, now);
        }
        // Ten values evenly from 1 to 2: the deviation of a sample is sqrt(n(n+1)/12) steps.
        assertThat(saw.percent(now)).isCloseTo(100 * Math.sqrt(110 / 12.0) / 9 / 1.5, within(0.1));
    }

    @Test
    void aSecondInWhichNothingCameThroughCountsMost() {
        seconds(1, true, 100, 100, 0, 100, 0);
        assertThat(variation.percent(now)).isCloseTo(100 * Math.sqrt((3 * 1600 + 2 * 3600) / 4.0) / 60, within(0.01));
        RateVariation nothing = new RateVariation();
        for (int i = 0; i < 6; i++) {
            nothing.carried(1, 0, SECOND, true, now);
        }
        assertThat(nothing.percent(now)).as("no rate, no variation").isNaN();
    }

    @Test
    void whatTheSourceDoesNotSendIsNotCounted() {
        seconds(1, true, 100, 100, 100);
        seconds(1, false, 3, 50, 0, 7);
        assertThat(variation.percent(now)).isNaN();
        seconds(1, true, 100, 100);
        assertThat(variation.percent(now)).isZero();
    }

    @Test
    void partsOfASecondAreOneSecondAndAPartThatIsNotFullIsNone() {
        for (int i = 0; i < 20; i++) {
            now += SECOND / 4;
            // Within each second it varies as much as it can.
            variation.carried(1, i % 4 == 0 ? 400 : 0, SECOND / 4, true, now);
        }
        assertThat(variation.percent(now)).isZero();
    }

    /** Reports come when the node has time: the time that they are for counts, and not the second in which they come. */
    @Test
    void reportsThatComeAtUnevenTimesDoNotMakeASteadyFlowVary() {
        Random random = new Random(1);
        for (int i = 0; i < 40; i++) {
            long time = (long) (SECOND * (0.95 + random.nextDouble() / 2));
            now += time;
            variation.carried(1, time / 1000, time, true, now);
        }
        assertThat(variation.percent(now)).isLessThan(0.01);
    }

    @Test
    void whatIsOldIsForgottenAndOnlyTheLastTenSecondsCount() {
        seconds(1, true, 1, 500, 2, 100, 100, 100, 100, 100, 100, 100, 100, 100);
        assertThat(variation.percent(now)).isPositive();
        seconds(1, true, 100);
        assertThat(variation.percent(now)).isZero();
        assertThat(variation.percent(now + RateVariation.LONGEST_NANOS - 5 * SECOND)).isZero();
        assertThat(variation.percent(now + RateVariation.LONGEST_NANOS - 4 * SECOND)).as("ten seconds, of which five are too old").isZero();
        assertThat(variation.percent(now + RateVariation.LONGEST_NANOS - 3 * SECOND)).isNaN();
    }

    @Test
    void ofSeveralFlowsTheMedianCountsAndNotMoreThanSixteenAreRemembered() {
        seconds(1, true, 100, 100, 100, 100, 100);
        seconds(2, true, 100, 300, 100, 300, 100);
        seconds(3, true, 100, 110, 100, 110, 100);
        assertThat(variation.percent(now)).isCloseTo(5.3, within(0.1));
        for (int i = 0; i < 1000; i++) {
            seconds(100 + i, true, 100);
        }
        assertThat(variation.flows()).isEqualTo(RateVariation.FLOWS);
        assertThat(variation.percent(now)).isNaN();
    }

    @Test
    void trainsStandInForFlowsAndOneThatTheHostDelayedSaysNothing() {
        ThroughputWindow trains = new ThroughputWindow();
        trains.train(40, now);
        trains.train(44, now);
        trains.train(40, now);
        assertThat(trains.variation(now, SECOND)).isNaN();
        trains.train(44, now);
        assertThat(trains.variation(now, SECOND)).isCloseTo(148.26 * 2 / 42, within(0.01));
        assertThat(trains.variation(now + 2 * SECOND, SECOND)).isNaN();
        for (int i = 0; i < 7; i++) {
            trains.train(40, now);
        }
        trains.train(3, now);
        assertThat(trains.variation(now, SECOND)).isZero();
        trains.changed();
        assertThat(trains.variation(now, SECOND)).as("a change is what varies").isZero();
    }

    @Test
    void onlyWhatTheNetworkOrTheShareHoldsBackCounts() {
        Segment segment = Simulation.segment(1);
        QosClass af = new QosClass("AF-TCP", 2, Transport.TCP, 5_000_000, 10, 12, 14);
        Simulation simulation = new Simulation(Map.of("throughput-every", 1000));
        VirtualPath path = new VirtualPath(1).rate(40 * VirtualPath.MEGABIT);
        simulation.watch(segment, af, path);
        long[] uneven = {100_000, 500_000, 100_000, 900_000, 100_000, 500_000};
        carried(simulation, segment, HeldBack.SOURCE, uneven);
        assertThat(varies(simulation, segment)).as("its source").isNaN();
        carried(simulation, segment, HeldBack.NETWORK, uneven);
        assertThat(varies(simulation, segment)).as("no queue, no loss: its receiver").isNaN();
        carried(simulation, segment, HeldBack.PROFILE, 500_000, 510_000, 490_000, 500_000, 500_000);
        assertThat(varies(simulation, segment)).isBetween(1.0, 2.0);
        path.cross(39.8 * VirtualPath.MEGABIT, 0);
        simulation.run(Duration.ofSeconds(3));
        carried(simulation, segment, HeldBack.NETWORK, uneven);
        carried(simulation, segment, HeldBack.NETWORK, 0, 0, 0, 100_000);
        assertThat(varies(simulation, segment)).isGreaterThan(80);
    }

    private static void carried(Simulation simulation, Segment segment, HeldBack by, long... octets) {
        for (long each : octets) {
            simulation.run(Duration.ofSeconds(1));
            simulation.monitor.carried(segment, "AF-TCP", 7, each, SECOND, by, simulation.now);
        }
    }

    private static double varies(Simulation simulation, Segment segment) {
        simulation.run(Duration.ofMillis(50));
        return simulation.sample(segment, "AF-TCP").rateVariationPct();
    }
}
