package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/** A node whose store is damaged goes on with what is whole, gives nobody anything else, and is mended by pushing again. */
@Tag("long")
class ADamagedStoreTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "harmless";
    private static final byte[] OLD = bundle("1.0.0");
    private static final byte[] NEW = bundle("2.0.0");

    private static byte[] bundle(String version) {
        return new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version(version).octets();
    }

    private static Path file(Grid grid, byte[] bundle, String ending) {
        return grid.directory().resolve("node0/bundles").resolve(FakeRepository.sha256(bundle) + ending);
    }

    /** What happens to the newer of two versions, which is current, while the node is down. */
    enum Damage {
        FLIPPED_BIT {
            @Override
            void strike(Grid grid) throws IOException {
                byte[] octets = NEW.clone();
                octets[octets.length / 2] ^= 4;
                Files.write(file(grid, NEW, ".jar"), octets);
            }
        },
        CUT {
            @Override
            void strike(Grid grid) throws IOException {
                Files.write(file(grid, NEW, ".jar"), Arrays.copyOf(NEW, 100));
            }
        },
        EMPTY {
            @Override
            void strike(Grid grid) throws IOException {
                Files.write(file(grid, NEW, ".jar"), new byte[0]);
            }
        },
        GONE {
            @Override
            void strike(Grid grid) throws IOException {
                Files.delete(file(grid, NEW, ".jar"));
            }
        },
        DESCRIPTION_GONE {
            @Override
            void strike(Grid grid) throws IOException {
                Files.delete(file(grid, NEW, ".json"));
            }
        },
        GARBAGE_FOR_A_DESCRIPTION {
            @Override
            void strike(Grid grid) throws IOException {
                Files.write(file(grid, NEW, ".json"), new byte[200]);
            }
        },
        NO_VERSION_IN_THE_DESCRIPTION {
            @Override
            void strike(Grid grid) throws IOException {
                Path description = file(grid, NEW, ".json");
                Files.writeString(description, Files.readString(description).replace("2.0.0", "2.&.0"));
            }
        },
        ANOTHER_VERSION_IN_THE_DESCRIPTION {
            @Override
            void strike(Grid grid) throws IOException {
                Path description = file(grid, NEW, ".json");
                Files.writeString(description, Files.readString(description).replace("2.0.0", "2.0.1"));
            }
        },
        CHOICE_AND_BUNDLE {
            @Override
            void strike(Grid grid) throws IOException {
                Files.write(grid.directory().resolve("node0/services.json"), "{\"21760\":".getBytes(StandardCharsets.US_ASCII));
                FLIPPED_BIT.strike(grid);
            }
        };

        abstract void strike(Grid grid) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void servesWithTheVersionThatIsWhole(Damage damage) throws IOException {
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo()) {
            try (Node node = grid.again(configuration -> { })) {
                push(grid, node, OLD);
                push(grid, node, NEW);
                assertThat(served(node, echo)).isEqualTo("2.0.0");
            }
            damage.strike(grid);
            try (Node node = grid.again(configuration -> { })) {
                assertThat(served(node, echo)).as("what is left").isEqualTo("1.0.0");
                push(grid, node, NEW);
                assertThat(served(node, echo)).as("mended").isEqualTo("2.0.0");
                assertThat(Files.readAllBytes(file(grid, NEW, ".jar"))).isEqualTo(NEW);
            }
            try (Node node = grid.again(configuration -> { })) {
                assertThat(served(node, echo)).as("after another start").isEqualTo("2.0.0");
            }
        }
    }

    private static void push(Grid grid, Node node, byte[] bundle) throws IOException {
        Grid.admin(node).put("/bundles", Files.write(grid.directory().resolve("push.jar"), bundle));
    }

    /** The version that has served a stream. */
    private static String served(Node node, TcpServer echo) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[8])).finish();
            assertThat(peer.receive().payloadLength()).isEqualTo(8);
            assertThat(peer.receive()).isNull();
        }
        JsonNode service = new NodeView(node).service(TYPE);
        assertThat(service.path("streamsTotal").asInt()).isPositive();
        return service.path("version").asText();
    }

    /** A disk that rots while the node runs: what runs goes on, and the next node takes the bundle from somebody else. */
    @Test
    void givesTheNextNodeNothingThatItWouldTake() throws IOException {
        String index = FakeRepository.indexOf(NAME, TYPE, "middle", FakeRepository.sha256(OLD), "a.jar", OLD.length);
        try (Grid grid = new Grid(); FakeRepository repository = new FakeRepository(FakeRepository.text(index), FakeRepository.octets(OLD));
                TcpServer echo = TcpServer.echo()) {
            Node node = grid.node();
            push(grid, node, OLD);
            byte[] octets = OLD.clone();
            octets[octets.length - 100] ^= 1;
            Files.write(file(grid, OLD, ".jar"), octets);
            Node next = grid.node(configuration -> {
                configuration.set("neighbours", List.of(new NodeView(node).status().path("codeServer").asText()));
                configuration.set("repositories", List.of(repository.url()));
            });
            assertThat(served(next, echo)).isEqualTo("1.0.0");
            assertThat(new NodeView(next).service(TYPE).path("source").asText()).isEqualTo(repository.url());
            assertThat(served(node, echo)).as("in memory it is whole").isEqualTo("1.0.0");
        }
    }
}
