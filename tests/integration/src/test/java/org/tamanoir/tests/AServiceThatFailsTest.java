package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Mischief;

/** A service that throws, never returns or emits nonsense ends its own stream with the right code; a stream on the same loop goes on. */
@Tag("long")
class AServiceThatFailsTest {
    private static final int TYPE = 0x5500;
    private static final int TIMEOUT_MILLIS = 300;

    @ParameterizedTest
    @CsvSource({
        "open-throws, 306, middle", "open-null, 306, middle", "open-loops, 307, middle", "open-sleeps, 307, heavy",
        "packet-throws, 306, middle", "packet-throws, 306, heavy", "packet-throws-error, 306, light", "packet-null, 306, middle",
        "packet-exits, 306, middle", "packet-halts, 306, heavy",
        "packet-null, 306, heavy", "packet-loops, 307, middle", "packet-loops, 307, heavy", "packet-loops-and-catches, 307, middle",
        "packet-loops-in-the-jdk, 307, middle", "packet-sleeps, 307, middle", "packet-sleeps, 307, heavy", "packet-parks, 307, middle",
        "packet-emits-garbage, 308, middle", "packet-emits-garbage, 308, heavy", "packet-emits-a-part, 308, middle",
        "packet-emits-a-part, 308, heavy", "packet-emits-too-much, 308, middle", "packet-emits-released, 306, middle",
        "return-throws, 306, middle", "return-throws, 306, heavy", "end-throws, 306, middle", "end-loops, 307, heavy"})
    void endsItsOwnStreamOnly(String name, int code, String level) throws IOException {
        ErrorCode expected = ErrorCode.of(code);
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(new ServiceBundle(name, TYPE, level, Mischief.class).in(grid.directory()));
            Node node = grid.node(configuration -> {
                configuration.set("threads", 1);
                configuration.set("limits.service-timeout", TIMEOUT_MILLIS + "ms");
            });
            NodeView view = new NodeView(node);
            try (SteadyStream steady = new SteadyStream(node)) {
                for (int i = 1; i <= 2; i++) {
                    try (AnepPeer peer = new AnepPeer(node.address())) {
                        peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[100]));
                        if (name.startsWith("end")) {
                            peer.finish();
                        }
                        assertThat(peer.refusalAfterData()).isEqualTo(expected);
                        assertThat(peer.receive()).as("after its last word").isNull();
                    }
                    view.awaitErrors(expected, i);
                }
                view.awaitStreams(1);
                assertThat(view.errors()).as("errors of all kinds").isEqualTo(2);
                assertThat(view.service(TYPE).path("streams").asInt()).as("streams of the service").isZero();
                assertThat(view.service(TYPE).path("errors").asInt()).as("errors of the service").isEqualTo(2);
                assertThat(view.health().path("status").asText()).isEqualTo("ok");
                steady.undisturbed(TIMEOUT_MILLIS);
            }
        }
    }
}
