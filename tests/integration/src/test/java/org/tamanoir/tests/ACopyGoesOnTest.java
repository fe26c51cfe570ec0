package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/** Copies between two machines by two nodes, as processes; SIGKILL takes each of them in the middle. */
@Tag("long")
@Tag("seeded")
@Timeout(180)
class ACopyGoesOnTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OCTETS = 40_000_000;
    /** Of the mover's directory. */
    private static final String IN = "in";
    private static final List<NodeProgram> NODES = new ArrayList<>();

    private static Grid grid;
    private static Path here;
    private static Path far;
    private static int port;
    private static LabProcess mover;

    @BeforeAll
    static void start() throws IOException {
        grid = Grid.withRepository();
        here = Files.createDirectories(grid.directory().resolve("here/sub")).getParent();
        far = Files.createDirectory(grid.directory().resolve("far"));
        Random random = new Random(1);
        byte[] octets = new byte[OCTETS];
        random.nextBytes(octets);
        Files.write(here.resolve("large"), octets);
        for (int i = 0; i < 50; i++) {
            byte[] small = new byte[random.nextInt(100_000)];
            random.nextBytes(small);
            Files.write(here.resolve("sub/small" + i), small);
        }
        port = FreePort.onLoopback();
        startMover();
        for (int i = 0; i < 2; i++) {
            NODES.add(node(i));
        }
    }

    private static NodeProgram node(int number) {
        return new NodeProgram(grid.directory().resolve("node" + number), "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
    }

    private static void startMover() {
        mover = LabProcess.start("mover", CommandLineTool.command("mover", "run", "--listen", "127.0.0.1:" + port, "--root", far.toString()));
        mover.awaitLine("READY mover ", PATIENCE);
    }

    @AfterAll
    static void stop() throws IOException {
        mover.close();
        NODES.forEach(NodeProgram::close);
        grid.close();
    }

    @AfterEach
    void takeAway() throws IOException {
        try (Stream<Path> files = Files.walk(far.resolve(IN))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Slowly enough that there is a middle. */
    private LabProcess copy() {
        List<String> arguments = new ArrayList<>(List.of("copy", "--rate", "100M", "--extent", "1M", "--streams", "3", "--json"));
        NODES.forEach(node -> arguments.addAll(List.of("--via", "127.0.0.1:" + node.address().getPort())));
        arguments.addAll(List.of(here.toString(), "tam://127.0.0.1:" + port + "/" + IN));
        return LabProcess.start("copy", CommandLineTool.command(arguments.toArray(String[]::new)));
    }

    /** Waits until a good part of the large file is there, and the journal says so. */
    private void awaitMiddle() throws Exception {
        Path journal = far.resolve(IN).resolve(".tamanoir-large.journal");
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(journal) || Files.size(journal) < 28 + 24 * 15) {
            assertThat(System.nanoTime()).as("the copy does not begin").isLessThan(end);
            Thread.sleep(20);
        }
    }

    private JsonNode done(LabProcess copy) throws Exception {
        assertThat(copy.awaitExit(PATIENCE)).as(copy.errors()).isZero();
        String last = copy.output().lines().filter(line -> line.contains("\"done\"")).findFirst().orElseThrow();
        return CommandLineTool.json(last);
    }

    private void isWhole() throws IOException {
        try (Stream<Path> files = Files.walk(here)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.mismatch(file, far.resolve(IN).resolve(here.relativize(file)))).as("%s", file).isEqualTo(-1);
            }
        }
        try (Stream<Path> files = Files.walk(far)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith(".tamanoir"))).as("nothing else is left").isEmpty();
        }
    }

    /** Wrong: a copy that ends with a stream, that begins anew, or that waits for a node that is gone. */
    @ParameterizedTest
    @ValueSource(strings = {"node", "frozen node", "mover"})
    void whoeverIsLostOnTheWay(String which) throws Exception {
        LabProcess copy = copy();
        awaitMiddle();
        if (which.equals("node")) {
            NODES.get(0).kill();
        } else if (which.equals("frozen node")) {
            NODES.get(0).freeze();
        } else {
            mover.kill();
            startMover();
        }
        JsonNode report = done(copy);
        assertThat(report.path("lostStreams").asInt()).isPositive();
        assertThat(report.path("moved").asLong() - report.path("octets").asLong()).as("octets sent twice").isLessThan(15_000_000);
        assertThat(report.path("seconds").asDouble()).as("15 s of silence once, and 5 s for the octets").isLessThan(30);
        isWhole();
        if (!which.equals("mover")) {
            NODES.get(0).close();
            NODES.set(0, node(0));
        }
    }

    /** Wrong: an extent that counts before it is on the disk, or one that does not though it was acknowledged; a name before the whole. */
    @ParameterizedTest
    @ValueSource(strings = {"SIGKILL", "SIGTERM"})
    void theSameCommandGoesOnWhenTheCopyItselfEnds(String signal) throws Exception {
        LabProcess copy = copy();
        awaitMiddle();
        if (signal.equals("SIGKILL")) {
            copy.kill();
        } else {
            Command.run(List.of("kill", "-TERM", Long.toString(copy.pid())));
            assertThat(copy.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(copy.errors()).contains("interrupted; the same command goes on from here");
        }
        assertThat(far.resolve(IN).resolve("large")).doesNotExist();
        JsonNode report = done(copy());
        assertThat(report.path("resumed").asLong()).as("went on").isGreaterThan(OCTETS / 8);
        assertThat(report.path("moved").asLong()).as("what was there is not sent again").isLessThan(OCTETS - report.path("resumed").asLong() + 8_000_000);
        isWhole();
        JsonNode again = done(copy());
        assertThat(again.path("files").asInt()).isZero();
    }
}
