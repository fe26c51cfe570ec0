package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.tamanoir.services.qosmonitoring.VirtualPath.MEGABIT;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;

/** The shape of table 1 of the active grid paper: an empty and a congested network, best effort beside expedited forwarding. */
@Tag("seeded")
class CongestionTest {
    private static final Segment SEGMENT = Simulation.segment(1);
    private static final QosClass BE = Simulation.qosClass("BE", 0);
    private static final QosClass EF = Simulation.qosClass("EF", 46);

    private final Simulation simulation = new Simulation(Map.of());
    private final VirtualPath bestEffort = new VirtualPath(1).rate(100 * MEGABIT);
    private final VirtualPath expedited = new VirtualPath(2).rate(60 * MEGABIT);

    private void watch() {
        simulation.watch(SEGMENT, BE, bestEffort);
        simulation.watch(SEGMENT, EF, expedited);
    }

    @Test
    void anEmptyNetworkShowsItsRateAndDelay() {
        watch();
        simulation.run(Duration.ofSeconds(12));

        ClassSample be = simulation.sample(SEGMENT, "BE");
        assertThat(be.rttMs()).isCloseTo(0.0808, within(0.01));
        assertThat(be.oneWayMs()).isCloseTo(0.0408, within(0.01));
        assertThat(be.errorMs()).isEqualTo(0.1);
        assertThat(be.lossPct()).isZero();
        assertThat(be.udpMbps()).isCloseTo(100, within(1.0));
        assertThat(be.tcpMbps()).isEqualTo(be.udpMbps());
        assertThat(be.dscpKept()).isTrue();
        assertThat(be.ageSeconds()).isLessThan(1);
        assertThat(simulation.sample(SEGMENT, "EF").udpMbps()).isCloseTo(60, within(0.6));
    }

    @Test
    void underTwiceTheLoadUdpGetsMuchAndTcpNextToNothing() {
        watch();
        simulation.run(Duration.ofSeconds(10));
        bestEffort.cross(200 * MEGABIT, simulation.now);
        simulation.run(Duration.ofSeconds(20));

        ClassSample be = simulation.sample(SEGMENT, "BE");
        ClassSample ef = simulation.sample(SEGMENT, "EF");
        assertThat(be.rttMs()).as("the queue of 300,000 octets takes 24 ms").isCloseTo(24, within(1.0));
        assertThat(be.lossPct()).isCloseTo(50, within(12.0));
        assertThat(be.udpMbps()).isBetween(35.0, 65.0);
        assertThat(be.tcpMbps()).isLessThan(1);
        assertThat(ef.rttMs()).isLessThan(0.2);
        assertThat(ef.lossPct()).isZero();
        assertThat(ef.tcpMbps()).isCloseTo(60, within(0.6));
    }

    @Test
    void theLossOfThePaperLeavesUdpWhatThePaperSays() {
        int seeds = 20;
        double loss = 0;
        double udp = 0;
        double tcp = 0;
        for (int seed = 0; seed < seeds; seed++) {
            Simulation each = new Simulation(Map.of());
            VirtualPath path = new VirtualPath(seed);
            path.cross(143 * MEGABIT, 0);
            each.watch(SEGMENT, BE, path);
            each.run(Duration.ofSeconds(20));
            ClassSample be = each.sample(SEGMENT, "BE");
            loss += be.lossPct() / seeds;
            udp += be.udpMbps() / seeds;
            tcp = Math.max(tcp, be.tcpMbps());
        }
        assertThat(loss).isCloseTo(30, within(4.0));
        assertThat(udp).as("73 Mb/s in table 1").isBetween(60.0, 80.0);
        assertThat(tcp).as("0.1 to 0.2 Mb/s in table 1").isLessThan(0.5);
    }

    @Test
    void aFullQueueWithoutLossIsNoLossOfThroughputOfTheRest() {
        watch();
        simulation.run(Duration.ofSeconds(10));
        expedited.rate = 20 * MEGABIT;
        simulation.run(Duration.ofSeconds(16));
        assertThat(simulation.sample(SEGMENT, "EF").udpMbps()).as("three trains later").isCloseTo(20, within(0.5));
        assertThat(simulation.sample(SEGMENT, "BE").udpMbps()).isCloseTo(100, within(1.0));
    }

    @Test
    void aFullQueueThatStillHasRoomForSmallPacketsLosesLargeOnes() {
        bestEffort.queueOctets = 301_400;
        watch();
        simulation.run(Duration.ofSeconds(10));
        bestEffort.cross(200 * MEGABIT, simulation.now);
        simulation.run(Duration.ofSeconds(4));
        ClassSample be = simulation.sample(SEGMENT, "BE");
        assertThat(be.lossPct()).as("of packets as flows have").isCloseTo(50, within(20.0));
        assertThat(be.tcpMbps()).isLessThan(1);
        bestEffort.cross(0, simulation.now);
        simulation.run(Duration.ofSeconds(3));
        assertThat(simulation.sample(SEGMENT, "BE").lossPct()).isZero();
        assertThat(simulation.spent.get(simulation.spent.size() - 1).order().train.octets()).as("small again").isEqualTo(100);
    }
}
