package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;

/** A node without a repository gets a service from the node that a stream comes from, or from a neighbour; what they send is checked. */
class AServiceFromTheNodeBeforeTest {
    private static void carries(Node first, TcpServer echo) throws Exception {
        try (AnepPeer peer = new AnepPeer(first.address())) {
            peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW)))
                    .send(AnepPeer.data(Grid.MONITORING, new byte[] {7})).finish();
            assertThat(peer.receive().payload().getByte(0)).isEqualTo((byte) 7);
        }
    }

    @Test
    void comesFromThereAndSoOnAlongThePath() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node last = grid.node(configuration -> configuration.set("repositories", List.of()));
            Node middle = grid.node(configuration -> {
                configuration.set("repositories", List.of());
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + last.address().getPort()));
            });
            Node first = grid.nodeTo(middle);
            carries(first, echo);
            assertThat(new NodeView(first).service(Grid.MONITORING).path("source").asText()).isEqualTo(grid.repository().url());
            assertThat(new NodeView(middle).service(Grid.MONITORING).path("source").asText()).isEqualTo("node " + codeServer(first));
            assertThat(new NodeView(last).service(Grid.MONITORING).path("source").asText()).isEqualTo("node " + codeServer(middle));
        }
    }

    private static String codeServer(Node node) {
        return new NodeView(node).status().path("codeServer").asText();
    }

    @Test
    void comesFromTheRepositoryWhereTheNodeBeforeServesNone() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node last = grid.node();
            Node first = grid.node(configuration -> {
                configuration.set("code", "none");
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + last.address().getPort()));
            });
            carries(first, echo);
            assertThat(new NodeView(last).service(Grid.MONITORING).path("source").asText()).isEqualTo(grid.repository().url());
        }
    }

    @Test
    void isPassedOverWhenANeighbourLies() throws Exception {
        byte[] garbage = "this is no jar".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo();
                FakeRepository liar = new FakeRepository(FakeRepository.text(FakeRepository.indexOf("monitoring", Grid.MONITORING, "middle",
                        FakeRepository.sha256(garbage), "bundles/x.jar", garbage.length)), FakeRepository.octets(new byte[garbage.length]))) {
            Node node = grid.node(configuration -> configuration.set("neighbours", List.of(liar.url().substring("http://".length()))));
            carries(node, echo);
            assertThat(liar.indexRequests()).as("the neighbour was asked first").isPositive();
            assertThat(new NodeView(node).service(Grid.MONITORING).path("source").asText()).isEqualTo(grid.repository().url());
            // And with nobody else to ask the stream is refused with what was wrong.
            Node alone = grid.node(configuration -> {
                configuration.set("repositories", List.of());
                configuration.set("neighbours", List.of(liar.url().substring("http://".length())));
            });
            try (AnepPeer peer = new AnepPeer(alone.address())) {
                peer.send(AnepPeer.opening(Grid.MONITORING, AnepPeer.to(echo.port(), Delivery.RAW)));
                assertThat(peer.refusal()).isEqualTo(ErrorCode.BUNDLE_HASH_MISMATCH);
            }
        }
    }
}
