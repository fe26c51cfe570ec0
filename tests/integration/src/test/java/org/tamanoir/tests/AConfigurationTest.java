package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.configuration.NodeConfiguration;

/** A configuration that makes no sense is refused with EE-501 and the name of the key, at the start and when the file changes. */
@Tag("long")
class AConfigurationTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "listen: nowhere | listen", "listen: 127.0.0.1:99999 | listen", "admin: 5 | admin", "lissen: 127.0.0.1:0 | lissen",
        "limits: {streams: 0} | streams", "limits: {streams: many} | streams", "limits: {hops: 256} | hops", "limits: {hopps: 1} | hopps",
        "limits: {packet-timeout: soon} | packet-timeout", "limits: {idle-timeout: 0s} | idle-timeout",
        "limits: {idle-timeout: 999999999h} | idle-timeout", "limits: {connect-timeout: 900h} | connect-timeout",
        "limits: {memory: 1000} | memory", "limits: {bundle-bytes: -5} | bundle-bytes",
        "limits: {service-timeout: 1} | service-timeout", "drain: ten | drain", "threads: 0 | threads", "io: magic | io",
        "routes: {10.0.0.0/8: } | 10.0.0.0/8", "routes: {10.0.0.0/99: direct} | 10.0.0.0/99", "routes: {10.0.0.0/8: next} | next",
        "routes: [10.0.0.0/8] | routes", "repositories: ['not a url'] | not a url", "repositories: [ftp://127.0.0.1/] | ftp://127.0.0.1/",
        "repositories: [null] | repositories", "probes: {rate: 0} | probes.rate",
        "probes: {rate: 1000001} | probes.rate", "probes: {listen: 862} | probes.listen", "services: {monitoring: } | monitoring", "services: {compression: {level: }} | compression",
        "'limits: [' | line", "'\"' | line"})
    void thatMakesNoSenseIsRefusedByName(String text, String named) throws IOException {
        Path file = Files.writeString(directory.resolve("node.yaml"), text);
        assertThatThrownBy(() -> NodeConfiguration.read(file)).isInstanceOfSatisfying(AnepException.class, error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
            assertThat(error.getMessage()).contains(named);
        });
    }

    private static String yaml(int streams, String route) {
        return "limits: {streams: " + streams + "}\nroutes: {127.0.0.0/8: '" + route + "'}\n";
    }

    private static void awaitLimit(NodeView view, int streams) {
        await().until(() -> view.status().path("limits").path("streams").asInt() == streams);
    }

    private static void awaitRefused(NodeView view, String named) {
        await().untilAsserted(() -> assertThat(view.health().path("configurationRefused").asText()).contains(named));
    }

    @Test
    void thatChangesIsInForceAtOnceAndABadOneLeavesTheOldInForce() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), yaml(5, "direct"));
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(file);
            NodeView view = new NodeView(node);
            byte[] opening = AnepPeer.opening(Grid.FORWARD, AnepPeer.to(echo.port(), Delivery.RAW));
            try (SteadyStream steady = new SteadyStream(node)) {
                Files.writeString(file, yaml(1, "127.0.0.1:1"));
                awaitLimit(view, 1);
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    assertThat(peer.refusal()).isEqualTo(ErrorCode.TOO_MANY_STREAMS);
                }
                for (String bad : new String[] {"routes: {127.0.0.0/8: }", "limits: {streams: x}", "a: b"}) {
                    Files.writeString(file, bad);
                    awaitRefused(view, bad.startsWith("routes") ? "127.0.0.0/8" : bad.startsWith("limits") ? "streams" : "a: there is no such key");
                    assertThat(view.status().path("limits").path("streams").asInt()).isEqualTo(1);
                }
                Files.writeString(file, yaml(6, "127.0.0.1:1"));
                awaitLimit(view, 6);
                assertThat(view.health().has("configurationRefused")).isFalse();
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    assertThat(peer.send(opening).refusal()).as("the new route leads nowhere").isEqualTo(ErrorCode.UNREACHABLE);
                }
                steady.undisturbed();
            }
        }
    }

    /** The second of two routes to one prefix is found when everything else has been looked at. */
    @Test
    void thatIsRefusedForItsLastPartHasChangedNoOther() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), "rules: [{name: old, match: {type: 0x5500}, actions: [count]}]\n" + yaml(5, "direct"));
        try (Grid grid = new Grid()) {
            Node node = grid.node(file);
            NodeView view = new NodeView(node);
            Files.writeString(file, "rules: [{name: new, match: {type: 0x5500}, actions: [drop]}]\nlimits: {streams: 6}\n"
                    + "routes: {127.0.0.0/8: direct, 127.1.2.3/8: '127.0.0.1:1'}\n");
            awaitRefused(view, "127.0.0.0/8");
            assertThat(Grid.admin(node).json("/rules").path("rules").findValuesAsText("name")).containsExactly("old");
            assertThat(Grid.admin(node).json("/routes").path("routes").path("127.0.0.0/8").asText()).isEqualTo("direct");
            assertThat(view.status().path("limits").path("streams").asInt()).isEqualTo(5);
        }
    }

    /** An editor empties a file before it writes it: nobody may take the moment between for a configuration without routes. */
    @Test
    void thatIsBeingWrittenIsNotReadYet() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), yaml(5, "direct"));
        try (Grid grid = new Grid()) {
            NodeView view = new NodeView(grid.node(file));
            for (int i = 0; i < 8; i++) {
                Files.writeString(file, "");
                Thread.sleep(110);
                Files.writeString(file, yaml(5, "direct"));
                assertThat(view.status().path("limits").path("streams").asInt()).as("change %d", i).isEqualTo(5);
                Thread.sleep(40);
            }
            Files.writeString(file, yaml(7, "direct"));
            awaitLimit(view, 7);
        }
    }
}
