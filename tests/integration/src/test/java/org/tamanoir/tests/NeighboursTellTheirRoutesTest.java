package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;

/** Three nodes, each a process: the first has no route at all, and learns that the last one delivers. The node between them is nearer than the link past it. */
@Tag("long")
class NeighboursTellTheirRoutesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String FIRST = "127.0.41.1:33220";
    private static final String BETWEEN = "127.0.41.2:33220";
    private static final String LAST = "127.0.41.3:33220";
    private static final String NOWHERE = "192.0.2.0/24: direct";

    private Grid grid;
    private TcpServer echo;
    private final Map<String, NodeProgram> nodes = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        echo = TcpServer.echo();
        run(FIRST, NOWHERE, neighbour(BETWEEN, 1), neighbour(LAST, 10));
        run(BETWEEN, NOWHERE, neighbour(FIRST, 1), neighbour(LAST, 1));
        run(LAST, "127.0.0.0/8: direct", neighbour(BETWEEN, 1), neighbour(FIRST, 10));
    }

    @AfterEach
    void stop() throws IOException {
        nodes.values().forEach(NodeProgram::close);
        echo.close();
        grid.close();
    }

    private static String neighbour(String at, int cost) {
        return "    - {at: '" + at + "', tell: [127.0.0.0/8], believe: [127.0.0.0/8], cost: " + cost + "}\n";
    }

    private Path configuration(String listen) {
        return grid.directory().resolve(listen.substring(0, listen.indexOf(':')) + ".yaml");
    }

    private void write(String listen, String route, String... neighbours) throws IOException {
        Files.writeString(configuration(listen), "routes:\n  " + route + "\ntold-routes:\n  neighbours:\n" + String.join("", neighbours));
    }

    private void run(String listen, String route, String... neighbours) throws IOException {
        write(listen, route, neighbours);
        start(listen);
    }

    private void start(String listen) {
        nodes.put(listen, new NodeProgram(grid.directory().resolve("data-" + listen.substring(0, listen.indexOf(':'))), "--listen", listen, "--config", configuration(listen).toString(),
                "--repository", grid.repository().url()));
    }

    private JsonNode routes(String listen) {
        return nodes.get(listen).admin().json("/routes");
    }

    /** Where streams of the first node go. */
    private String next() {
        return routes(FIRST).path("told").path(0).path("to").asText();
    }

    private void streamIsAnswered() throws IOException {
        try (AnepPeer peer = new AnepPeer(nodes.get(FIRST).address())) {
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[100]));
            Packet answer = peer.receive();
            assertThat(answer.payloadLength()).as("%s; the node between: %s", answer.options().error(), nodes.get(BETWEEN).errors()).isEqualTo(100);
        }
    }

    @Test
    void andStreamsGoAnotherWayWhenTheNodeBetweenDies() throws Exception {
        await().atMost(SECOND.multipliedBy(10)).until(() -> next().equals(BETWEEN));
        JsonNode told = routes(FIRST).path("told").path(0);
        assertThat(told.path("prefix").asText()).isEqualTo("127.0.0.0/8");
        assertThat(told.path("metric").asInt()).isEqualTo(2);
        streamIsAnswered();

        nodes.get(BETWEEN).kill().exitCode();
        await().pollInterval(Duration.ofMillis(50)).atMost(SECOND.multipliedBy(2)).until(() -> next().equals(LAST));
        streamIsAnswered();

        start(BETWEEN);
        await().atMost(SECOND.multipliedBy(10)).until(() -> next().equals(BETWEEN));
        streamIsAnswered();
        // It says that it stops before it does: no stream is refused meanwhile.
        nodes.get(BETWEEN).terminate();
        for (int i = 0; i < 20; i++) {
            streamIsAnswered();
        }
        await().atMost(SECOND.multipliedBy(2)).until(() -> next().equals(LAST));
    }

    @Test
    void andNoLongerBelieveWhomTheyAreToldNotTo() throws Exception {
        await().atMost(SECOND.multipliedBy(10)).until(() -> next().equals(BETWEEN));
        write(FIRST, NOWHERE, neighbour(LAST, 10));
        await().atMost(SECOND.multipliedBy(5)).until(() -> next().equals(LAST));
        streamIsAnswered();
        Files.writeString(configuration(FIRST), "routes:\n  " + NOWHERE + "\n");
        await().atMost(SECOND.multipliedBy(5)).until(() -> next().equals("none") || routes(FIRST).path("told").isEmpty());
        assertThat(routes(FIRST).path("neighbours")).isEmpty();
    }
}
