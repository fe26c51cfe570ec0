package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;
import org.tamanoir.tests.services.Faulty;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.testing.Signers;

/** A node takes what current metadata of its repository lists, and nothing else, whoever offers it; and what it runs goes on when it knows nothing new. */
@Tag("long")
class ANodeFollowsMetadataTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "counted";
    private static final byte[] ONE = MetadataRepository.bundle(NAME, TYPE, "1.0.0");
    private static final byte[] TWO = MetadataRepository.bundle(NAME, TYPE, "2.0.0");

    /** A configuration with these repositories, all of them of one root. */
    private static void following(Settings settings, Path root, String... urls) {
        settings.set("repositories", Arrays.stream(urls).map(url -> Map.of("url", url, "tuf", root.toString())).toList());
        settings.set("limits.remember-failure", "100ms").set("limits.repository-timeout", "5s").set("limits.node-timeout", "1s");
    }

    /** The same, and one that is slow is given up after a second. */
    private static void impatient(Settings settings, Path root, String... urls) {
        following(settings, root, urls);
        settings.set("limits.repository-timeout", "1s");
    }

    private static Node node(Grid grid, MetadataRepository repository) throws IOException {
        Path root = repository.root(grid.directory());
        return grid.node(settings -> following(settings, root, repository.url()));
    }

    private static AnepPeer open(Node node, TcpServer echo, int type, FakeRepository previous) throws IOException {
        PreviousNode named = previous == null ? null : new PreviousNode(99, port(previous.url()));
        return new AnepPeer(node.address()).send(AnepPeer.opening(type, AnepPeer.to(echo.port(), Delivery.RAW).previousNode(named)));
    }

    private static int port(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
    }

    /** The version that a stream gets. */
    private static String served(Node node, TcpServer echo, int type) throws IOException {
        try (AnepPeer peer = open(node, echo, type, null)) {
            peer.send(AnepPeer.data(type, new byte[] {1, 2, 3}));
            assertThat(peer.receive().payloadLength()).isEqualTo(3);
        }
        return new NodeView(node).service(type).path("version").asText();
    }

    private static ErrorCode refused(Node node, TcpServer echo, int type, FakeRepository previous) throws IOException {
        try (AnepPeer peer = open(node, echo, type, previous)) {
            return peer.refusal();
        }
    }

    private static String problem(Node node, MetadataRepository repository) {
        return new NodeView(node).health().path("tuf").path(repository.url()).asText("none");
    }

    private static void awaitProblem(Node node, MetadataRepository repository, ErrorCode code) {
        await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> assertThat(problem(node, repository)).startsWith(code.toString()));
    }

    private static long timestamp(Node node) {
        return new NodeView(node).status().path("tuf").path(0).path("timestamp").asLong();
    }

    private static void awaitTimestamp(Node node, MetadataRepository repository) {
        long newest = Metadata.timestamp(repository.served().get("timestamp.json")).signed().version();
        await().atMost(Duration.ofSeconds(15)).until(() -> timestamp(node) == newest);
    }

    @Test
    void takesTargetsAndNothingThatIsNone() throws Exception {
        byte[] hidden = MetadataRepository.bundle("hidden", TYPE + 1, "1.0.0");
        byte[] other = MetadataRepository.bundle(NAME, TYPE, "9.0.0");
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE).index("hidden", TYPE + 1, hidden); TcpServer echo = TcpServer.echo();
                FakeRepository before = before(NAME, other); FakeRepository same = before(NAME, ONE); FakeRepository stranger = before("hidden", hidden)) {
            Node node = node(grid, repository);
            // What the index has is not asked for.
            assertThat(refused(node, echo, TYPE + 1, null)).isEqualTo(ErrorCode.UNKNOWN_SERVICE);
            // A peer has a newer version that nobody lists, or another service.
            assertThat(served(node, echo, TYPE)).isEqualTo("1.0.0");
            await().untilAsserted(() -> assertThat(refused(node, echo, TYPE + 1, stranger)).isEqualTo(ErrorCode.NOT_A_TARGET));
            Node second = grid.node(settings -> following(settings, grid.directory().resolve("root.json"), repository.url()));
            try (AnepPeer peer = open(second, echo, TYPE, before)) {
                peer.send(AnepPeer.data(TYPE, new byte[] {1}));
                assertThat(peer.receive().payloadLength()).isEqualTo(1);
            }
            assertThat(new NodeView(second).service(TYPE).path("version").asText()).isEqualTo("1.0.0");
            // What a peer has is taken if it is the target, and the repository is not asked for it.
            int asked = repository.targetRequests();
            Node third = grid.node(settings -> following(settings, grid.directory().resolve("root.json"), repository.url()));
            awaitTimestamp(third, repository);
            try (AnepPeer peer = open(third, echo, TYPE, same)) {
                peer.send(AnepPeer.data(TYPE, new byte[] {1}));
                assertThat(peer.receive().payloadLength()).isEqualTo(1);
            }
            assertThat(new NodeView(third).service(TYPE).path("source").asText()).startsWith("node ");
            assertThat(repository.targetRequests()).isEqualTo(asked);
            await().until(() -> repository.notModified() > 0);
            assertThat(new NodeView(third).metric("tamanoir_tuf_expires_seconds{repository=\"" + repository.url() + "\",role=\"timestamp\"}")).isBetween(80_000.0, 86_400.0);
        }
    }

    private static FakeRepository before(String name, byte[] bundle) throws IOException {
        int type = name.equals(NAME) ? TYPE : TYPE + 1;
        return new FakeRepository(FakeRepository.text(FakeRepository.indexOf(name, type, "middle", Hashes.sha256(bundle), "bundle.jar", bundle.length)), FakeRepository.octets(bundle));
    }

    /** A new version is there for those who ask for it, and what is retired is not taken any more. */
    @Test
    @Tag("sweep")
    void followsWhatIsPublishedWithinSeconds() throws Exception {
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE); TcpServer echo = TcpServer.echo()) {
            Node node = node(grid, repository);
            assertThat(served(node, echo, TYPE)).isEqualTo("1.0.0");
            repository.target(NAME, TYPE, "2.0.0", TWO);
            Instant published = Instant.now();
            awaitTimestamp(node, repository);
            assertThat(Duration.between(published, Instant.now())).isLessThan(Duration.ofSeconds(5));
            assertThat(upgrade(node, null)).isEqualTo("2.0.0");
            repository.metadata.change("grid", draft -> draft.removeTarget(NAME + "/1.0.0.jar"));
            repository.publish();
            awaitTimestamp(node, repository);
            Grid.admin(node).delete("/services/" + NAME);
            assertThat(served(node, echo, TYPE)).isEqualTo("2.0.0");
        }
    }

    private static String upgrade(Node node, String version) {
        Map<String, Object> question = new TreeMap<>(Map.of("dryRun", false));
        if (version != null) {
            question.put("version", version);
        }
        Grid.admin(node).timeout(Duration.ofSeconds(20)).post("/services/" + NAME + "/upgrade", question);
        return new NodeView(node).service(TYPE).path("version").asText();
    }

    /** Somebody serves an old state to a node that has just started and knows a newer one. */
    @Test
    void isNotTakenBackToAnOldState() throws Exception {
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE); TcpServer echo = TcpServer.echo()) {
            Map<String, byte[]> old = repository.served();
            repository.target(NAME, TYPE, "2.0.0", TWO);
            Path root = repository.root(grid.directory());
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url())))) {
                awaitTimestamp(node.node, repository);
            }
            repository.serve(old);
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url())))) {
                awaitProblem(node.node, repository, ErrorCode.METADATA_ROLLBACK);
                // What is known is current until it expires.
                assertThat(served(node.node, echo, TYPE)).isEqualTo("2.0.0");
            }
        }
    }

    /** Nobody brings anything new: what runs goes on, and starts again after a restart; nothing new is taken. */
    @Test
    void goesOnWithWhatItHasWhenMetadataHasExpired() throws Exception {
        byte[] other = MetadataRepository.bundle("other", TYPE + 1, "1.0.0");
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE).target("other", TYPE + 1, "1.0.0", other);
                TcpServer echo = TcpServer.echo(); FakeRepository peer = before("other", other)) {
            Path root = repository.root(grid.directory());
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url()))); AnepPeer open = open(node.node, echo, TYPE, null)) {
                open.send(AnepPeer.data(TYPE, new byte[] {1}));
                assertThat(open.receive().payloadLength()).isEqualTo(1);
                repository.metadata.timestamp(90, Instant.now().plusSeconds(4));
                repository.publish();
                awaitTimestamp(node.node, repository);
                awaitProblem(node.node, repository, ErrorCode.METADATA_EXPIRED);
                assertThat(new NodeView(node.node).health().path("status").asText()).isEqualTo("degraded");
                assertThat(new NodeView(node.node).metric("tamanoir_tuf_expires_seconds{repository=\"" + repository.url() + "\",role=\"timestamp\"}")).isNegative();
                open.send(AnepPeer.data(TYPE, new byte[] {1, 2}));
                assertThat(open.receive().payloadLength()).isEqualTo(2);
                assertThat(served(node.node, echo, TYPE)).isEqualTo("1.0.0");
                assertThat(refused(node.node, echo, TYPE + 1, null)).isEqualTo(ErrorCode.METADATA_EXPIRED);
                await().untilAsserted(() -> assertThat(refused(node.node, echo, TYPE + 1, peer)).isEqualTo(ErrorCode.METADATA_EXPIRED));
                assertThat(peer.bundleRequests()).isZero();
            }
            repository.instead(FakeRepository.status(503));
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url())))) {
                assertThat(served(node.node, echo, TYPE)).isEqualTo("1.0.0");
                assertThat(refused(node.node, echo, TYPE + 1, peer)).isEqualTo(ErrorCode.METADATA_EXPIRED);
                repository.metadata.timestamp();
                repository.instead(null).publish();
                await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> assertThat(problem(node.node, repository)).isEqualTo("none"));
                await().untilAsserted(() -> assertThat(served(node.node, echo, TYPE + 1)).isEqualTo("1.0.0"));
            }
        }
    }

    /** What a node knew is damaged: it says so, takes nothing new, and does not begin anew. */
    @Test
    void refusesAStateThatIsDamaged() throws Exception {
        byte[] other = MetadataRepository.bundle("other", TYPE + 1, "1.0.0");
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE).target("other", TYPE + 1, "1.0.0", other); TcpServer echo = TcpServer.echo()) {
            Path root = repository.root(grid.directory());
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url())))) {
                assertThat(served(node.node, echo, TYPE)).isEqualTo("1.0.0");
            }
            Path state;
            try (Stream<Path> all = Files.walk(grid.directory().resolve("node0/tuf"))) {
                state = all.filter(file -> file.toString().endsWith(".timestamp.json")).findFirst().orElseThrow();
            }
            byte[] octets = Files.readAllBytes(state);
            byte[] damaged = octets.clone();
            damaged[100] ^= 1;
            Files.write(state, damaged);
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url())))) {
                awaitProblem(node.node, repository, ErrorCode.METADATA_DAMAGED);
                assertThat(served(node.node, echo, TYPE)).isEqualTo("1.0.0");
                assertThat(refused(node.node, echo, TYPE + 1, null)).isEqualTo(ErrorCode.METADATA_DAMAGED);
                assertThat(Files.readAllBytes(state)).isEqualTo(damaged);
            }
            Files.write(state, octets);
            try (Closing node = new Closing(grid.again(settings -> following(settings, root, repository.url())))) {
                assertThat(served(node.node, echo, TYPE + 1)).isEqualTo("1.0.0");
            }
        }
    }

    /** A mirror that serves nonsense, another's metadata, or nothing at all costs no more than the way to the next one. */
    @Test
    @Tag("sweep")
    void asksTheNextMirrorIfOneIsOfNoUse() throws Exception {
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE); MetadataRepository foreign = new MetadataRepository();
                MetadataRepository slow = new MetadataRepository(); TcpServer echo = TcpServer.echo()) {
            Path root = repository.root(grid.directory());
            slow.instead(slow.drip());
            foreign.target(NAME, TYPE, "9.0.0", TWO);
            Node node = grid.node(settings -> impatient(settings, root, slow.url(), foreign.url(), repository.url()));
            assertThat(served(node, echo, TYPE)).isEqualTo("1.0.0");
            assertThat(problem(node, slow)).isEqualTo("none");
            // The first answers with good metadata, and with other content for the target.
            byte[] wrong = new byte[TWO.length];
            Node second = grid.node(settings -> impatient(settings, root, slow.url(), repository.url()));
            repository.target(NAME, TYPE, "2.0.0", TWO);
            slow.serve(repository.served()).instead(exchange -> {
                byte[] octets = repository.served().get(exchange.getRequestURI().getPath().replaceFirst("/tuf/", ""));
                FakeRepository.Answer answer = octets != null ? FakeRepository.octets(octets) : exchange.getRequestURI().getPath().contains("targets/counted") ? FakeRepository.octets(wrong)
                        : FakeRepository.status(404);
                answer.to(exchange);
            });
            awaitTimestamp(second, repository);
            assertThat(served(second, echo, TYPE)).isEqualTo("2.0.0");
        }
    }

    /** The list of what is no longer trusted comes with the metadata, and stays when it is taken out. */
    @Test
    void takesTheListOfWhatIsRevoked() throws Exception {
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository(); TcpServer echo = TcpServer.echo()) {
            Keyring keyring = new Keyring(grid.directory()).add("alice");
            byte[] signed = keyring.signed(new ServiceBundle(NAME, TYPE, "middle", Faulty.class), "alice");
            repository.target(NAME, TYPE, "1.0.0", signed);
            Path trust = Files.writeString(grid.directory().resolve("publishers.pem"), keyring.certificate("alice"));
            Path root = repository.root(grid.directory());
            try (Closing node = new Closing(grid.again(settings -> signed(settings, trust, root, repository))); AnepPeer open = open(node.node, echo, TYPE, null)) {
                open.send(AnepPeer.data(TYPE, new byte[] {1}));
                assertThat(open.receive().payloadLength()).isEqualTo(1);
                repository.revoke("serial 1\nkey " + keyring.key("alice") + "\n");
                Instant revoked = Instant.now();
                assertThat(open.refusal()).isEqualTo(ErrorCode.SERVICE_REMOVED);
                assertThat(Duration.between(revoked, Instant.now())).isLessThan(Duration.ofSeconds(8));
                assertThat(refused(node.node, echo, TYPE, null)).isEqualTo(ErrorCode.REVOKED);
            }
            repository.metadata.change(RoleName.TARGETS, draft -> draft.removeTarget("revoked.txt"));
            repository.publish();
            try (Stream<Path> all = Files.walk(grid.directory().resolve("node0/tuf"))) {
                for (Path file : all.filter(each -> each.getFileName().toString().equals("revoked.txt")).toList()) {
                    Files.delete(file);
                }
            }
            try (Closing node = new Closing(grid.again(settings -> signed(settings, trust, root, repository)))) {
                assertThat(refused(node.node, echo, TYPE, null)).isEqualTo(ErrorCode.REVOKED);
            }
        }
    }

    private static void signed(Settings settings, Path trust, Path root, MetadataRepository repository) {
        following(settings, root, repository.url());
        settings.set("development", false).set("trust", trust);
    }

    /** Two publishers give one Type ID to their services: it belongs to the one whose name was given away first. */
    @Test
    void aTypeIdBelongsToTheNameThatCameFirst() throws Exception {
        byte[] thief = MetadataRepository.bundle("thief", TYPE, "9.0.0");
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository(); TcpServer echo = TcpServer.echo()) {
            repository.metadata.delegate(RoleName.TARGETS, "late", Signers.ed25519(), "thief/*");
            repository.target("late", "thief", TYPE, "9.0.0", thief).target(NAME, TYPE, "1.0.0", ONE);
            Node node = node(grid, repository);
            assertThat(served(node, echo, TYPE)).isEqualTo("1.0.0");
            assertThat(new NodeView(node).service(TYPE).path("name").asText()).isEqualTo(NAME);
        }
    }

    /** A repository without metadata offers what it likes, but for names that metadata gives away. */
    @Test
    void anotherRepositoryWithoutMetadataOffersOtherNamesAlone() throws Exception {
        byte[] hidden = MetadataRepository.bundle("hidden", TYPE + 1, "1.0.0");
        byte[] newer = MetadataRepository.bundle(NAME, TYPE, "9.0.0");
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", ONE); TcpServer echo = TcpServer.echo();
                FakeRepository plain = before("hidden", hidden); FakeRepository rival = before(NAME, newer)) {
            Path root = repository.root(grid.directory());
            Node node = grid.node(settings -> {
                following(settings, root, repository.url());
                List<Object> repositories = new ArrayList<>(List.of(rival.url(), Map.of("url", repository.url(), "tuf", root.toString()), plain.url()));
                settings.set("repositories", repositories);
            });
            awaitTimestamp(node, repository);
            assertThat(served(node, echo, TYPE + 1)).isEqualTo("1.0.0");
            assertThat(served(node, echo, TYPE)).isEqualTo("1.0.0");
            assertThat(rival.bundleRequests()).isZero();
            JsonNode status = new NodeView(node).status();
            assertThat(status.path("repositories")).hasSize(3);
            assertThat(status.path("tuf")).hasSize(1);
        }
    }

    /** A node that is closed before the next one has its directory. */
    private record Closing(Node node) implements AutoCloseable {
        @Override
        public void close() {
            node.close();
        }
    }
}
