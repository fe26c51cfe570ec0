package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;

/** The reflector of a node, as its configuration says, and as its operator sees it. */
class ANodeAnswersProbesTest {
    private static final int PROBE = 44;

    @Test
    void whereItSaysAndCountsThem() throws Exception {
        try (Grid grid = new Grid()) {
            NodeView view = new NodeView(node(grid, "auto"));
            String reflector = reflector(view);
            assertThat(reflector).startsWith("127.0.0.1:");
            int port = Integer.parseInt(reflector.substring(reflector.lastIndexOf(':') + 1));
            try (DatagramSocket tool = new DatagramSocket()) {
                tool.setSoTimeout(5000);
                tool.send(new DatagramPacket(new byte[PROBE], PROBE, InetAddress.getLoopbackAddress(), port));
                tool.send(new DatagramPacket(new byte[PROBE - 4], PROBE - 4, InetAddress.getLoopbackAddress(), port));
                DatagramPacket answer = new DatagramPacket(new byte[2 * PROBE], 2 * PROBE);
                tool.receive(answer);
                assertThat(answer.getLength()).isEqualTo(PROBE);
            }
            await().untilAsserted(() -> assertThat(view.metric("tamanoir_probes_refused_total{reason=\"malformed\"}")).isEqualTo(1));
            assertThat(view.metric("tamanoir_probes_answered_total")).isEqualTo(1);
            assertThat(view.status().path("probes").path("answered").asInt()).isEqualTo(1);
            // Another node of this machine gets another port, or does not start if it must have this one.
            assertThatThrownBy(() -> node(grid, reflector)).isInstanceOfSatisfying(AnepException.class,
                    error -> assertThat(error.code()).isEqualTo(ErrorCode.NO_PROBES)).hasMessageContaining(Integer.toString(port));
            assertThat(reflector(new NodeView(node(grid, "auto")))).startsWith("127.0.0.1:").isNotEqualTo(reflector);
            assertThat(reflector(new NodeView(node(grid, "none")))).isEqualTo("none");
        }
    }

    private static Node node(Grid grid, String listen) {
        return grid.node(configuration -> configuration.set("probes.listen", listen));
    }

    private static String reflector(NodeView view) {
        return view.status().path("probes").path("reflector").asText();
    }
}
