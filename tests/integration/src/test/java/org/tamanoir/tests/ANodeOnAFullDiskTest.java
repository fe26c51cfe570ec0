package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Faulty;

/** A node on a disk that is full to every page that a deployment could need, one after the other. */
@Tag("lab")
class ANodeOnAFullDiskTest {
    private static final int TYPE = 0x5500;
    private static final String NAME = "harmless";
    private static final int PAGE = 4096;

    @TempDir
    private Path directory;
    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        Assumptions.assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root, for a tmpfs of its own");
        disk = Files.createDirectory(directory.resolve("disk"));
        assertThat(run("mount", "-t", "tmpfs", "-o", "size=16m", "tamanoir-test", disk.toString())).isZero();
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            await("the disk is free").pollDelay(Duration.ZERO).until(() -> {
                closeWhatTheFrameworkForgot();
                return run("umount", disk.toString()) == 0;
            });
        }
    }

    /** Where Felix cannot write a file to its end it removes it and leaves it open, which holds its pages until it is collected. */
    private static void closeWhatTheFrameworkForgot() {
        System.gc();
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void refusesWhatDoesNotFitAndServesWhatItHas() throws Exception {
        byte[] padding = new byte[3 * PAGE];
        new Random(1).nextBytes(padding);
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            Node node = grid.node(configuration -> configuration.set("data", disk.resolve("data")));
            Grid.admin(node).put("/bundles", bundle("1.0.0", padding));
            await("the node warms up there").untilAsserted(() -> assertThat(disk.resolve("data/incoming")).isEmptyDirectory());
            int refused = 0;
            try (SteadyStream steady = new SteadyStream(node)) {
                Path newer = bundle("2.0.0", padding);
                boolean taken = false;
                for (int pages = 0; !taken; pages++) {
                    leave(pages * PAGE);
                    try {
                        Grid.admin(node).put("/bundles", newer);
                        taken = true;
                    } catch (AnepException e) {
                        assertThat(e.code()).as("%d pages left: %s", pages, e.getMessage()).isIn(ErrorCode.STORAGE, ErrorCode.SERVICE_START_FAILED);
                        refused++;
                    }
                    assertServed(node, echo);
                    assertThat(names(disk.resolve("data/bundles"))).as("%d pages left", pages).noneMatch(name -> name.endsWith(".part"));
                    await("what was refused is thrown away").untilAsserted(() -> assertThat(disk.resolve("data/incoming")).isEmptyDirectory());
                }
                System.out.println("full disk: refused " + refused + " times before it fitted");
                assertThat(refused).isGreaterThan(padding.length / PAGE);
                assertThat(new NodeView(node).service(TYPE).path("version").asText()).isEqualTo("2.0.0");
                steady.undisturbed();
            }
            Files.delete(disk.resolve("filler"));
            node.stop();
            try (Node again = grid.again(configuration -> configuration.set("data", disk.resolve("data")))) {
                assertServed(again, echo);
                assertThat(new NodeView(again).service(TYPE).path("version").asText()).isEqualTo("2.0.0");
            }
        }
    }

    private Path bundle(String version, byte[] padding) {
        return new ServiceBundle(NAME, TYPE, "middle", Faulty.class).version(version).entry("padding", padding).in(directory);
    }

    /** Fills the disk but for some octets; again while something still frees what the deployment before has left. */
    private void leave(int octets) {
        Path filler = disk.resolve("filler");
        await("a disk with that much room").pollDelay(Duration.ZERO).untilAsserted(() -> {
            Files.deleteIfExists(filler);
            closeWhatTheFrameworkForgot();
            Files.write(filler, new byte[(int) (Files.getFileStore(disk).getUsableSpace() - octets)]);
            assertThat(Files.getFileStore(disk).getUsableSpace()).isEqualTo(octets);
        });
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static void assertServed(Node node, TcpServer echo) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW))).send(AnepPeer.data(TYPE, new byte[8])).finish();
            assertThat(peer.receive().payloadLength()).isEqualTo(8);
            assertThat(peer.receive()).isNull();
        }
    }
}
