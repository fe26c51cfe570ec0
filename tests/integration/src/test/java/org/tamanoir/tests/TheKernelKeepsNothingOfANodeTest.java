package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Command;

/** However a node ends, and whatever happens to its host meanwhile: no program, map, link, table, discipline or file of it stays. */
@Tag("lab")
@Timeout(120)
class TheKernelKeepsNothingOfANodeTest {
    /** Programs on tcx, XDP and netfilter, maps, and a table of nftables. */
    private static final String EVERYTHING = """
            kernel: {xdp: [to-sender]}
            rules:
            - {name: passing, match: {type: 0x5600, passing: true}, actions: [count, drop]}
            - {name: all, match: {type: 0x5500}, actions: [count, forward]}
            light: {listen: '0.0.0.0:3323', connections: [{name: one, to: '10.0.2.2:7000'}]}
            """;
    private static final String FORWARD = "rules: [{name: all, match: {type: 0x5500}, actions: [count, forward]}]\n";
    private static final String[] OLD_KERNEL = {"env", "TAMANOIR_NO_TCX=1"};
    /** The most that the kernel path may be away when an interface is back. */
    private static final Duration BACK = Duration.ofSeconds(2);

    private LightLab lab;
    private String before;

    @BeforeEach
    void start() throws IOException {
        lab = new LightLab();
        before = NothingOfTheKernel.of(lab.host());
    }

    @AfterEach
    void end() throws IOException {
        if (lab != null) {
            lab.close();
        }
    }

    /**
     * Orderly, by a kill, and as native code crashes. Whatever the end was, the next one finds its port and the name of its table free. At last one of two on
     * the same host ends: both look at the same packets of the same interfaces, and the end of one is nothing to the other.
     */
    @Test
    void afterEachSignal() throws Exception {
        LabNode node = lab.node(EVERYTHING).inKernel();
        for (Consumer<LabNode> ended : List.<Consumer<LabNode>>of(LabNode::end, LabNode::kill, LabNode::crash)) {
            LabNode now = node;
            await().atMost(LightLab.PATIENCE).until(() -> now.rule("operator/passing").path("runs").asText().equals("kernel"));
            await().atMost(LightLab.PATIENCE).untilAsserted(() -> assertThat(NothingOfTheKernel.of(lab.host()))
                    .contains("table inet tamanoir_3322").contains("prog/xdp"));
            Set<String> held = NothingOfTheKernel.of(now.pid());
            assertThat(held.stream().map(thing -> thing.split(" ")[0])).as("what a node holds").contains("prog", "map", "link");
            assertThat(NothingOfTheKernel.known()).as("what the kernel knows").containsAll(held);
            ended.accept(now);
            nothingIsLeft(now, held);
            node = lab.node(EVERYTHING).inKernel();
            carries(lab.near().second().ipv4().getHostAddress(), LightLab.PORT, node);
        }
        oneOfTwoEnds(node);
    }

    private void oneOfTwoEnds(LabNode first) throws Exception {
        LabNode second = LabNode.start(lab.host(), lab.directory().resolve("second"), LightLab.configuration("0.0.0.0:4322", FORWARD)).inKernel();
        Set<String> heldByFirst = NothingOfTheKernel.of(first.pid());
        Set<String> heldBySecond = NothingOfTheKernel.of(second.pid());
        String address = lab.near().second().ipv4().getHostAddress();
        carries(address, LightLab.PORT, first);
        carries(address, 4322, second);
        first.kill();
        NothingOfTheKernel.isLeft(heldByFirst);
        carries(address, 4322, second);
        second.end();
        nothingIsLeft(second, heldBySecond);
    }

    private void nothingIsLeft(LabNode node, Set<String> held) throws IOException {
        NothingOfTheKernel.isLeft(held);
        await().atMost(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(NothingOfTheKernel.of(lab.host())).isEqualTo(before));
        assertThat(node.temporaryFiles()).as("temporary files").isEmpty();
    }

    /** Without tcx the filter outlives a killed node; the next one takes its place, and leaves nothing. */
    @Test
    void afterAKillOnAnOldKernelAndTheNextStart() throws Exception {
        LabNode killed = LabNode.start(lab.host(), lab.directory().resolve("node"), lab.configuration(FORWARD), OLD_KERNEL).inKernel();
        // Interfaces are looked for while the node runs.
        await().atMost(LightLab.PATIENCE).until(() -> killed.kernel().path("interfaces").path("to-sender").asText().equals("clsact"));
        carries(lab.near().second().ipv4().getHostAddress(), LightLab.PORT, killed);
        killed.kill();
        assertThat(NothingOfTheKernel.of(lab.host())).as("the known exception").contains("clsact");

        LabNode next = LabNode.start(lab.host(), lab.directory().resolve("node"), lab.configuration(FORWARD), OLD_KERNEL).inKernel();
        carries(lab.near().second().ipv4().getHostAddress(), LightLab.PORT, next);
        Set<String> held = NothingOfTheKernel.of(next.pid());
        next.end();
        nothingIsLeft(next, held);
    }

    /** At last the neighbours go with their interfaces, and the name of the namespace; then the node does. */
    @Test
    void ofAnInterfaceThatComesBackAndOfANamespaceThatIsDeleted() throws Exception {
        LabNode node = lab.node(EVERYTHING).inKernel();
        Set<String> held = NothingOfTheKernel.of(node.pid());
        carries(lab.near().second().ipv4().getHostAddress(), LightLab.PORT, node);
        lab.host().ip("link", "delete", "dev", "to-sender");
        await().atMost(BACK).until(() -> !node.kernel().path("interfaces").has("to-sender"));

        lab.sender().ip("link", "add", "name", "to-node", "type", "veth", "peer", "name", "to-sender", "netns", lab.host().namespace());
        lab.host().ip("address", "add", "10.0.1.2/24", "dev", "to-sender");
        lab.sender().ip("address", "add", "10.0.1.1/24", "dev", "to-node");
        lab.sender().ip("link", "set", "dev", "to-node", "up");
        lab.host().ip("link", "set", "dev", "to-sender", "up");
        await().atMost(BACK).untilAsserted(() -> assertThat(node.kernel().path("interfaces").path("to-sender").asText()).isEqualTo("tcx, xdp"));
        carries("10.0.1.2", LightLab.PORT, node);
        lab.host().ip("link", "delete", "dev", "to-sender");
        lab.host().ip("link", "delete", "dev", "to-receiver");
        await().atMost(BACK).untilAsserted(() -> assertThat(node.kernel().path("interfaces")).isEmpty());
        Command.run(List.of("ip", "netns", "delete", lab.host().namespace()));
        node.kill();
        NothingOfTheKernel.isLeft(held);
        assertThat(node.temporaryFiles()).isEmpty();
    }

    /** Put by a change of the configuration, and taken away by the next one. */
    @Test
    @Tag("sweep")
    void ofTenThousandRules() throws Exception {
        LabNode node = lab.node(FORWARD).inKernel();
        Set<String> held = NothingOfTheKernel.of(node.pid());
        StringBuilder rules = new StringBuilder("rules:\n");
        for (int i = 0; i < 10_000; i++) {
            rules.append("- {name: r").append(i).append(", match: {source: 10.9.").append(i >> 8).append('.').append(i & 255)
                    .append("}, actions: [drop]}\n");
        }
        rules.append("- {name: all, match: {type: 0x5500}, actions: [count, forward]}\n");
        node.configure(lab.configuration(rules.toString()));
        await().atMost(LightLab.PATIENCE).until(() -> node.get("/rules").path("rules").size() == 10_001);
        assertThat(node.rule("operator/r9999").path("runs").asText()).isEqualTo("kernel");
        carries(lab.near().second().ipv4().getHostAddress(), LightLab.PORT, node);
        node.configure(lab.configuration(FORWARD));
        await().atMost(LightLab.PATIENCE).until(() -> node.get("/rules").path("rules").size() == 1);
        carries(lab.near().second().ipv4().getHostAddress(), LightLab.PORT, node);
        assertThat(node.kernel().path("used").asBoolean()).isTrue();
        assertThat(NothingOfTheKernel.of(node.pid())).as("descriptors").isEqualTo(held);
        node.end();
        nothingIsLeft(node, held);
    }

    /** A new stream: its first datagrams by the node, then by the kernel. */
    private void carries(String address, int port, LabNode node) throws Exception {
        try (UdpPeer sender = new UdpPeer(lab.sender(), InetAddress.getByName("0.0.0.0"), 0); UdpPeer receiver = lab.peerAtReceiver()) {
            byte[] datagram = AnepPeer.opening(0x5500, AnepPeer.to("10.0.2.2", receiver.port(), Delivery.ANEP).hops(4));
            InetSocketAddress to = new InetSocketAddress(address, port);
            long carried = node.done("forwarded");
            await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
                sender.send(datagram, to);
                assertThat(receiver.receive()).hasSize(datagram.length);
                assertThat(node.done("forwarded")).as("carried by the kernel: %s", node.kernelCounters()).isGreaterThanOrEqualTo(carried + 2);
            });
        }
    }
}
