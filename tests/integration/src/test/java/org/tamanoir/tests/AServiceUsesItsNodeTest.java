package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Follows;
import org.tamanoir.tests.services.Means;

/** What a node offers a service besides streams: a partner that is replaced, a store, tasks, questions of operators, options that change. */
@Timeout(120)
@Tag("long")
class AServiceUsesItsNodeTest {
    private static final int TYPE = 0x5500;

    @TempDir
    private Path directory;

    private static ServiceBundle bundle(String name, int typeId) {
        return new ServiceBundle(name, typeId, "middle", Means.class);
    }

    private static JsonNode ask(Node node, String name, String question) {
        return Grid.admin(node).timeout(Duration.ofSeconds(15)).json("/services/" + name + "/inspect/" + question);
    }

    private static AnepPeer open(Node node, int port) throws Exception {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(port, Delivery.RAW)));
    }

    @Test
    void itsPartnerIsFetchedAndReplacedAndNoCallFails() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            grid.push(bundle("calls", TYPE).in(grid.directory()));
            grid.push(bundle("called", Means.PARTNER).in(grid.directory()));
            Node node = grid.node(configuration -> {
                configuration.set("limits.service-timeout", "500ms");
                // Until its probation is over a new version keeps the one before beside it.
                configuration.set("upgrade.probation", "3s");
            });
            NodeView view = new NodeView(node);
            AtomicBoolean over = new AtomicBoolean();
            try (AnepPeer peer = open(node, server.port())) {
                BufferedReader in = new BufferedReader(new InputStreamReader(server.next().getInputStream(), US_ASCII));
                var sending = Grid.async(() -> {
                    try {
                        while (!over.get()) {
                            peer.send(AnepPeer.data(TYPE, "call".getBytes(US_ASCII)));
                            Thread.sleep(1);
                        }
                        peer.finish();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                Set<String> said = new LinkedHashSet<>();
                for (String version : List.of("1.0.0", "1.1.0", "1.2.0")) {
                    if (!version.equals("1.0.0")) {
                        Grid.admin(node).put("/bundles", bundle("called", Means.PARTNER).version(version).in(grid.directory()));
                    }
                    for (String line = in.readLine(); !line.equals(version); line = in.readLine()) {
                        said.add(line);
                    }
                    said.add(version);
                }
                assertThat(view.versions(Means.PARTNER)).as("the version before waits for calls that are under way")
                        .anyMatch(one -> one.path("state").asText().equals("draining"));
                await().atMost(Duration.ofSeconds(10)).until(() -> view.versions(Means.PARTNER).stream()
                        .noneMatch(one -> one.path("state").asText().equals("draining")));
                over.set(true);
                sending.join();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    said.add(line);
                }
                assertThat(said).containsExactly("none", "1.0.0", "1.1.0", "1.2.0");
            }
            assertThat(view.errors()).isZero();
        }
    }

    @Test
    void whatItKeepsIsThereAfterARestart() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            grid.push(bundle("keeps", TYPE).in(grid.directory()));
            try (Node node = grid.again(configuration -> { })) {
                assertThat(grid.directory().resolve("node0/store")).as("of a node whose services keep nothing").doesNotExist();
                try (AnepPeer peer = open(node, server.port())) {
                    BufferedReader in = new BufferedReader(new InputStreamReader(server.next().getInputStream(), US_ASCII));
                    for (int i = 0; i < 20; i++) {
                        peer.send(AnepPeer.data(TYPE, ("key" + i % 4 + " " + i).getBytes(US_ASCII)));
                        assertThat(in.readLine()).isEqualTo("kept key" + i % 4);
                    }
                }
            }
            assertThat(grid.directory().resolve("node0/store/keeps.mv")).isNotEmptyFile();
            try (Node node = grid.again(configuration -> { })) {
                await().ignoreExceptions().untilAsserted(() -> assertThat(ask(node, "keeps", "all").path("kept").toString())
                        .isEqualTo("{\"key0\":\"16\",\"key1\":\"17\",\"key2\":\"18\",\"key3\":\"19\"}"));
            }
        }
    }

    @Test
    void operatorsAskItAndGetNoMoreThanItsTime() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node(configuration -> configuration.set("limits.service-timeout", "300ms"));
            HttpFetch admin = Grid.admin(node);
            admin.put("/bundles", bundle("keeps", TYPE).in(grid.directory()));
            admin.put("/bundles", Grid.bundle("forward"));
            JsonNode answer = ask(node, "keeps", "all?most=3&from=a%20b");
            assertThat(answer.path("asked").toString()).isEqualTo("{\"most\":\"3\",\"from\":\"a b\"}");
            assertThat(answer.path("node").asText()).isEqualTo(new NodeView(node).status().path("node").asText());
            assertThat(answer.path("port").asInt()).isEqualTo(node.address().getPort());
            assertThatThrownBy(() -> ask(node, "keeps", "nothing")).hasMessageContaining("EE-407");
            assertThatThrownBy(() -> ask(node, "nobody", "all")).hasMessageContaining("EE-407");
            assertThatThrownBy(() -> ask(node, "forward", "all")).hasMessageContaining("EE-407").hasMessageContaining("answers no questions");
            for (int i = 0; i < 8; i++) {
                assertThatThrownBy(() -> ask(node, "keeps", "hangs?for=ever")).hasMessageContaining("EE-307");
            }
            assertThat(ask(node, "keeps", "all").path("level").asInt()).isEqualTo(1);
        }
    }

    @Test
    void itFollowsTheTcpStreamsOfTheNode() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = grid.node(configuration -> { });
            Grid.admin(node).put("/bundles", new ServiceBundle("follows", TYPE, "middle", Follows.class).header("Import-Package", "org.tamanoir.service,org.tamanoir.service.tcp,org.tamanoir.anep")
                    .in(grid.directory()));
            Grid.admin(node).put("/bundles", Grid.bundle("forward"));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[1000]));
                String number = await().until(() -> new NodeView(node).streams(), streams -> !streams.isEmpty()).get(0).path("number").asText();
                await().atMost(Duration.ofSeconds(30)).until(() -> ask(node, "follows", "all").path("streams").path(number).asText().matches(server.port() + " Reason.*cause=source.*"));
                // It is cut.
                peer.socket().setSoLinger(true, 0);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> ask(node, "follows", "all").path("streams").toString().matches(".*ended \\d{4} EE-.*"));
        }
    }

    private static String yaml(int ticks, String keeps, String more) {
        return "services: {ticks: {level: " + ticks + "}, keeps: {" + keeps + "}}\nlimits: {service-timeout: 300ms}\n" + more;
    }

    @Test
    void itsOptionsChangeWhileItRunsAllOrNone() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), yaml(2, "level: 2", ""));
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node(file);
            NodeView view = new NodeView(node);
            Grid.admin(node).put("/bundles", bundle("keeps", TYPE).in(grid.directory()));
            Grid.admin(node).put("/bundles", bundle("ticks", TYPE + 5).in(grid.directory()));
            Files.writeString(file, yaml(3, "level: 3", ""));
            await().until(() -> level(node, "ticks") == 3 && level(node, "keeps") == 3);
            for (String bad : List.of(yaml(7, "level: 4", ""), yaml(4, "level: 10", ""), yaml(4, "level: 4, lebel: 5", ""))) {
                Files.writeString(file, bad + "routes: {127.0.0.0/8: '127.0.0.1:1'}\n");
                String named = bad.contains("lebel") ? "lebel" : bad.contains("10") ? "10" : "level is 7";
                await().untilAsserted(() -> assertThat(view.health().path("configurationRefused").asText()).contains("EE-501").contains(named));
                assertThat(level(node, "ticks")).as(bad).isEqualTo(3);
                assertThat(level(node, "keeps")).as(bad).isEqualTo(3);
                assertThat(Grid.admin(node).json("/routes").toString()).as("the rest stays too").doesNotContain("127.0.0.1:1");
            }
            Files.writeString(file, yaml(4, "level: 5", ""));
            await().until(() -> level(node, "ticks") == 4 && level(node, "keeps") == 5);
            assertThat(view.health().has("configurationRefused")).isFalse();

            int before = ask(node, "ticks", "all").path("ticks").asInt();
            await().until(() -> ask(node, "ticks", "all").path("ticks").asInt() > before + 20);
            Files.writeString(file, yaml(9, "level: 5", ""));
            await("a task that fails counts as a defect").until(() -> view.service(TYPE + 5).path("errors").asInt() == 1);
        }
    }

    private static int level(Node node, String name) {
        return ask(node, name, "all").path("level").asInt();
    }
}
