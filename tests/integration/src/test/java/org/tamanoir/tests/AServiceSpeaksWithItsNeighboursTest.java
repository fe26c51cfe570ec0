package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.services.Mischief;
import org.tamanoir.tests.services.Neighbourly;

/** Datagrams that name no destination are for the node itself: they bring their service, and it answers, asks other nodes, and is upgraded. */
@Timeout(120)
@Tag("long")
class AServiceSpeaksWithItsNeighboursTest {
    private static final int TYPE = 0x5510;
    /** Datagrams that a socket with the usual buffer has room for. */
    private static final int AT_ONCE = 200;
    private static final long SESSION = 0x5510_0000_0000_0007L;

    @TempDir
    private Path folder;

    static ServiceBundle bundle(String version) {
        return new ServiceBundle("neighbourly", TYPE, "middle", Neighbourly.class).classes(Mischief.class).version(version)
                .header("Import-Package", "org.tamanoir.service,org.tamanoir.service.link,org.tamanoir.anep,io.netty.buffer");
    }

    static byte[] word(int typeId, long id, String word) {
        return AnepPeer.packet(new PacketBuilder(typeId).options(new PacketOptions().stream(id, 0)).payload(Unpooled.copiedBuffer(word, US_ASCII)));
    }

    /** Asks until there is an answer: the first datagrams bring the service. */
    static String ask(UdpPeer peer, String word) throws IOException {
        for (int attempt = 0; attempt < 100; attempt++) {
            peer.send(word(TYPE, SESSION, word));
            if (!peer.isSilent(200)) {
                Packet answer = Packet.of(Unpooled.wrappedBuffer(peer.last()));
                assertThat(answer.typeId()).as("%s", answer.options().error()).isEqualTo(TYPE);
                assertThat(answer.streamId()).isEqualTo(SESSION);
                return answer.payload().toString(US_ASCII);
            }
        }
        throw new SocketTimeoutException("no answer to " + word);
    }

    /** Two processes; each fetches the service when the other speaks to it. */
    @Test
    void theyAskEachOtherThroughNodesThatHaveTheServiceFromTheRepository() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            grid.push(bundle("1.0.0").in(grid.directory()));
            String repository = grid.repository().url();
            Path file = Files.writeString(folder.resolve("node.yaml"), "repositories: ['" + repository + "']\n");
            try (NodeProgram first = new NodeProgram(folder.resolve("first"), "--listen", "127.0.0.1:0", "--config", file.toString());
                    NodeProgram second = new NodeProgram(folder.resolve("second"), "--listen", "127.0.0.1:0", "--repository", repository,
                            "--link", text(first.address())); UdpPeer host = new UdpPeer(first.address())) {
                // Neighbours of each other: the one that was started first learns it from its file.
                Files.writeString(file, "repositories: ['" + repository + "']\nlinks: {neighbours: ['" + text(second.address()) + "']}\n");
                await().until(() -> first.admin().json("/links").path("neighbours").size() == 1);
                assertThat(ask(host, "around")).isEqualTo("here 1.0.0 from " + second.address().getPort());
                assertThat(host.lastSender()).as("who answers").isEqualTo(first.address());
                for (NodeProgram node : List.of(first, second)) {
                    JsonNode service = service(node);
                    assertThat(service.path("state").asText()).isEqualTo("active");
                    assertThat(service.path("source").asText()).isEqualTo(repository);
                    assertThat(service.path("streams").asInt()).isZero();
                    assertThat(service.path("packets").asInt()).isPositive();
                    JsonNode links = node.admin().json("/links");
                    assertThat(links.path("handlers")).hasSize(1);
                    assertThat(links.path("handlers").get(0).path("report").path("packets").asInt()).isEqualTo(service.path("packets").asInt());
                    assertThat(links.path("dropped").path("no-service").asInt()).as("the datagrams that came before the service").isPositive();
                    assertThat(links.path("packetsOut").asInt()).isPositive();
                    assertThat(node.admin().json("/status").path("streamsOpened").asInt()).as("streams").isZero();
                }
                try (UdpPeer other = new UdpPeer(second.address())) {
                    assertThat(ask(other, "around")).isEqualTo("here 1.0.0 from " + first.address().getPort());
                }
                Files.writeString(file, "repositories: ['" + repository + "']\nlinks: {interface: nonesuch0}\n");
                await().until(() -> first.admin().json("/status").path("health").path("configurationRefused").asText().startsWith("EE-604 links: "));
                assertThat(first.admin().json("/links").path("neighbours")).as("the configuration before stays").hasSize(1);
                String shown = CommandLineTool.run("node", "links", "--node", first.admin().base().toString()).output();
                assertThat(shown).contains("neighbours  " + text(second.address())).contains("no interface for them").containsPattern("neighbourly +1.0.0 +0 +\\{");
            }
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private static JsonNode service(NodeProgram node) {
        for (JsonNode service : node.admin().json("/services").path("services")) {
            if (service.path("name").asText().equals("neighbourly")) {
                return service;
            }
        }
        throw new AssertionError("no such service");
    }

    @Test
    void anUpgradeTakesOverWithTheNextDatagramAndTheVersionBeforeGoes() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            grid.push(bundle("1.0.0").in(grid.directory()));
            Node node = grid.node(configuration -> configuration.set("upgrade.probation", "0s"));
            NodeView view = new NodeView(node);
            try (UdpPeer host = new UdpPeer(node.address())) {
                assertThat(ask(host, "version")).isEqualTo("1.0.0");
                grid.push(bundle("2.0.0").in(grid.directory()));
                Grid.admin(node).post("/services/neighbourly/upgrade", Map.of());
                assertThat(ask(host, "version")).isEqualTo("2.0.0");
                await().until(() -> view.versions(TYPE).stream().map(version -> version.path("version").asText() + " " + version.path("state").asText())
                        .toList().equals(List.of("1.0.0 removed", "2.0.0 active")));
                Grid.admin(node).delete("/services/neighbourly");
                await().until(() -> view.service(TYPE).path("state").asText().equals("removed"));
                assertThat(Grid.admin(node).json("/links").path("handlers")).isEmpty();
                assertThat(ask(host, "version")).as("and it is got again").isEqualTo("2.0.0");
            }
        }
    }

    @Test
    void aServiceThatFailsTooOftenIsSuspendedAndComesBack() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            grid.push(bundle("1.0.0").in(grid.directory()));
            Node node = grid.node(configuration -> {
                configuration.set("limits.service-timeout", "300ms");
                configuration.set("policies.neighbourly.back-off", "4s");
            });
            NodeView view = new NodeView(node);
            try (UdpPeer host = new UdpPeer(node.address())) {
                assertThat(ask(host, "version")).isEqualTo("1.0.0");
                host.send(word(TYPE, SESSION, "loop"));
                assertThat(ask(host, "version")).as("after a call that did not return").isEqualTo("1.0.0");
                for (int i = 0; i < 9; i++) {
                    host.send(word(TYPE, SESSION, "throw"));
                }
                host.drain();
                await().until(() -> view.versions(TYPE).stream().anyMatch(version -> version.path("state").asText().equals("failed")));
                host.send(word(TYPE, SESSION, "version"));
                assertThat(host.refusal()).isEqualTo(ErrorCode.SERVICE_SUSPENDED);
                await().atMost(Duration.ofSeconds(20)).until(() -> view.service(TYPE).path("state").asText().equals("active"));
                host.drain();
                assertThat(ask(host, "version")).isEqualTo("1.0.0");
            }
        }
    }

    /** What names no destination and has no such service is refused, and bounded: made-up Type IDs keep nobody from being served. */
    @Test
    void whatNoServiceTakesIsRefused() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            grid.push(bundle("1.0.0").in(grid.directory()));
            Node node = grid.node();
            NodeView view = new NodeView(node);
            try (UdpPeer host = new UdpPeer(node.address()); UdpPeer destination = new UdpPeer()) {
                host.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(destination.port(), Delivery.ANEP).stream(9, 0)));
                destination.receive();
                host.send(word(Grid.FORWARD, 8, "nowhere"));
                assertThat(host.refusal()).as("a service for streams only").isEqualTo(ErrorCode.NO_DESTINATION);
                host.send(word(0x6000, 8, "nobody"));
                assertThat(host.refusal()).isEqualTo(ErrorCode.UNKNOWN_SERVICE);
                for (int sent = 1; sent <= 3000; sent++) {
                    host.send(word(0x6000 + sent, 8, "nobody"));
                    if (sent % AT_ONCE == 0 && sent < 3000) {
                        int all = sent;
                        await().until(() -> view.metric("tamanoir_link_dropped_total{reason=\"no-service\"}") > all);
                    }
                }
                try (UdpPeer other = new UdpPeer(node.address())) {
                    long start = System.nanoTime();
                    assertThat(ask(other, "version")).isEqualTo("1.0.0");
                    assertThat(System.nanoTime() - start).as("until somebody else is served").isLessThan(10_000_000_000L);
                }
                assertThat(view.status().path("streams").asInt()).as("streams").isEqualTo(1);
                await().untilAsserted(
                        () -> assertThat(view.metric("tamanoir_link_dropped_total{reason=\"no-service\"}")).isGreaterThan(3000));
                assertThat(view.health().path("status").asText()).isEqualTo("ok");
            }
        }
    }

    /** The operator's rules come first. */
    @Test
    void aRuleThatDropsThemLeavesNothingForTheService() throws Exception {
        Path file = Files.writeString(folder.resolve("node.yaml"), "rules: [{name: not-this, match: {type: 0x5510}, actions: [count, drop]}]\n");
        try (Grid grid = Grid.withRepository()) {
            grid.push(bundle("1.0.0").in(grid.directory()));
            Node node = grid.node(file);
            try (UdpPeer host = new UdpPeer(node.address())) {
                for (int i = 0; i < 5; i++) {
                    host.send(word(TYPE, SESSION, "version"));
                }
                await().until(() -> Grid.admin(node).json("/rules").path("rules").get(0).path("dropped").asInt() == 5);
                assertThat(host.isSilent(300)).isTrue();
                assertThat(new NodeView(node).service(TYPE).isMissingNode()).as("nothing was asked for").isTrue();
                Files.writeString(file, "rules: [{name: not-this, match: {type: 0x5510}, actions: [count]}]\n");
                assertThat(ask(host, "version")).isEqualTo("1.0.0");
            }
        }
    }

    /** A stream id belongs to one handler, and each of a node's event loops has one. */
    @Test
    void everyLoopHasAHandlerOfItsOwn() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            grid.push(bundle("1.0.0").in(grid.directory()));
            Node node = grid.node(configuration -> configuration.set("threads", 3));
            try (UdpPeer host = new UdpPeer(node.address())) {
                ask(host, "version");
                for (long id = 1; id <= 64; id++) {
                    host.send(word(TYPE, id, "nothing"));
                }
                Set<Integer> loops = new HashSet<>();
                await().until(() -> {
                    Grid.admin(node).json("/links").path("handlers").forEach(handler -> loops.add(handler.path("loop").asInt()));
                    return loops.equals(Set.of(0, 1, 2));
                });
                await().until(() -> {
                    int packets = 0;
                    for (JsonNode handler : Grid.admin(node).json("/links").path("handlers")) {
                        packets += handler.path("report").path("packets").asInt();
                    }
                    return packets == new NodeView(node).service(TYPE).path("packets").asInt();
                });
            }
        }
    }

    @Test
    void anInterfaceThatIsNotThereIsNamed() throws Exception {
        NodeConfiguration configuration = NodeConfiguration.of(Settings.none().set("links.interface", "nonesuch0"));
        assertThatThrownBy(configuration::linkSettings).isInstanceOf(AnepException.class)
                .hasMessageStartingWith("EE-604 links: there is no interface 'nonesuch0'; there are ");
        for (String[] bad : new String[][] {{"links: {ttl: 0}", "links.ttl: it is 0"}, {"links: {ttl: 256}", "from 1 to 255"},
            {"links: {neighbours: [nowhere]}", "links.neighbours[0]: it is 'nowhere'"}, {"links: {port: 1}", "links.port: there is no such key"}}) {
            Path file = Files.writeString(folder.resolve("node.yaml"), bad[0]);
            assertThatThrownBy(() -> NodeConfiguration.read(file)).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-501")
                    .hasMessageContaining(bad[1]);
        }
    }
}
