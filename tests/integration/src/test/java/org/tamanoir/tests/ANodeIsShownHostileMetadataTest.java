package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.testing.Signers;

/** Nodes whose repository, or whoever is in its place, does what the specification of TUF lists as attacks (section 1.5.2). */
@Tag("long")
class ANodeIsShownHostileMetadataTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "counted";
    private static final byte[] GOOD = MetadataRepository.bundle(NAME, TYPE, "1.0.0");
    private static final byte[] EVIL = MetadataRepository.bundle(NAME, TYPE, "9.0.0");
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** What somebody does who is between the node and its repository, or has some of the keys. */
    private enum Attack {
        /** Whoever has none of the keys lists what they like. */
        ARBITRARY_SOFTWARE(ErrorCode.METADATA_UNSIGNED) {
            @Override
            void begin(MetadataRepository repository) {
                signedBy(repository, List.of(Signers.ed25519()), () -> repository.target(NAME, TYPE, "9.0.0", EVIL));
            }
        },
        /** One of the two keys that must sign is stolen. */
        A_KEY_BELOW_THE_THRESHOLD(ErrorCode.METADATA_UNSIGNED) {
            @Override
            void prepare(MetadataRepository repository) {
                RoleSigner second = Signers.p256();
                repository.metadata.root(repository.metadata.signers(RoleName.ROOT), draft -> {
                    draft.addKey(RoleName.TIMESTAMP, second.key());
                    draft.threshold(RoleName.TIMESTAMP, 2);
                });
                repository.metadata.signers(RoleName.TIMESTAMP).add(second);
            }

            @Override
            void begin(MetadataRepository repository) {
                signedBy(repository, List.of(repository.metadata.signers(RoleName.TIMESTAMP).get(0)), () -> repository.target(NAME, TYPE, "9.0.0", EVIL));
            }
        },
        ROLLBACK(ErrorCode.METADATA_ROLLBACK) {
            @Override
            void begin(MetadataRepository repository) {
                Map<String, byte[]> old = new TreeMap<>(repository.served());
                old.put("timestamp.json", repository.olderTimestamp());
                repository.serve(old);
            }
        },
        /** Nothing new comes until what there is has expired. */
        FREEZE(ErrorCode.METADATA_EXPIRED) {
            @Override
            void begin(MetadataRepository repository) {
                repository.metadata.timestamp(50, Instant.now().plusSeconds(4));
                repository.publish();
            }
        },
        /** The snapshot of before under the name of the next. */
        MIX_AND_MATCH(ErrorCode.METADATA_MISMATCH) {
            @Override
            void begin(MetadataRepository repository) {
                long before = Metadata.timestamp(repository.served().get("timestamp.json")).signed().snapshot().version();
                byte[] snapshot = repository.served().get(before + ".snapshot.json");
                repository.metadata.change("grid", draft -> { });
                Map<String, byte[]> mixed = new TreeMap<>(repository.metadata.files());
                mixed.put(before + 1 + ".snapshot.json", snapshot);
                repository.serve(mixed);
            }
        },
        WRONG_MIRROR(ErrorCode.METADATA_UNSIGNED) {
            @Override
            void begin(MetadataRepository repository) throws IOException {
                try (MetadataRepository other = new MetadataRepository()) {
                    repository.serve(other.target(NAME, TYPE, "9.0.0", EVIL).served());
                }
            }
        },
        ENDLESS_DATA(ErrorCode.TOO_LARGE) {
            @Override
            void begin(MetadataRepository repository) {
                repository.instead(FakeRepository.endless(1L << 40));
            }
        };

        private final ErrorCode code;

        Attack(ErrorCode code) {
            this.code = code;
        }

        /** What the repository publishes before. */
        void prepare(MetadataRepository repository) {
        }

        abstract void begin(MetadataRepository repository) throws IOException;

        private static void signedBy(MetadataRepository repository, List<RoleSigner> thieves, Runnable publication) {
            List<RoleSigner> signers = repository.metadata.signers(RoleName.TIMESTAMP);
            List<RoleSigner> own = List.copyOf(signers);
            signers.clear();
            signers.addAll(thieves);
            publication.run();
            signers.clear();
            signers.addAll(own);
            repository.metadata.change("grid", draft -> draft.removeTarget(NAME + "/9.0.0.jar"));
        }
    }

    /** Each says what is wrong, goes on with what it knows, and follows again when the repository is there. */
    @Test
    void refusesEachAttackAndFollowsAgain() throws Exception {
        Map<Attack, MetadataRepository> repositories = new EnumMap<>(Attack.class);
        Map<Attack, Node> nodes = new EnumMap<>(Attack.class);
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo()) {
            for (Attack attack : Attack.values()) {
                MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", GOOD);
                attack.prepare(repository);
                repository.metadata.timestamp();
                repository.publish();
                repositories.put(attack, repository);
                Path root = Files.write(grid.directory().resolve(attack + ".json"), repository.metadata.firstRoot());
                nodes.put(attack, grid.node(settings -> {
                    settings.set("repositories", List.of(Map.of("url", repository.url(), "tuf", root.toString()))).set("threads", 1);
                    settings.set("limits.repository-timeout", "5s").set("limits.remember-failure", "100ms");
                }));
            }
            for (Attack attack : Attack.values()) {
                assertThat(served(nodes.get(attack), echo)).as("%s", attack).isEqualTo("1.0.0");
                attack.begin(repositories.get(attack));
            }
            for (Attack attack : Attack.values()) {
                NodeView node = new NodeView(nodes.get(attack));
                String url = repositories.get(attack).url();
                await(attack.toString()).atMost(PATIENCE).untilAsserted(() -> assertThat(node.health().path("tuf").path(url).asText()).startsWith(attack.code.toString()));
                assertThat(served(nodes.get(attack), echo)).as("%s", attack).isEqualTo("1.0.0");
                assertThat(newest(nodes.get(attack))).as("%s", attack).isNotEqualTo("9.0.0");
            }
            for (Attack attack : Attack.values()) {
                repositories.get(attack).metadata.time(Instant.now());
                repositories.get(attack).instead(null).target(NAME, TYPE, "2.0.0", EVIL);
            }
            for (Attack attack : Attack.values()) {
                await(attack.toString()).atMost(PATIENCE).untilAsserted(() -> assertThat(newest(nodes.get(attack))).isEqualTo("2.0.0"));
                assertThat(new NodeView(nodes.get(attack)).health().has("tuf")).as("%s", attack).isFalse();
            }
        } finally {
            repositories.values().forEach(MetadataRepository::close);
        }
    }

    private static String served(Node node, TcpServer echo) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[] {1, 2, 3}));
            assertThat(peer.receive().payloadLength()).isEqualTo(3);
        }
        return new NodeView(node).service(TYPE).path("version").asText();
    }

    /** What an upgrade would bring. */
    private static String newest(Node node) {
        try {
            JsonNode to = Grid.admin(node).post("/services/" + NAME + "/upgrade", Map.of("dryRun", true)).path("to");
            return to.isNull() ? "nothing newer" : to.asText();
        } catch (AnepException e) {
            return e.getMessage();
        }
    }

    /** Killed at any system call by which it keeps what it believes: the next start believes that or the next, and nothing older. */
    @Test
    @Tag("sweep")
    @Tag("lab")
    void aKilledNodeIsNotTakenBack() throws Exception {
        boolean root = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        Assumptions.assumeTrue(root && Files.isExecutable(Path.of("/usr/bin/strace")), "needs root and strace: apt-get install strace");
        Map<String, Integer> kills = new TreeMap<>();
        try (Grid grid = new Grid(); MetadataRepository repository = new MetadataRepository().target(NAME, TYPE, "1.0.0", GOOD)) {
            Path data = grid.directory().resolve("killed");
            Path first = repository.root(grid.directory());
            for (String call : List.of("rename", "fsync", "unlink")) {
                boolean killed = true;
                for (int count = 1; killed; count++) {
                    assertThat(count).as("calls of %s", call).isLessThan(20);
                    Map<String, byte[]> old = repository.publish().served();
                    Map<String, byte[]> older = new TreeMap<>(old);
                    older.put("timestamp.json", repository.olderTimestamp());
                    try (NodeProgram node = new NodeProgram(data, "--listen", "127.0.0.1:0", "--repository", repository.url(), "--tuf", first.toString())) {
                        awaitTimestamp(node, old);
                        try (KillingTracer tracer = new KillingTracer(node.pid(), call, count, List.of(), grid.directory().resolve("strace"))) {
                            repository.metadata.timestamp();
                            repository.publish();
                            await().atMost(PATIENCE).until(() -> tracer.hasEnded() || timestamp(node) == version(repository.served()));
                            killed = !node.isAlive();
                        }
                        node.kill().exitCode();
                    }
                    if (killed) {
                        kills.merge(call, 1, Integer::sum);
                        isNotTakenBack(data, first, repository, older);
                    }
                }
            }
        }
        System.out.println("killed at " + kills + " while metadata was kept");
        assertThat(kills.keySet()).contains("rename", "fsync");
    }

    private static void isNotTakenBack(Path data, Path first, MetadataRepository repository, Map<String, byte[]> older) throws IOException {
        Map<String, byte[]> newest = repository.served();
        repository.serve(older);
        try (NodeProgram node = new NodeProgram(data, "--listen", "127.0.0.1:0", "--repository", repository.url(), "--tuf", first.toString())) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(tuf(node).path("problem").asText()).startsWith(ErrorCode.METADATA_ROLLBACK.toString()));
            assertThat(timestamp(node)).isGreaterThan(version(older));
            repository.serve(newest);
            awaitTimestamp(node, newest);
        }
    }

    private static JsonNode tuf(NodeProgram node) {
        return node.admin().json("/status").path("tuf").path(0);
    }

    private static long timestamp(NodeProgram node) {
        try {
            return tuf(node).path("timestamp").asLong();
        } catch (AnepException e) {
            return -1;
        }
    }

    private static long version(Map<String, byte[]> files) {
        return Metadata.timestamp(files.get("timestamp.json")).signed().version();
    }

    private static void awaitTimestamp(NodeProgram node, Map<String, byte[]> files) {
        await().atMost(PATIENCE).until(() -> timestamp(node) == version(files));
    }
}
