package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Mischief;

/** A repository that does not answer, or answers nonsense, costs the stream that needed it and no other; once it is well, so is the node. */
@Tag("long")
class ABrokenRepositoryTest {
    private static final int TYPE = 0x5500;
    private static final byte[] BUNDLE = new ServiceBundle("good", TYPE, "middle", Mischief.class).octets();
    private static final String SOON = "600ms";
    /** For one that answers: a busy machine is not taken for a silence. */
    private static final String PATIENT = "10s";
    /** Long enough to ask a node again in time, on a busy machine too. */
    private static final String REMEMBER = "4s";
    private static final String HASH = FakeRepository.sha256(BUNDLE);

    private static FakeRepository.Answer index(String name, int typeId, String hash, String url, long size) {
        return FakeRepository.text(FakeRepository.indexOf(name, typeId, "middle", hash, url, size));
    }

    private static FakeRepository.Answer index(String url) {
        return index("good", TYPE, HASH, url, BUNDLE.length);
    }

    /** What can be wrong, and the code that says so. */
    enum Fault {
        SILENT(ErrorCode.REPOSITORY_UNREACHABLE) {
            @Override
            FakeRepository make() throws IOException {
                return FakeRepository.silent();
            }
        },
        DRIPPING_INDEX(ErrorCode.REPOSITORY_UNREACHABLE) {
            @Override
            FakeRepository make() throws IOException {
                FakeRepository fake = good();
                return fake.index(fake.drip(BUNDLE));
            }
        },
        DRIPPING_BUNDLE(ErrorCode.REPOSITORY_UNREACHABLE) {
            @Override
            FakeRepository make() throws IOException {
                FakeRepository fake = good();
                return fake.bundle(fake.drip(BUNDLE));
            }
        },
        FAILING(ErrorCode.REPOSITORY_UNREACHABLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(FakeRepository.status(500));
            }
        },
        ITS_DATABASE_IS_AWAY(ErrorCode.REPOSITORY_UNREACHABLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().bundle(FakeRepository.refusal(503, ErrorCode.DATABASE_AWAY));
            }
        },
        NO_INDEX(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(FakeRepository.status(404));
            }
        },
        GARBAGE_FOR_AN_INDEX(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(FakeRepository.text("<html>It works!</html>"));
            }
        },
        HALF_AN_INDEX(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                String whole = FakeRepository.indexOf("good", TYPE, "middle", HASH, "good.jar", BUNDLE.length);
                return good().index(FakeRepository.text(whole.substring(0, whole.length() - 30)));
            }
        },
        ENTITIES_IN_THE_INDEX(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(FakeRepository.text("<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><repository>&a;</repository>"));
            }
        },
        INDEX_OF_100_MB(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(FakeRepository.endless(100 << 20));
            }
        },
        BUNDLE_ON_ANOTHER_HOST(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(ABrokenRepositoryTest.index("http://127.0.0.1:1/good.jar"));
            }
        },
        BUNDLE_ABOVE_ITS_ADDRESS(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(ABrokenRepositoryTest.index("a/../../good.jar"));
            }
        },
        BUNDLE_AT_NO_ADDRESS(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(ABrokenRepositoryTest.index("http://[bad"));
            }
        },
        NO_BUNDLE(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().bundle(FakeRepository.status(404));
            }
        },
        ANOTHER_HASH(ErrorCode.BUNDLE_HASH_MISMATCH) {
            @Override
            FakeRepository make() throws IOException {
                byte[] other = BUNDLE.clone();
                other[other.length / 2] ^= 1;
                return good().bundle(FakeRepository.octets(other));
            }
        },
        LESS_THAN_ANNOUNCED(ErrorCode.BUNDLE_HASH_MISMATCH) {
            @Override
            FakeRepository make() throws IOException {
                return good().bundle(FakeRepository.octets(java.util.Arrays.copyOf(BUNDLE, 1000)));
            }
        },
        BUNDLE_TOO_LARGE(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(ABrokenRepositoryTest.index("good", TYPE, HASH, "good.jar", -1)).bundle(FakeRepository.endless(50 << 20));
            }
        },
        GARBAGE_WITH_ITS_HASH(ErrorCode.TAMPERED) {
            @Override
            FakeRepository make() throws IOException {
                byte[] garbage = "this is no jar".getBytes(java.nio.charset.StandardCharsets.UTF_8);
                return good().bundle(FakeRepository.octets(garbage))
                        .index(ABrokenRepositoryTest.index("good", TYPE, FakeRepository.sha256(garbage), "good.jar", garbage.length));
            }
        },
        ANOTHER_NAME_THAN_THE_BUNDLE(ErrorCode.BAD_BUNDLE) {
            @Override
            FakeRepository make() throws IOException {
                return good().index(ABrokenRepositoryTest.index("better", TYPE, HASH, "good.jar", BUNDLE.length));
            }
        };

        private final ErrorCode code;

        Fault(ErrorCode code) {
            this.code = code;
        }

        abstract FakeRepository make() throws IOException;
    }

    private static FakeRepository good() throws IOException {
        return new FakeRepository(index("good.jar"), FakeRepository.octets(BUNDLE));
    }

    /** @param timeout of a repository: short where one is silent, and else so long that a busy machine is not taken for it */
    private static Node node(Grid grid, String remember, String timeout, String... repositories) {
        return grid.node(configuration -> {
            configuration.set("repositories", List.of(repositories));
            configuration.set("limits.repository-timeout", timeout);
            configuration.set("limits.remember-failure", remember);
            configuration.set("limits.bundle-bytes", 1 << 20);
        });
    }

    @ParameterizedTest
    @EnumSource
    void refusesTheStreamAndIsWellAgainWhenTheRepositoryIs(Fault fault) throws IOException {
        boolean remembers = fault == Fault.SILENT || fault == Fault.ANOTHER_HASH;
        try (Grid grid = new Grid(); FakeRepository repository = fault.make(); TcpServer echo = TcpServer.echo()) {
            Node node = node(grid, remembers ? REMEMBER : "100ms", fault.code == ErrorCode.REPOSITORY_UNREACHABLE ? SOON : PATIENT, repository.url());
            NodeView view = new NodeView(node);
            byte[] opening = AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW));
            try (AnepPeer peer = new AnepPeer(node.address())) {
                assertThat(peer.send(opening).refusal()).isEqualTo(fault.code);
            }
            assertThat(view.service(TYPE).path("state").asText()).isEqualTo("failed");
            assertThat(view.service(TYPE).path("reason").asText()).startsWith(fault.code.toString());
            view.awaitStreams(0);
            assertThat(files(grid)).as("what is left of the attempt").noneMatch(name -> name.endsWith(".part"));
            int asked = repository.indexRequests();
            repository.index(index("good.jar")).bundle(FakeRepository.octets(BUNDLE));
            if (remembers) {
                try (AnepPeer peer = new AnepPeer(node.address())) {
                    assertThat(peer.send(opening).refusal()).as("remembered").isEqualTo(fault.code);
                }
                assertThat(repository.indexRequests()).as("it was not asked again").isEqualTo(asked);
            }
            await().pollInterval(Duration.ofMillis(50)).until(() -> isServed(node, opening));
        }
    }

    private static boolean isServed(Node node, byte[] opening) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(opening).send(AnepPeer.data(TYPE, new byte[] {5})).finish();
            var packet = peer.receive();
            return packet != null && packet.typeId() == TYPE && packet.payloadLength() == 1;
        }
    }

    private static List<String> files(Grid grid) throws IOException {
        try (Stream<Path> files = Files.walk(grid.directory().resolve("node0").resolve("bundles"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void isPassedOverWhenTheNextOneIsWell() throws IOException {
        try (Grid grid = new Grid(); FakeRepository garbage = good().index(FakeRepository.text("no")); FakeRepository well = good();
                TcpServer echo = TcpServer.echo()) {
            Node node = node(grid, REMEMBER, PATIENT, "http://127.0.0.1:1", garbage.url(), well.url());
            assertThat(isServed(node, AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)))).isTrue();
            assertThat(new NodeView(node).service(TYPE).path("source").asText()).isEqualTo(well.url());
        }
    }

    @Test
    void isAskedOnceForAHundredStreams() throws IOException {
        try (Grid grid = new Grid(); FakeRepository repository = good(); TcpServer echo = TcpServer.echo()) {
            FakeRepository.Answer answer = FakeRepository.octets(BUNDLE);
            repository.bundle(exchange -> {
                try {
                    Thread.sleep(400);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                answer.to(exchange);
            });
            Node node = node(grid, REMEMBER, PATIENT, repository.url());
            Awaitility.await("the node asks at its start").until(() -> repository.indexRequests() == 1);
            List<AnepPeer> peers = new ArrayList<>();
            try {
                for (int i = 0; i < 100; i++) {
                    peers.add(new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)))
                            .send(AnepPeer.data(TYPE, new byte[] {(byte) i})).finish());
                }
                for (int i = 0; i < 100; i++) {
                    assertThat(peers.get(i).receive().payload().getByte(0)).isEqualTo((byte) i);
                    assertThat(peers.get(i).receive()).isNull();
                }
            } finally {
                for (AnepPeer peer : peers) {
                    peer.close();
                }
            }
            assertThat(repository.indexRequests()).as("at the start, and once for a hundred streams").isEqualTo(2);
            assertThat(repository.bundleRequests()).isEqualTo(1);
            new NodeView(node).awaitStreams(0);
        }
    }

    /** After a restart the store serves; a file in it that was damaged or has gone is fetched again, or refused if nobody has it. */
    @Test
    void isNotNeededForWhatTheStoreHolds() throws IOException {
        try (Grid grid = new Grid(); FakeRepository repository = good(); TcpServer echo = TcpServer.echo()) {
            byte[] opening = AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW));
            Path jar = grid.directory().resolve("node0").resolve("bundles").resolve(HASH + ".jar");
            served(grid, opening, null, repository.url());
            served(grid, opening, null);
            byte[] damaged = Files.readAllBytes(jar);
            damaged[100] ^= 1;
            Files.write(jar, damaged);
            served(grid, opening, ErrorCode.UNKNOWN_SERVICE);
            served(grid, opening, null, repository.url());
            Files.write(jar, damaged);
            served(grid, opening, null, repository.url());
            assertThat(FakeRepository.sha256(Files.readAllBytes(jar))).isEqualTo(HASH);
            assertThat(repository.bundleRequests()).isEqualTo(3);
        }
    }

    /** A node on the same directory each time; {@code refused} is null where it must serve. */
    private static void served(Grid grid, byte[] opening, ErrorCode refused, String... repositories) throws IOException {
        try (Node node = grid.again(configuration -> configuration.set("repositories", List.of(repositories)))) {
            if (refused == null) {
                assertThat(isServed(node, opening)).isTrue();
                return;
            }
            try (AnepPeer peer = new AnepPeer(node.address())) {
                assertThat(peer.send(opening).refusal()).isEqualTo(refused);
            }
        }
    }

    @Test
    void isAskedAgainForABundleThatVanishedFromTheStore() throws IOException {
        try (Grid grid = new Grid(); FakeRepository repository = good(); TcpServer echo = TcpServer.echo()) {
            byte[] opening = AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW));
            served(grid, opening, null, repository.url());
            try (Node node = grid.again(configuration -> configuration.set("repositories", List.of(repository.url())))) {
                Files.delete(grid.directory().resolve("node0").resolve("bundles").resolve(HASH + ".jar"));
                assertThat(isServed(node, opening)).isTrue();
            }
        }
    }
}
