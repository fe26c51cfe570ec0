package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.lab.LabProcess;

/** Events by datagrams over a wire, to a node with XDP: those that nobody wants end there, without the node. Once somebody wants them they come up, and a kill leaves nothing. */
@Tag("lab")
@Timeout(90)
class AnUnwantedDatagramEndsInXdpTest {
    private static final int TYPE = 0x540D;
    private static final String CONFIGURATION = "kernel: {xdp: [to-sender]}\n";

    private static byte[] event(InetSocketAddress root, long number, String topic) {
        ByteBuf payload = Frames.numbered(Unpooled.buffer(), number).writeBytes(EventView.frame(topic, EventView.JSON, Long.toString(number).getBytes(UTF_8)));
        return AnepPeer.packet(new PacketBuilder(TYPE).flags(Anep.FLAG_DISCARD_UNKNOWN).payload(payload).options(AnepPeer.to(root.getAddress().getHostAddress(), root.getPort(), Delivery.ANEP)
                .hops(Anep.DEFAULT_HOPS).qosSession(TopicGroups.code(TopicGroups.space(root), TopicGroups.of(topic)))));
    }

    @Test
    void untilSomebodyWantsIt() throws Exception {
        try (LightLab lab = new LightLab(); UdpPeer publisher = lab.peerAtSender()) {
            String before = NothingOfTheKernel.of(lab.host());
            LabNode node = lab.node(CONFIGURATION).inKernel();
            node.deploy(Grid.bundle("interest"));
            InetSocketAddress root = lab.address();
            publisher.send(event(root, 0, "a"), root);
            await().atMost(LightLab.PATIENCE).until(() -> node.sum("tamanoir_interest_drop_rules") == TopicGroups.COUNT);
            long seen = node.status().path("packetsIn").asLong();
            for (int i = 1; i <= 100; i++) {
                publisher.send(event(root, i, "a"), root);
            }
            await().atMost(LightLab.PATIENCE).untilAsserted(() -> assertThat(node.done("dropped-early")).as("in XDP: %s", node.kernelCounters()).isEqualTo(100));
            assertThat(node.status().path("packetsIn").asLong()).as("packets that the node has seen").isEqualTo(seen);
            assertThat(node.sum("tamanoir_interest_datagrams_dropped_below_total")).isEqualTo(100);

            String at = root.getAddress().getHostAddress() + ":" + root.getPort();
            try (LabProcess subscriber = lab.receiver().start("subscribe", CommandLineTool.command("subscribe", "--via", at, "--to", at, "a", "--count", "1"))) {
                await().atMost(LightLab.PATIENCE).until(() -> subscriber.errors().contains("in force"));
                publisher.send(event(root, 101, "a"), root);
                assertThat(subscriber.awaitLine("{", Duration.ofSeconds(20))).contains("101");
            }
            publisher.send(event(root, 102, "b"), root);
            await().atMost(LightLab.PATIENCE).untilAsserted(() -> assertThat(node.done("dropped-early")).as("another topic").isEqualTo(101));

            Set<String> held = NothingOfTheKernel.of(node.pid());
            node.kill();
            NothingOfTheKernel.isLeft(held);
            await().atMost(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(NothingOfTheKernel.of(lab.host())).isEqualTo(before));
        }
    }
}
