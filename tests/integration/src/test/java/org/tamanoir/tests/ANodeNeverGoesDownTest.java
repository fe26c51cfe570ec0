package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Faulty;

/**
 * Neither a stranger nor a peer brings a node to run a version that is older than its repositories offer or have ever offered: the node is
 * a process, the repository has 2.0.0, a code server beside it has 1.0.0.
 */
@Tag("long")
class ANodeNeverGoesDownTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "counted";
    private static final byte[] OLD = new ServiceBundle(NAME, TYPE, "middle", Faulty.class).octets();

    @TempDir
    private Path directory;

    private static FakeRepository old() throws IOException {
        return new FakeRepository(FakeRepository.text(FakeRepository.indexOf(NAME, TYPE, "middle", FakeRepository.sha256(OLD), "bundle.jar", OLD.length)),
                FakeRepository.octets(OLD));
    }

    private static Grid withNew() throws IOException {
        Grid grid = Grid.withRepository();
        grid.push(new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version("2.0.0").in(grid.directory()));
        return grid;
    }

    private NodeProgram node(String... lines) throws IOException {
        Path file = Files.writeString(directory.resolve("node.yaml"), "listen: 127.0.0.1:0\nlimits: {remember-failure: 100ms}\n" + String.join("\n", lines) + "\n");
        return new NodeProgram(directory.resolve("data"), "--config", file.toString());
    }

    private static String repositories(Grid grid) {
        return "repositories: [\"" + grid.repository().url() + "\"]";
    }

    private static AnepPeer open(NodeProgram node, FakeRepository previous, TcpServer echo) throws IOException {
        PreviousNode named = previous == null ? null : new PreviousNode(99, port(previous));
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW).previousNode(named)));
    }

    private static int port(FakeRepository repository) {
        return Integer.parseInt(repository.url().substring(repository.url().lastIndexOf(':') + 1));
    }

    /** The version that a stream gets; the node has said that it is current. */
    private static String served(NodeProgram node, FakeRepository previous, TcpServer echo) throws IOException {
        try (AnepPeer peer = open(node, previous, echo)) {
            peer.send(AnepPeer.data(TYPE, new byte[] {1}));
            assertThat(peer.receive().payloadLength()).isEqualTo(1);
        }
        return current(node);
    }

    private static String current(NodeProgram node) {
        for (var service : node.admin().json("/services").path("services")) {
            if (service.path("name").asText().equals(NAME) && service.path("current").asBoolean()) {
                return service.path("version").asText();
            }
        }
        return null;
    }

    @Test
    void aStrangersCodeServerIsNotAskedAndAPeersIsNotFollowedDown() throws Exception {
        try (Grid grid = withNew(); FakeRepository old = old(); TcpServer echo = TcpServer.echo()) {
            try (NodeProgram node = node("peers: []", repositories(grid))) {
                assertThat(served(node, old, echo)).isEqualTo("2.0.0");
                assertThat(old.indexRequests()).as("a stranger's").isZero();
            }
            empty(directory.resolve("data"));
            try (NodeProgram node = node("peers: [127.0.0.1]", repositories(grid))) {
                assertThat(served(node, old, echo)).isEqualTo("2.0.0");
                assertThat(old.indexRequests()).as("a peer's").isPositive();
                assertThat(old.bundleRequests()).isZero();
            }
        }
    }

    /** What was offered once is remembered when the repository is gone, and everything else but that with it. */
    @Test
    void anOlderVersionIsRefusedWhenTheRepositoryIsGoneAfterARestartToo() throws Exception {
        try (FakeRepository old = old(); TcpServer echo = TcpServer.echo()) {
            String repositories;
            try (Grid grid = withNew(); NodeProgram node = node(repositories(grid))) {
                repositories = repositories(grid);
                assertThat(served(node, null, echo)).isEqualTo("2.0.0");
                node.kill();
            }
            empty(directory.resolve("data/bundles"));
            String neighbours = "neighbours: [\"127.0.0.1:" + port(old) + "\"]";
            for (int start = 0; start < 2; start++) {
                try (NodeProgram node = node(repositories, neighbours); AnepPeer peer = open(node, old, echo)) {
                    assertThat(peer.refusal()).isEqualTo(ErrorCode.OLDER_VERSION);
                    assertThat(directory.resolve("data/bundles")).isEmptyDirectory();
                }
            }
        }
    }

    /** Where no repository could be asked, what a peer has is good enough until one can be. */
    @Test
    void aVersionThatWasTakenWhileNoRepositoryAnsweredIsMeasuredAgainAfterARestart() throws Exception {
        try (Grid grid = withNew(); FakeRepository old = old(); TcpServer echo = TcpServer.echo();
                FakeRepository broken = new FakeRepository(FakeRepository.status(500), FakeRepository.status(500))) {
            try (NodeProgram node = node("repositories: [\"" + broken.url() + "\"]")) {
                assertThat(served(node, old, echo)).isEqualTo("1.0.0");
            }
            try (NodeProgram node = node(repositories(grid))) {
                assertThat(served(node, old, echo)).isEqualTo("2.0.0");
            }
        }
    }

    @Test
    void anOperatorNamesAnOlderVersionAndItStaysOverARestart() throws Exception {
        try (Grid grid = withNew(); FakeRepository old = old(); TcpServer echo = TcpServer.echo()) {
            String neighbours = "neighbours: [\"127.0.0.1:" + port(old) + "\"]";
            try (NodeProgram node = node(repositories(grid), neighbours)) {
                assertThat(served(node, null, echo)).isEqualTo("2.0.0");
                node.admin().post("/services/" + NAME + "/upgrade", Map.of("version", "1.0.0", "dryRun", false));
                assertThat(served(node, null, echo)).isEqualTo("1.0.0");
                node.kill();
            }
            try (NodeProgram node = node(repositories(grid), neighbours)) {
                await().untilAsserted(() -> assertThat(current(node)).isEqualTo("1.0.0"));
                assertThat(served(node, null, echo)).isEqualTo("1.0.0");
            }
        }
    }

    private static void empty(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }
}
