package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;

/** One peer asks for two thousand services that do not exist, all at once: each stream is refused, and everybody else is served. */
class AFloodOfTypeIdsTest {
    private static final int COUNT = 2000;
    private static final int FIRST = 0x6000;
    /** What a node remembers of services that it does not have. */
    private static final int REMEMBERED = 1024;

    /** The repository says that it has none of them, or says nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void costsNobodyElseAnything(boolean silent) throws Exception {
        try (Grid grid = Grid.withRepository(); FakeRepository mute = FakeRepository.silent(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> {
                if (silent) {
                    configuration.set("repositories", List.of(mute.url(), grid.repository().url()));
                }
                configuration.set("limits.repository-timeout", "500ms");
                configuration.set("limits.remember-failure", "1s");
                configuration.set("limits.streams-per-source", COUNT + 100);
            });
            NodeView view = new NodeView(node);
            List<AnepPeer> peers = new ArrayList<>();
            try (SteadyStream steady = new SteadyStream(node)) {
                long start = System.nanoTime();
                for (int i = 0; i < COUNT; i++) {
                    peers.add(new AnepPeer(node.address()).send(AnepPeer.opening(FIRST + i, AnepPeer.to(echo.port(), Delivery.RAW))));
                }
                long real = millisToOpen(node, echo);
                ErrorCode code = silent ? ErrorCode.REPOSITORY_UNREACHABLE : ErrorCode.UNKNOWN_SERVICE;
                for (AnepPeer peer : peers) {
                    assertThat(peer.refusal()).isIn(code, ErrorCode.BUSY);
                }
                long all = (System.nanoTime() - start) / 1_000_000;
                System.out.println("type ids: " + COUNT + " refused after " + all + " ms, a real service got after " + real + " ms, silent "
                        + silent);
                assertThat(all).as("until the last is refused").isLessThan(30_000);
                assertThat(real).as("until a stream of another peer has its service").isLessThan(15_000);
                view.awaitStreams(1);
                assertThat(view.directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(64 << 20);
                await().until(() -> Grid.admin(node).json("/services").path("services").size() <= REMEMBERED);
                assertThat(view.health()).isEqualTo(new com.fasterxml.jackson.databind.ObjectMapper().valueToTree(Map.of("status", "ok")));
                steady.undisturbed();
            } finally {
                for (AnepPeer peer : peers) {
                    peer.close();
                }
            }
        }
    }

    /** A service that the repository has and nobody has asked for yet. */
    private static long millisToOpen(Node node, TcpServer echo) throws IOException {
        long start = System.nanoTime();
        try (AnepPeer peer = new AnepPeer(node.address(), InetAddress.getByName("127.0.0.2"))) {
            peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.MONITORING, new byte[3]));
            assertThat(peer.receive().payloadLength()).isEqualTo(3);
            return (System.nanoTime() - start) / 1_000_000;
        }
    }
}
