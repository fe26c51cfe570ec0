package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Teller;

/** Versions of a service side by side: who gets which, and that nobody loses anything. */
class AnUpgradeTest {
    private static final int TYPE = Told.TYPE;

    private static Path teller(Grid grid, String version) {
        return Told.bundle(grid, version);
    }

    private static JsonNode upgrade(Node node, String version, boolean dryRun) {
        return Grid.admin(node).post("/services/teller/upgrade", dryRun ? Map.of("dryRun", true) : version == null ? Map.of()
                : Map.of("version", version));
    }

    private static List<String> states(NodeView view) {
        return view.versions(TYPE).stream().map(version -> version.path("version").asText() + " " + version.path("state").asText()
                + (version.path("current").asBoolean() ? " current" : "")).toList();
    }

    @Test
    void newStreamsGetTheNewVersionOldOnesStayAndStateIsHandedOver() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(teller(grid, "1.0.0"));
            Node node = grid.node(configuration -> configuration.set("upgrade.probation", "0s"));
            NodeView view = new NodeView(node);
            try (Told old = new Told(node, echo); SteadyStream steady = new SteadyStream(node)) {
                assertThat(old.ask()).isEqualTo("1.0.0 1");
                grid.push(teller(grid, "1.1.0"));
                JsonNode plan = upgrade(node, null, true);
                assertThat(plan.path("from").asText()).isEqualTo("1.0.0");
                assertThat(plan.path("to").asText()).isEqualTo("1.1.0");
                assertThat(plan.path("source").asText()).isEqualTo(grid.repository().url());
                assertThat(plan.path("streams")).hasSize(1);
                assertThat(plan.path("streams").get(0).path("version").asText()).isEqualTo("1.0.0");
                assertThat(states(view)).as("a dry run changes nothing").containsExactly("1.0.0 active current");
                assertThat(upgrade(node, null, false).path("to").asText()).isEqualTo("1.1.0");
                try (Told fresh = new Told(node, echo)) {
                    assertThat(fresh.ask()).as("it goes on counting").isEqualTo("1.1.0 2");
                    assertThat(old.version()).isEqualTo("1.0.0");
                    assertThat(states(view)).containsExactly("1.0.0 draining", "1.1.0 active current");
                    assertThat(view.total("tamanoir_teller_told_total")).isEqualTo(4);
                    assertThat(upgrade(node, null, false).path("to").isNull()).as("nothing is newer").isTrue();
                }
                steady.finish();
            }
            await().until(() -> states(view).equals(List.of("1.0.0 removed", "1.1.0 active current")));
        }
    }

    @Test
    void aVersionThatFailsItsFirstStreamsIsReplacedByTheOneBeforeIt() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(teller(grid, "1.0.0"));
            Node node = grid.node(configuration -> configuration.set("upgrade.failures", 3));
            NodeView view = new NodeView(node);
            try (Told old = new Told(node, echo)) {
                assertThat(old.version()).isEqualTo("1.0.0");
                grid.push(teller(grid, "6.6.6"));
                assertThat(upgrade(node, null, false).path("to").asText()).isEqualTo("6.6.6");
                for (int i = 0; i < 3; i++) {
                    try (AnepPeer victim = new AnepPeer(node.address())) {
                        victim.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[1]));
                        assertThat(victim.refusalAfterData()).isEqualTo(ErrorCode.SERVICE_ERROR);
                    }
                }
                await().until(() -> states(view).contains("1.0.0 active current"));
                try (Told fresh = new Told(node, echo)) {
                    assertThat(fresh.version()).isEqualTo("1.0.0");
                }
                assertThat(old.version()).isEqualTo("1.0.0");
                JsonNode bad = view.versions(TYPE).get(1);
                assertThat(bad.path("state").asText()).isEqualTo("failed");
                assertThat(bad.path("reason").asText()).contains("first").contains("EE-306").contains("1.0.0");
                assertThat(bad.path("advice").asText()).isNotEmpty();
                assertThat(upgrade(node, null, false).path("to").isNull()).as("it is not taken again by itself").isTrue();
            }
        }
    }

    @Test
    void aVersionThatDoesNotStartChangesNothing() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(teller(grid, "1.0.0"));
            Node node = grid.node(configuration -> configuration.set("limits.start-timeout", "3s"));
            try (Told old = new Told(node, echo)) {
                assertThat(old.version()).isEqualTo("1.0.0");
                grid.push(new ServiceBundle("teller", TYPE, "middle", org.tamanoir.tests.services.BornLooping.class)
                        .classes(org.tamanoir.tests.services.Mischief.class).version("1.1.0").in(grid.directory()));
                NodeView view = new NodeView(node);
                HttpFetch patient = Grid.admin(node).timeout(Duration.ofSeconds(60));
                assertThatThrownBy(() -> patient.post("/services/teller/upgrade", Map.of())).hasMessageContaining("EE-305");
                try (Told fresh = new Told(node, echo)) {
                    assertThat(fresh.version()).isEqualTo("1.0.0");
                }
                assertThat(states(view)).containsExactly("1.0.0 active current", "1.1.0 failed");
            }
        }
    }

    @Test
    void oldStreamsEndWithACodeWhenTheTimeToDrainIsOver() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(teller(grid, "1.0.0"));
            Node node = grid.node(configuration -> {
                configuration.set("upgrade.drain", "300ms");
                configuration.set("upgrade.probation", "0s");
            });
            try (AnepPeer old = new AnepPeer(node.address())) {
                old.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
                new NodeView(node).awaitStreams(1);
                grid.push(teller(grid, "1.1.0"));
                await().until(() -> !new NodeView(node).versions(TYPE).isEmpty());
                upgrade(node, null, false);
                assertThat(old.refusalAfterData()).isEqualTo(ErrorCode.SERVICE_REMOVED);
            }
            await().until(() -> states(new NodeView(node)).contains("1.0.0 removed"));
        }
    }

    @Test
    void aRoutePinsAVersionWhileOthersGetTheNewest() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(teller(grid, "1.0.0"));
            grid.push(teller(grid, "1.1.0"));
            Node node = grid.node(configuration -> configuration.set("pins", Map.of("127.0.0.1/32", Map.of("teller", "1.0.0"))));
            try (Told pinned = new Told(node, echo); Told free = new Told(node, "127.0.0.2", echo)) {
                assertThat(pinned.version()).isEqualTo("1.0.0");
                assertThat(free.version()).isEqualTo("1.1.0");
                assertThat(states(new NodeView(node))).containsExactlyInAnyOrder("1.0.0 active", "1.1.0 active current");
                Grid.admin(node).delete("/pins?prefix=127.0.0.1/32&service=teller");
                try (Told unpinned = new Told(node, echo)) {
                    assertThat(unpinned.version()).isEqualTo("1.1.0");
                }
                assertThat(pinned.version()).as("an open stream stays").isEqualTo("1.0.0");
                assertThat(states(new NodeView(node))).contains("1.0.0 draining");
            }
        }
    }

    @Test
    void whatIsPushedToANodeRunsAndARestartKeepsWhatWasChosen() throws Exception {
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo()) {
            try (Node node = grid.again(configuration -> { })) {
                HttpFetch admin = Grid.admin(node);
                assertThat(admin.put("/bundles?dry-run=true", teller(grid, "2.0.0")).path("to").asText()).isEqualTo("2.0.0");
                assertThat(new NodeView(node).versions(TYPE)).isEmpty();
                JsonNode deployed = admin.put("/bundles", teller(grid, "2.0.0"));
                assertThat(deployed.path("state").asText()).isEqualTo("active");
                assertThat(deployed.path("source").asText()).isEqualTo("pushed");
                admin.put("/bundles", teller(grid, "1.0.0"));
                try (Told told = new Told(node, echo)) {
                    assertThat(told.version()).as("what the operator wants, older or not").isEqualTo("1.0.0");
                }
                byte[] other = new ServiceBundle("teller", TYPE, "middle", Teller.class).version("1.0.0").header("Bundle-Vendor", "x").octets();
                Path file = Files.write(grid.directory().resolve("other.jar"), other);
                assertThatThrownBy(() -> admin.put("/bundles", file)).hasMessageContaining("EE-404");
                Path thief = new ServiceBundle("thief", TYPE, "middle", Teller.class).in(grid.directory());
                assertThatThrownBy(() -> admin.put("/bundles", thief)).hasMessageContaining("EE-403");
            }
            try (Node node = grid.again(configuration -> { })) {
                await().until(() -> states(new NodeView(node)).equals(List.of("1.0.0 active current")));
                try (Told told = new Told(node, echo)) {
                    assertThat(told.version()).isEqualTo("1.0.0");
                }
                Grid.admin(node).delete("/services/teller");
                await().until(() -> states(new NodeView(node)).equals(List.of("1.0.0 removed")));
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
                    assertThat(peer.refusal()).as("the store has forgotten it too").isEqualTo(ErrorCode.UNKNOWN_SERVICE);
                }
            }
        }
    }

    @Test
    void everyStepIsAnEventThatWhoeverListensHears() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(teller(grid, "1.0.0"));
            Node node = grid.node();
            try (Told told = new Told(node, echo)) {
                told.ask();
            }
            List<String> heard = new ArrayList<>();
            try (EventFeed feed = Grid.admin(node).events("/events")) {
                grid.push(teller(grid, "1.1.0"));
                upgrade(node, null, false);
                while (!heard.contains("1.0.0 draining")) {
                    JsonNode change = new ObjectMapper().readTree(feed.next().data());
                    if (change.path("name").asText().equals("teller")) {
                        heard.add(change.path("version").asText() + " " + change.path("to").asText());
                    }
                }
            }
            assertThat(heard).containsSubsequence("1.0.0 fetching", "1.0.0 verifying", "1.0.0 installing", "1.0.0 active", "1.1.0 fetching",
                    "1.1.0 verifying", "1.1.0 installing", "1.1.0 active", "1.0.0 draining");
        }
    }
}
