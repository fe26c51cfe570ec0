package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.store.Documents.Format;
import org.tamanoir.paths.agenda.Run;
import org.tamanoir.paths.wire.SampleLine;

/** A booked flow is a stream like any other: it goes by the nodes that the routes say, which fetch its service, and ends at the node that it names. */
@Timeout(120)
class AFlowGoesByTheRoutesTest {
    private static final int THEODOLITE = 0x540A;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private ObservatoryServer observatory;
    private Grid grid;

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        observatory = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), grid.directory().resolve("observatory")));
        grid.push(Grid.bundle("theodolite"));
    }

    @AfterEach
    void stop() throws Exception {
        observatory.close();
        grid.close();
    }

    private Node theodolite(String name, Node next) {
        Node node = grid.node(configuration -> {
            configuration.set("services", Map.of("theodolite", Map.of("name", name, "observatory", observatory.url())));
            if (next != null) {
                configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + next.address().getPort()));
            }
        });
        Grid.admin(node).timeout(PATIENCE).post("/services/theodolite/upgrade", Map.of("version", "0.1.0", "dryRun", false));
        return node;
    }

    @Test
    void byANodeBetweenThatFetchesItsService() throws Exception {
        Node between = grid.node();
        theodolite("from", between);
        Node to = theodolite("to", null);
        Observatory asked = observatory.observatory();
        asked.putPlan(Format.YAML, """
                theodolites: {from: 127.0.0.1, to: 127.0.0.1}
                groups: {one: {from: [from], to: [to]}}
                tests: {flow: {tool: throughput, length: 1s, streams: 3}}
                tasks: {flow: {group: one, test: flow}}
                """, "test", null);
        await().atMost(PATIENCE).until(() -> asked.seen("from") > 0 && asked.seen("to") > 0);
        asked.ask("flow/be/from/to", PATIENCE.toMillis());
        SampleLine sample = await().atMost(PATIENCE).until(() -> asked.samples().after(0, 10), all -> !all.isEmpty()).get(0).line();
        await().atMost(PATIENCE).until(() -> asked.slots().view().past().stream().anyMatch(run -> run.state() == Run.State.DONE));
        assertThat(sample.values()).containsEntry("streams", 3.0);
        assertThat(new NodeView(between).service(THEODOLITE).path("state").asText()).as("fetched for the flow").isEqualTo("active");
        assertThat(new NodeView(between).service(THEODOLITE).path("streamsTotal").asLong()).isEqualTo(3);
        assertThat(Grid.admin(to).json("/services/theodolite/inspect/state").path("flows").path("received").asInt()).isEqualTo(3);
    }

    @Test
    void aStrangerIsRefusedWithAndWithoutATheodolite() throws Exception {
        Node without = grid.node();
        try (AnepPeer peer = new AnepPeer(without.address()).send(AnepPeer.opening(THEODOLITE, AnepPeer.to(without.address().getPort(), Delivery.ANEP)))) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.FORBIDDEN_DESTINATION);
        }
        Node with = theodolite("alone", null);
        await().atMost(PATIENCE).untilAsserted(() -> {
            try (AnepPeer peer = new AnepPeer(with.address()).send(AnepPeer.opening(THEODOLITE, AnepPeer.to(with.address().getPort(), Delivery.ANEP)))) {
                assertThat(peer.refusal()).isEqualTo(ErrorCode.NOT_AUTHORISED);
            }
        });
        try (AnepPeer peer = new AnepPeer(with.address()).send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(with.address().getPort(), Delivery.ANEP)))) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.FORBIDDEN_DESTINATION);
        }
    }
}
