package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/** A peer opens a thousand streams and names a thousand code servers of its host that never answer: only that peer waits. */
@Tag("long")
class SilentCodeServersTest {
    private static final int COUNT = 1000;
    private static final int FIRST = 0x6000;
    private static final int RUNNING = 0x5500;
    private static final int KEPT_BY_REPOSITORY = 0x5501;

    @TempDir
    private Path keys;

    @Test
    void delayNeitherARevocationNorTheServiceOfAnotherPeer() throws Exception {
        Keyring keyring = new Keyring(keys).add("alice");
        byte[] running = keyring.signed(new ServiceBundle("running", RUNNING, "middle", Faulty.class), "alice");
        byte[] wanted = keyring.signed(new ServiceBundle("wanted", KEPT_BY_REPOSITORY, "middle", Faulty.class), "alice");
        InetAddress host = InetAddress.getByName("127.0.0.9");
        List<ServerSocket> silent = new ArrayList<>();
        List<AnepPeer> peers = new ArrayList<>();
        try (Grid grid = new Grid(); TcpServer echo = TcpServer.echo(); FakeRepository repository = offering("wanted", KEPT_BY_REPOSITORY, wanted)) {
            plant(grid.directory().resolve("node0"), "running", RUNNING, running);
            Path revoked = Files.writeString(grid.directory().resolve("revoked"), "");
            Path publishers = Files.writeString(grid.directory().resolve("publishers.pem"), keyring.certificate("alice"));
            Node node = grid.node(configuration -> {
                configuration.set("development", false);
                configuration.set("trust", publishers);
                configuration.set("revoked", revoked);
                configuration.set("repositories", List.of(repository.url()));
                configuration.set("limits.streams-per-source", COUNT + 100);
            });
            try (AnepPeer open = open(node, null, echo, RUNNING, null); AnepPeer other = new AnepPeer(node.address(), InetAddress.getByName("127.0.0.8"))) {
                assertServed(open, RUNNING);
                for (int i = 0; i < COUNT; i++) {
                    silent.add(new ServerSocket(0, 1, host));
                    peers.add(open(node, host, echo, FIRST + i, new PreviousNode(1, silent.get(i).getLocalPort())));
                }
                long start = System.nanoTime();
                Files.writeString(revoked, "bundle " + FakeRepository.sha256(running) + "\n");
                assertThat(open.refusalAfterData()).isEqualTo(ErrorCode.SERVICE_REMOVED);
                assertThat(millis(start)).as("until the stream of a revoked service has ended").isLessThan(5000);

                other.send(AnepPeer.opening(KEPT_BY_REPOSITORY, AnepPeer.to(echo.port(), Delivery.RAW)));
                assertServed(other, KEPT_BY_REPOSITORY);
                assertThat(millis(start)).as("until another peer has the service of a repository").isLessThan(10_000);
                for (AnepPeer peer : peers) {
                    assertThat(peer.refusal()).isIn(ErrorCode.REPOSITORY_UNREACHABLE, ErrorCode.BUSY);
                }
            }
        } finally {
            for (AnepPeer peer : peers) {
                peer.close();
            }
            for (ServerSocket server : silent) {
                server.close();
            }
        }
    }

    private static long millis(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    private static FakeRepository offering(String name, int type, byte[] bundle) throws IOException {
        return new FakeRepository(FakeRepository.text(FakeRepository.indexOf(name, type, "middle", FakeRepository.sha256(bundle), "bundle.jar",
                bundle.length)), FakeRepository.octets(bundle));
    }

    private static void plant(Path data, String name, int type, byte[] bundle) throws IOException {
        Path store = Files.createDirectories(data.resolve("bundles"));
        String hash = FakeRepository.sha256(bundle);
        Files.write(store.resolve(hash + ".jar"), bundle);
        Files.writeString(store.resolve(hash + ".json"), "{\"typeId\":" + type + ",\"name\":\"" + name
                + "\",\"version\":\"1.0.0\",\"level\":\"middle\",\"sha256\":\"" + hash + "\",\"size\":" + bundle.length + ",\"content\":null}");
    }

    private static AnepPeer open(Node node, InetAddress from, TcpServer echo, int type, PreviousNode previous) throws IOException {
        return new AnepPeer(node.address(), from).send(AnepPeer.opening(type, AnepPeer.to(echo.port(), Delivery.RAW).previousNode(previous)));
    }

    private static void assertServed(AnepPeer peer, int type) throws IOException {
        peer.send(AnepPeer.data(type, new byte[] {1, 2, 3}));
        assertThat(peer.receive().payloadLength()).isEqualTo(3);
    }
}
