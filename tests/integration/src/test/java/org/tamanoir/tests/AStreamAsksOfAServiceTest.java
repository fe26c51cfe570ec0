package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.StreamParameter;
import org.tamanoir.node.Node;

/** What a source asks of a service comes to every node of the way, and what one cannot do is refused there. */
class AStreamAsksOfAServiceTest {
    private Grid grid;
    private TcpServer echo;
    private Node second;
    private Node first;

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        echo = TcpServer.echo();
        second = grid.node(configuration -> configuration.set("services.compression.algorithm", "gzip"));
        first = grid.nodeTo(second);
    }

    @AfterEach
    void stop() throws Exception {
        echo.close();
        grid.close();
    }

    private AnepPeer open(StreamParameter... parameters) throws IOException {
        return new AnepPeer(first.address()).send(AnepPeer.opening(Grid.COMPRESSION, AnepPeer.to(echo.port(), Delivery.RAW).parameters(List.of(parameters))));
    }

    private static StreamParameter level(int level) {
        return new StreamParameter(Grid.COMPRESSION, "level", Integer.toString(level));
    }

    /** zstd at the first node knows the level -3, gzip at the second does not. */
    @Test
    void bothNodesAreAsked() throws Exception {
        try (AnepPeer peer = open(level(9))) {
            peer.send(AnepPeer.data(Grid.COMPRESSION, new byte[1000]));
            assertThat(peer.receive().payloadLength()).isEqualTo(1000);
        }
        try (AnepPeer peer = open(level(-3))) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.BAD_PARAMETER);
        }
        assertThat(new NodeView(second).metric("tamanoir_errors_total{code=\"EE-110\"}")).as("refused by the second node").isEqualTo(1);
    }

    @Test
    void whatTheFirstCannotDoIsRefusedThere() throws Exception {
        List<StreamParameter[]> wrong = List.of(new StreamParameter[] {level(22)}, new StreamParameter[] {new StreamParameter(Grid.COMPRESSION, "levle", "9")},
                new StreamParameter[] {new StreamParameter(Grid.MONITORING, "level", "9")}, new StreamParameter[] {level(9), level(9)});
        for (StreamParameter[] parameters : wrong) {
            try (AnepPeer peer = open(parameters)) {
                assertThat(peer.refusal()).as("%s", List.of(parameters)).isEqualTo(ErrorCode.BAD_PARAMETER);
            }
        }
        assertThat(new NodeView(first).metric("tamanoir_errors_total{code=\"EE-110\"}")).isEqualTo(wrong.size());
        new NodeView(first).awaitStreams(0);
        assertThat(new NodeView(second).streams()).isEmpty();
    }
}
