package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.FlowReceiver.FlowReport;

@Tag("lab")
class QosTestbedTest {
    private QosTestbed testbed;

    @BeforeEach
    void open() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        testbed = QosTestbed.open(2, 1);
    }

    @AfterEach
    void close() {
        if (testbed != null) {
            testbed.close();
        }
    }

    @Test
    void flowsOfEachSenderAreCountedByTheirCodePointAndRate() {
        FlowReceiver receiver = FlowReceiver.start(testbed.delivery(1).second());
        PacketCounter marked = testbed.egress().counter("iifname \"to-ingress\" ip dscp 8 udp dport 7300");
        receiver.begin();
        Flows.Flow be = Flows.datagrams(testbed.sender(1), receiver, 0, 1470, 20e6, 1.2);
        Flows.Flow lbe = Flows.datagrams(testbed.sender(2), receiver, 8, 1000, 5e6, 1.2);
        assertThat(be.sent().rate()).isCloseTo(20e6, within(1e6));
        Flows.Sent sent = lbe.sent();
        FlowReport report = receiver.report();
        assertThat(report.rate(false, 0, 0.3, 1.1)).isCloseTo(20e6, within(2e6));
        assertThat(report.rate(false, 8, 0.3, 1.1)).isCloseTo(5e6, within(0.5e6));
        assertThat(report.counts()).hasSize(2).allMatch(count -> !count.stream());
        assertThat(report.counts().get(1).octets()).as("nothing is lost where nothing limits").isEqualTo(sent.octets());
        assertThat(marked.count()).as("IP and UDP headers").isEqualTo(new PacketCounter.Count(sent.octets() / 1000, sent.octets() / 1000 * 1028));
        receiver.begin();
        assertThat(receiver.report().counts()).isEmpty();
    }

    @Test
    @Tag("long")
    void streamsAndRoundTripsGoBothWaysThroughBothRouters() {
        FlowReceiver receiver = FlowReceiver.start(testbed.delivery(1).second());
        testbed.bottleneck().first().host().run("tc", "qdisc", "add", "dev", testbed.bottleneck().first().name(), "root", "tbf", "rate", "50mbit",
                "burst", "15kb", "latency", "50ms");
        PacketCounter packets = testbed.egress().counter("iifname \"to-ingress\" ip dscp 10 tcp dport 7300");
        receiver.begin();
        Flows.stream(testbed.sender(2), receiver, 10, "cubic", 1.5).sent();
        FlowReport report = receiver.report();
        assertThat(report.rate(true, 10, 0.5, 1.4)).as("50 Mb/s less the headers of IP, TCP and Ethernet, and less where the sender had to wait for a processor")
                .isBetween(35e6, 49e6);
        assertThat(packets.count().bytes() / (double) packets.count().packets()).as("each packet by itself").isLessThanOrEqualTo(1500);
        Flows.Trips trips = Flows.trips(testbed.sender(1), receiver, 46, 50, 0.005);
        assertThat(trips.came()).isEqualTo(50);
        assertThat(trips.median()).isBetween(0.001, 20.0);
    }

    @Test
    void aTestbedWithoutASideIsRefused() {
        assertThatThrownBy(() -> QosTestbed.open(0, 1)).hasMessageContaining("1 to 32");
    }
}
