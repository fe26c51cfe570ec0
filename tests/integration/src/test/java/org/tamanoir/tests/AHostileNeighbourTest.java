package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/** A neighbour's code server that lies or dawdles costs a node some time and nothing else; sources that disagree do not confuse it. */
@Tag("long")
class AHostileNeighbourTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "harmless";
    private static final byte[] BUNDLE = bundle(NAME, "1.0.0");
    private static final String HASH = FakeRepository.sha256(BUNDLE);

    private static byte[] bundle(String name, String version) {
        return new ServiceBundle(name, TYPE, "middle", Faulty.class).version(version).octets();
    }

    private static String index(String url, long size) {
        return FakeRepository.indexOf(NAME, TYPE, "middle", HASH, url, size);
    }

    /** An index of one bundle, at the path by which its content is asked for. */
    private static FakeRepository offering(String name, String version, byte[] bundle) throws IOException {
        String index = FakeRepository.indexOf(name, TYPE, "middle", FakeRepository.sha256(bundle), "a.jar", bundle.length)
                .replace("value='1.0.0'", "value='" + version + "'");
        return new FakeRepository(FakeRepository.text(index), FakeRepository.octets(bundle));
    }

    private static FakeRepository.Answer redirect(String to) {
        return exchange -> {
            exchange.getResponseHeaders().add("Location", to);
            exchange.sendResponseHeaders(302, -1);
        };
    }

    /** What a code server can do instead of answering; {@code victim} is somebody whom the node must not ask. */
    enum Trick {
        INDEX_OF_100_MB {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(FakeRepository.endless(100 << 20));
            }
        },
        BUNDLE_OF_100_MB {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(FakeRepository.text(index("a.jar", -1))).bundle(FakeRepository.endless(100 << 20));
            }
        },
        BUNDLE_LARGER_THAN_ANNOUNCED {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.bundle(FakeRepository.endless(100 << 20));
            }
        },
        DRIPPING_INDEX {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(neighbour.drip(BUNDLE));
            }
        },
        DRIPPING_BUNDLE {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.bundle(neighbour.drip(BUNDLE));
            }
        },
        ANOTHER_HOST {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(FakeRepository.text(index(victim.url() + "/a.jar", BUNDLE.length)));
            }
        },
        ANOTHER_HOST_WITHOUT_A_SCHEME {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(FakeRepository.text(index(victim.url().substring("http:".length()) + "/a.jar", BUNDLE.length)));
            }
        },
        A_FILE_OF_THE_NODE {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(FakeRepository.text(index("file:///etc/hostname", BUNDLE.length)));
            }
        },
        REDIRECTED_INDEX {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(redirect(victim.url() + "/index.xml"));
            }
        },
        REDIRECTED_BUNDLE {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.bundle(redirect(victim.url() + "/a.jar"));
            }
        },
        OTHER_CONTENT {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.bundle(FakeRepository.octets(bundle("evil", "1.0.0")));
            }
        },
        PATH_IN_PLACE_OF_THE_HASH {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.index(FakeRepository.text(index("a.jar", BUNDLE.length).replace(HASH, "../../planted")));
            }
        },
        CLOSES_IN_THE_MIDDLE {
            @Override
            void play(FakeRepository neighbour, FakeRepository victim) {
                neighbour.bundle(exchange -> {
                    exchange.sendResponseHeaders(200, BUNDLE.length);
                    exchange.getResponseBody().write(BUNDLE, 0, 100);
                    exchange.close();
                });
            }
        };

        abstract void play(FakeRepository neighbour, FakeRepository victim);
    }

    @ParameterizedTest
    @EnumSource
    void costsSomeTimeAndNothingElse(Trick trick) throws IOException {
        try (Grid grid = new Grid(); FakeRepository neighbour = offering(NAME, "1.0.0", BUNDLE); FakeRepository victim = offering(NAME, "1.0.0", BUNDLE);
                FakeRepository honest = offering(NAME, "1.0.0", BUNDLE); TcpServer echo = TcpServer.echo()) {
            trick.play(neighbour, victim);
            Node node = grid.node(configuration -> {
                configuration.set("neighbours", List.of(neighbour.url().substring("http://".length())));
                configuration.set("repositories", List.of(honest.url()));
                configuration.set("limits.node-timeout", "1s");
                configuration.set("limits.bundle-bytes", 1 << 20);
            });
            long start = System.nanoTime();
            assertServed(node, echo);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as("until the stream is served").isLessThan(Duration.ofSeconds(8));
            JsonNode service = new NodeView(node).service(TYPE);
            assertThat(service.path("source").asText()).isEqualTo(honest.url());
            assertThat(service.path("sha256").asText()).isEqualTo(HASH);
            assertThat(neighbour.indexRequests()).as("the neighbour was asked").isPositive();
            assertThat(victim.indexRequests() + victim.bundleRequests()).as("requests to somebody else").isZero();
            try (Stream<Path> files = Files.list(grid.directory().resolve("node0/bundles"))) {
                assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder(HASH + ".jar", HASH + ".json");
            }
            assertThat(new NodeView(node).directMemory() - grid.directMemoryBefore()).as("direct memory").isLessThan(32 << 20);
        }
    }

    private static void assertServed(Node node, TcpServer echo) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[6])).finish();
            assertThat(peer.receive().payloadLength()).isEqualTo(6);
        }
    }

    /** One repository, or another, gives the Type ID of a running service to a newer one of another name. */
    @Test
    void cannotGiveTheTypeIdOfAServiceToAnother() throws IOException {
        byte[] newer = bundle(NAME, "1.5.0");
        byte[] thief = bundle("thief", "9.0.0");
        try (Grid grid = new Grid(); FakeRepository first = offering(NAME, "1.0.0", BUNDLE); FakeRepository wrong = offering("thief", "9.0.0", thief);
                FakeRepository right = offering(NAME, "1.5.0", newer); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> configuration.set("repositories", List.of(first.url(), wrong.url(), right.url())));
            NodeView view = new NodeView(node);
            assertServed(node, echo);
            assertThat(view.service(TYPE).path("version").asText()).isEqualTo("1.0.0");
            JsonNode plan = Grid.admin(node).post("/services/" + NAME + "/upgrade", Map.of("dryRun", true));
            assertThat(plan.path("to").asText()).as("what an upgrade would take: %s", plan).isEqualTo("1.5.0");
            JsonNode done = Grid.admin(node).post("/services/" + NAME + "/upgrade", Map.of("dryRun", false));
            assertThat(done.path("to").asText()).isEqualTo("1.5.0");
            assertThat(done.path("source").asText()).isEqualTo(right.url());
            assertServed(node, echo);
            assertThat(view.service(TYPE).path("name").asText()).isEqualTo(NAME);
            // The same in one index.
            first.index(FakeRepository.text(both(FakeRepository.indexOf("thief", TYPE, "middle", FakeRepository.sha256(thief), "a.jar",
                    thief.length).replace("value='1.0.0'", "value='9.0.0'"))));
            JsonNode none = Grid.admin(node).post("/services/" + NAME + "/upgrade", Map.of("dryRun", false));
            assertThat(none.path("to").isNull()).as("nothing newer of that name: %s", none).isTrue();
            assertThat(view.versions(TYPE)).allMatch(version -> version.path("name").asText().equals(NAME));
        }
    }

    /** An index that has the bundle of the other one too. */
    private static String both(String other) {
        String mine = index("a.jar", BUNDLE.length);
        String resource = mine.substring(mine.indexOf("<resource>"), mine.indexOf("</repository>"));
        return other.replace("</repository>", resource + "</repository>");
    }

    /** Two repositories have other content under one version: the first one counts, and the other changes nothing. */
    @Test
    void cannotReplaceAVersionByOtherContent() throws IOException {
        byte[] other = new ServiceBundle(NAME, TYPE, "middle", Faulty.class).entry("more", new byte[9]).octets();
        try (Grid grid = new Grid(); FakeRepository first = offering(NAME, "1.0.0", BUNDLE); FakeRepository second = offering(NAME, "1.0.0", other);
                TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> configuration.set("repositories", List.of(first.url(), second.url())));
            assertServed(node, echo);
            JsonNode answer = Grid.admin(node).post("/services/" + NAME + "/upgrade", Map.of("dryRun", false));
            assertThat(answer.path("to").isNull()).as("%s", answer).isTrue();
            assertThat(new NodeView(node).service(TYPE).path("sha256").asText()).isEqualTo(HASH);
            assertThat(second.bundleRequests()).isZero();
        }
    }
}
