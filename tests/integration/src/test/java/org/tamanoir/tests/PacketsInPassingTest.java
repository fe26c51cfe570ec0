package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;

/** ANEP packets to other hosts, which a node's host forwards as a router: the kernel counts and drops them by rule, and a node cannot. */
@Tag("lab")
@Timeout(60)
class PacketsInPassingTest {
    private static final String RULES = """
            rules:
            - {name: dropped, match: {type: 0x5600, passing: true}, actions: [count, drop]}
            - {name: counted, match: {type: 0x5601, passing: true}, actions: [count]}
            - {name: sent, match: {type: 0x5600}, actions: [count]}
            """;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "off"})
    void areCountedAndDroppedByTheKernelAlone(String use) throws Exception {
        boolean kernel = use.equals("auto");
        try (LightLab lab = new LightLab()) {
            LabNode node = lab.node("kernel: {use: " + use + "}\n" + RULES);
            if (kernel) {
                await().atMost(LightLab.PATIENCE).until(() -> node.rule("operator/dropped").path("runs").asText().equals("kernel"));
            } else {
                assertThat(node.rule("operator/dropped").path("runs").asText()).isEqualTo("nowhere");
                assertThat(node.rule("operator/dropped").path("because").asText()).startsWith("EE-605 only the kernel sees packets");
            }
            for (InetAddress to : List.of(lab.far().second().ipv4(), lab.far().second().ipv6())) {
                InetAddress from = to.getAddress().length == 4 ? lab.near().first().ipv4() : lab.near().first().ipv6();
                try (UdpPeer sender = new UdpPeer(lab.sender(), from, 0); UdpPeer receiver = new UdpPeer(lab.receiver(), to, LightLab.PORT)) {
                    InetSocketAddress there = new InetSocketAddress(to, LightLab.PORT);
                    sender.send(packet(0x5600), there);
                    // The first one over IPv6 waits for its neighbours, on a busy machine longer than what is dropped is waited for.
                    assertThat(receiver.isSilent(kernel ? 300 : 5000)).as("dropped on the way to %s", to).isEqualTo(kernel);
                    sender.send(packet(0x5601), there);
                    assertThat(receiver.receive()).as("counted").isEqualTo(packet(0x5601));
                    sender.send(packet(0x5602), there);
                    assertThat(receiver.receive()).as("of no rule").isEqualTo(packet(0x5602));
                }
            }
            assertThat(node.rule("operator/dropped").path("dropped").asInt()).isEqualTo(kernel ? 2 : 0);
            assertThat(node.rule("operator/dropped").path("packets").asInt()).isEqualTo(kernel ? 2 : 0);
            assertThat(node.rule("operator/counted").path("packets").asInt()).isEqualTo(kernel ? 2 : 0);
            assertThat(node.rule("operator/sent").path("packets").asInt()).as("what is sent to the node is another matter").isZero();
        }
    }

    private static byte[] packet(int type) {
        return AnepPeer.opening(type, AnepPeer.to("10.9.9.9", 9, Delivery.ANEP).hops(3));
    }
}
