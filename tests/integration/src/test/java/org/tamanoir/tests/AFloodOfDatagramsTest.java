package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.node.Node;

/** Half a million random datagrams, and as many good ones with a few octets changed: a stream beside them does not notice. */
@Tag("long")
class AFloodOfDatagramsTest {
    private static final long SEED = 20030610;
    private static final int RANDOM = 500_000;
    private static final int CHANGED = 50_000;

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void costsNobodyAnything(String io) throws IOException {
        int share = io.equals("epoll") ? 1 : 10;
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node(configuration -> {
                configuration.set("io", io);
                configuration.set("threads", 1);
                configuration.set("limits.datagram-idle", "1s");
                configuration.set("limits.streams-per-source", 100);
            });
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node); UdpPeer flood = new UdpPeer(node.address())) {
                long got = random(flood, view, RANDOM / share) + changed(flood, destination.port(), CHANGED / share);
                await().until(() -> view.status().path("packetsIn").asLong() > got / 10);
                steady.undisturbed();
            }
            assertThat(view.errors()).as("counted errors").isPositive();
            view.awaitStreams(0);
            assertThat(view.directMemory() - grid.directMemoryBefore()).isLessThan(96 << 20);
        }
    }

    private static long random(UdpPeer flood, NodeView view, int count) throws IOException {
        Random random = new Random(SEED);
        byte[] octets = new byte[1500];
        for (int i = 0; i < count; i++) {
            random.nextBytes(octets);
            // Half of them get past the first look.
            octets[0] = i % 2 == 0 ? 1 : octets[0];
            flood.send(octets, random.nextInt(200));
        }
        assertThat(view.streams().size()).as("streams that random octets opened").isLessThanOrEqualTo(1);
        return count;
    }

    private static long changed(UdpPeer flood, int port, int count) throws IOException {
        Random random = new Random(SEED + 1);
        byte[] good = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(port, Delivery.ANEP, Grid.MONITORING).checksum(false).timestamp(5).hops(9));
        for (int i = 0; i < count; i++) {
            byte[] octets = good.clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                octets[random.nextInt(octets.length)] = (byte) random.nextInt();
            }
            flood.send(octets, random.nextInt(10) == 0 ? random.nextInt(octets.length) : octets.length);
        }
        return count;
    }
}
