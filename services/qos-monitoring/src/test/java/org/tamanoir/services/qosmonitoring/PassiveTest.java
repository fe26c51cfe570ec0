package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.tamanoir.services.qosmonitoring.VirtualPath.MEGABIT;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;

/** What flows carry is a measurement, as far as it can be believed. */
class PassiveTest {
    private static final Segment SEGMENT = Simulation.segment(1);
    private static final QosClass AF = new QosClass("AF-TCP", 2, Transport.TCP, 5_000_000, 10, 12, 14);

    private final Simulation simulation = new Simulation(Map.of());
    private final VirtualPath path = new VirtualPath(1).rate(40 * MEGABIT);

    PassiveTest() {
        simulation.watch(SEGMENT, AF, path);
    }

    /** A flow carries so much in each of some seconds. */
    private void flow(double mbps, boolean limited, int seconds) {
        for (int i = 0; i < seconds; i++) {
            simulation.run(Duration.ofSeconds(1));
            simulation.monitor.carried(SEGMENT, "AF-TCP", (long) (mbps * MEGABIT), 1_000_000_000, limited, simulation.now);
        }
    }

    private ClassSample sample() {
        simulation.run(Duration.ofMillis(50));
        return simulation.sample(SEGMENT, "AF-TCP");
    }

    private long throughputTrains() {
        return simulation.spent.stream().filter(spent -> spent.order().throughput).count();
    }

    @Test
    void aFlowThatACongestedNetworkHoldsBackIsTheSampleOfItsClass() {
        path.cross(39.8 * MEGABIT, 0);
        flow(7, true, 8);
        simulation.monitor.carried(SEGMENT, "AF-TCP", (long) (3 * MEGABIT), 1_000_000_000, true, simulation.now);
        ClassSample sample = sample();
        assertThat(sample.rttMs()).as("there is a queue").isGreaterThan(2);
        assertThat(sample.tcpMbps()).as("what one flow gets, and not what the slower one gets").isEqualTo(7);
        assertThat(sample.passive()).isTrue();
    }

    /** Wrong: a class in which a stream stands still is as good as its trains, and the stream stays there. */
    @Test
    void aFlowThatACongestedNetworkLetsSendNothingIsASampleAndASilentOneIsNone() {
        path.cross(39.8 * MEGABIT, 0);
        flow(0, false, 8);
        assertThat(sample().passive()).as("it had nothing to send").isFalse();
        flow(0, true, 8);
        assertThat(sample().tcpMbps()).isZero();
    }

    @Test
    void aFlowWhoseReceiverIsSlowDoesNotSpoilItsClass() {
        flow(1, true, 10);
        ClassSample sample = sample();
        assertThat(sample.tcpMbps()).as("no queue, no loss: it was not the network").isCloseTo(40, within(0.5));
        assertThat(sample.passive()).isTrue();
    }

    @Test
    void aFlowThatWasNotHeldBackIsALowerBound() {
        flow(30, false, 8);
        assertThat(sample().tcpMbps()).isCloseTo(40, within(0.5));
        flow(60, false, 2);
        assertThat(sample().tcpMbps()).isEqualTo(60);
        simulation.run(Duration.ofSeconds(6));
        assertThat(sample().tcpMbps()).as("five periods later").isCloseTo(40, within(0.5));
        assertThat(sample().passive()).isFalse();
    }

    @Test
    void flowsThatShowEnoughSaveTrainsButNotAll() {
        flow(0.1, false, 8);
        long before = throughputTrains();
        flow(0.1, false, 80);
        long without = throughputTrains() - before;
        flow(39.5, false, 80);
        long with = throughputTrains() - before - without;
        assertThat(without).isEqualTo(16);
        assertThat(with).as("one of four").isBetween(3L, 5L);
    }

    @Test
    void whatMakesNoSenseIsNotCounted() {
        simulation.run(Duration.ofSeconds(8));
        double before = sample().tcpMbps();
        simulation.monitor.carried(SEGMENT, "AF-TCP", 500_000_000, 1_000_000, false, simulation.now);
        simulation.monitor.carried(SEGMENT, "AF-TCP", 500_000_000, 0, false, simulation.now);
        simulation.monitor.carried(SEGMENT, "AF-TCP", -5, 1_000_000_000, true, simulation.now);
        simulation.monitor.carried(SEGMENT, "no such class", 500_000_000, 1_000_000_000, true, simulation.now);
        simulation.monitor.carried(Simulation.segment(9), "AF-TCP", 500_000_000, 1_000_000_000, true, simulation.now);
        simulation.run(Duration.ofMillis(100));
        assertThat(sample().tcpMbps()).isEqualTo(before);
        long flows = simulation.monitor.look(view -> view.counters().flows, simulation.now);
        assertThat(flows).isZero();
    }
}
