package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;

/** Datagrams of a Type ID that nobody has, more than a thousand a second: XDP drops them, others do not notice, and it ends by itself. What a rule drops goes there too. */
@Tag("lab")
@Timeout(60)
class AFloodOfARefusedTypeTest {
    private static final int FLOOD = 0x57AA;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String CONFIGURATION = """
            kernel: {xdp: [to-sender]}
            rules:
            - {name: good, match: {type: 0x5500}, actions: [count, forward]}
            - {name: unwanted, match: {type: 0x5501, session: 7}, actions: [count, drop]}
            limits: {streams-per-source: 10000, datagram-idle: 1s}
            """;

    /** Wrong: who was told that his filter was in force missed what came by datagrams, for up to five seconds. */
    @Test
    void isDroppedNoMoreOnceThereIsAServiceForIt() throws Exception {
        try (LightLab lab = new LightLab(); UdpPeer flooding = lab.peerAtSender()) {
            LabNode node = lab.node(CONFIGURATION).inKernel();
            byte[] early = AnepPeer.opening(0x540D, AnepPeer.to("10.0.2.2", 9, Delivery.ANEP).hops(4));
            int sent = 0;
            for (; node.kernel().path("refused").isEmpty() && sent < 20_000; sent += 200) {
                for (int i = 0; i < 200; i++) {
                    flooding.send(early, lab.address());
                }
            }
            assertThat(node.kernel().path("refused")).as("after %d, %s", sent, node.errors()).hasSize(1);
            node.deploy(Grid.bundle("interest"));
            assertThat(node.kernel().path("refused")).isEmpty();
        }
    }

    @Test
    void isDroppedBeforeTheKernelMakesPacketsOfItAndLetThroughLater() throws Exception {
        try (LightLab lab = new LightLab(); UdpPeer sender = lab.peerAtSender(); UdpPeer receiver = lab.peerAtReceiver();
                UdpPeer flooding = lab.peerAtSender()) {
            LabNode node = lab.node(CONFIGURATION).inKernel();
            byte[] good = AnepPeer.opening(0x5500, AnepPeer.to("10.0.2.2", receiver.port(), Delivery.ANEP).hops(4));
            byte[] bad = AnepPeer.opening(FLOOD, AnepPeer.to("10.0.2.2", receiver.port(), Delivery.ANEP).hops(4));
            InetSocketAddress to = lab.address();
            byte[] unwanted = AnepPeer.opening(0x5501, AnepPeer.to("10.0.2.2", receiver.port(), Delivery.ANEP).hops(4).qosSession(7));
            for (int i = 0; i < 20; i++) {
                sender.send(unwanted, to);
            }
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(node.done("dropped-early")).as("by the rule, in XDP").isEqualTo(20));
            assertThat(node.metric("tamanoir_rule_packets_total{owner=\"operator\",rule=\"unwanted\"}")).isEqualTo(20);
            AtomicBoolean on = new AtomicBoolean(true);
            AtomicLong sent = new AtomicLong();
            CompletableFuture<Void> flood = Grid.async(() -> {
                try {
                    while (on.get() && sent.get() < 500_000) {
                        for (int i = 0; i < 50; i++) {
                            flooding.send(bad, to);
                        }
                        sent.addAndGet(50);
                        Thread.sleep(5);
                    }
                } catch (java.io.IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            try {
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(node.kernel().path("refused").toString()).as("after %s, %s", sent, node.errors())
                        .containsIgnoringCase("57aa"));
                assertThat(sent.get()).as("a thousand are a flood").isGreaterThanOrEqualTo(1000);
                // What came before the kernel refused it may still wait in the socket of a node that has to wait for a core.
                AtomicLong last = new AtomicLong(-1);
                await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
                    long now = node.status().path("packetsIn").asLong();
                    return last.getAndSet(now) == now;
                });
                long seen = last.get();
                long dropped = node.done("refused");
                long from = sent.get();
                for (int i = 0; i < 50; i++) {
                    sender.send(good, to);
                    assertThat(receiver.receive()).as("beside the flood").hasSize(good.length);
                    Thread.sleep(10);
                }
                long through = sent.get() - from;
                assertThat(node.done("refused") - dropped).as("dropped of %s", through).isGreaterThan(through * 9 / 10);
                assertThat(node.status().path("packetsIn").asLong() - seen).as("packets that the node has seen of it").isLessThan(through / 10 + 100);
            } finally {
                on.set(false);
                flood.join();
            }
            await().atMost(PATIENCE).until(() -> node.kernel().path("refused").isEmpty());
            flooding.drain();
            flooding.send(bad, to);
            Packet answer = Packet.of(io.netty.buffer.Unpooled.wrappedBuffer(flooding.receive()));
            assertThat(answer.typeId()).as("let through, and refused in words").isEqualTo(Anep.TYPE_ERROR);
        }
    }
}
