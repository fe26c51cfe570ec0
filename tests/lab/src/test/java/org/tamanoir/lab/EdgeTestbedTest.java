package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("lab")
class EdgeTestbedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private EdgeTestbed testbed;

    @BeforeEach
    void open() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        testbed = EdgeTestbed.open();
    }

    @AfterEach
    void close() {
        if (testbed != null) {
            testbed.close();
        }
    }

    @Test
    void eachHostReachesItsNeighboursOnly() {
        String atA = echo(testbed.nodeA());
        String atServer = echo(testbed.server());
        assertThat(ask(testbed.client(), testbed.access().second().ipv4(), atA)).isEqualTo("ANSWER hello");
        assertThat(ask(testbed.nodeB(), testbed.delivery().second().ipv4(), atServer)).isEqualTo("ANSWER hello");
        assertThat(ask(testbed.client(), testbed.delivery().second().ipv4(), atServer)).startsWith("NO");
        assertThat(ask(testbed.nodeA(), testbed.delivery().second().ipv4(), atServer)).startsWith("NO");
    }

    @Test
    void asRoutersTheNodesCarryTcpFromClientToServerInBothFamilies() {
        testbed.forwardPackets();
        String port = echo(testbed.server());
        PacketCounter passing = testbed.nodeB().counter("tcp dport " + port);
        assertThat(ask(testbed.client(), testbed.delivery().second().ipv4(), port)).isEqualTo("ANSWER hello");
        long afterIpv4 = passing.count().packets();
        assertThat(afterIpv4).as("handshake, text and end went through node B").isGreaterThanOrEqualTo(4);
        assertThat(ask(testbed.client(), testbed.delivery().second().ipv6(), port)).isEqualTo("ANSWER hello");
        assertThat(passing.count().packets()).isGreaterThan(afterIpv4);
    }

    @Test
    void countersCountEveryPacketAndOctet() {
        testbed.forwardPackets();
        String port = receiver();
        PacketCounter arriving = testbed.server().counter("udp dport " + port);
        Port.Statistics before = testbed.delivery().second().statistics();
        send(port, 500, 100);
        // An IPv4 header of 20 octets, a UDP header of 8; an Ethernet header of 14 more at the interface.
        assertThat(arriving.count()).isEqualTo(new PacketCounter.Count(500, 500 * 128));
        Port.Statistics after = testbed.delivery().second().statistics();
        assertThat(after.rxPackets() - before.rxPackets()).isBetween(500L, 520L);
        assertThat(after.rxBytes() - before.rxBytes()).isBetween(500L * 142, 500L * 142 + 2_000);
    }

    @Test
    @Tag("long")
    void aLossOfThirtyPercentLosesAboutThat() {
        testbed.forwardPackets();
        LabProcess receiver = testbed.server().startJava(Probe.class, "receive");
        String port = receiver.awaitLine("PORT", PATIENCE).split(" ")[1];
        Loss loss = testbed.backbone().second().lose(0.3);
        send(port, 4_000, 100);
        long received = Long.parseLong(receiver.awaitLine("RECEIVED", PATIENCE).split(" ")[1]);
        // Binomial: the standard deviation is 29; 150 is five of them.
        assertThat(received).isBetween(2_800L - 150, 2_800L + 150);
        assertThat(received + loss.lost().packets()).isBetween(4_000L, 4_010L);
        loss.end();
        PacketCounter arriving = testbed.server().counter("udp dport " + port);
        send(port, 200, 100);
        assertThat(arriving.count().packets()).as("no loss once it has ended").isEqualTo(200);
    }

    private String echo(Host host) {
        return host.startJava(Probe.class, "echo").awaitLine("PORT", PATIENCE).split(" ")[1];
    }

    private String receiver() {
        return testbed.server().startJava(Probe.class, "receive").awaitLine("PORT", PATIENCE).split(" ")[1];
    }

    private void send(String port, int count, int size) {
        testbed.client().startJava(Probe.class, "send", testbed.delivery().second().ipv4().getHostAddress(), port,
                Integer.toString(count), Integer.toString(size)).awaitLine("SENT", PATIENCE);
    }

    private static String ask(Host from, InetAddress to, String port) {
        String line = from.startJava(Probe.class, "ask", to.getHostAddress(), port, "hello").awaitLine("", PATIENCE);
        return line;
    }
}
