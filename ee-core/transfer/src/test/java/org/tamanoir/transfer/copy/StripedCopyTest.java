package org.tamanoir.transfer.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;

/** Copies from and to several movers of one file system at once. */
@Tag("seeded")
@Timeout(120)
class StripedCopyTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int LARGE = 6_000_001;
    private static final int SMALL = 30;

    @TempDir
    private Path directory;
    private Path here;
    private Path far;
    private final List<Mover> movers = new ArrayList<>();
    private TamanoirClient client;

    @BeforeEach
    void start() throws IOException {
        here = Files.createDirectories(directory.resolve("here/run/sub")).getParent().getParent();
        far = Files.createDirectory(directory.resolve("far"));
        Random random = new Random(1);
        for (String name : List.of("large", "other")) {
            byte[] octets = new byte[LARGE];
            random.nextBytes(octets);
            Files.write(here.resolve("run/" + name), octets);
            Files.setLastModifiedTime(here.resolve("run/" + name), FileTime.fromMillis(1_600_000_000_123L));
        }
        for (int i = 0; i < SMALL; i++) {
            byte[] octets = new byte[i * 1000];
            random.nextBytes(octets);
            Files.write(here.resolve("run/sub/small" + i), octets);
        }
        client = new TamanoirClient();
    }

    @AfterEach
    void stop() {
        client.close();
        movers.forEach(Mover::close);
    }

    private Mover mover(Path root, String token) {
        Mover mover = Mover.open(new MoverOptions(ANY, root, token, false, 64, MoverOptions.MEMORY));
        movers.add(mover);
        return mover;
    }

    private static String place(List<InetSocketAddress> movers, String path) {
        return "tam://" + movers.stream().map(one -> "127.0.0.1:" + one.getPort()).collect(Collectors.joining(",")) + "/" + path;
    }

    private static CopyOptions options(String token, long rate) {
        return CopyOptions.PRESET.token(token).streams(2, Extent.SMALLEST).rate(rate).patience(Duration.ofSeconds(20));
    }

    private CopyReport copy(List<InetSocketAddress> from, List<InetSocketAddress> to, long rate) throws InterruptedException {
        try (ThirdParty asked = new ThirdParty("one", List.of(Place.parse(place(from, "run"))), Place.parse(place(to, "in")), options("destination", rate), "source", List.of(), client)) {
            return asked.run();
        }
    }

    private static List<InetSocketAddress> addresses(Mover... movers) {
        return List.of(movers).stream().map(Mover::address).toList();
    }

    private void isWhole() throws IOException {
        for (String name : List.of("large", "other")) {
            assertThat(Files.mismatch(here.resolve("run/" + name), far.resolve("in/" + name))).isEqualTo(-1);
            assertThat(FileStamp.of(far.resolve("in/" + name))).isEqualTo(FileStamp.of(here.resolve("run/" + name)));
        }
        for (int i = 0; i < SMALL; i++) {
            assertThat(Files.mismatch(here.resolve("run/sub/small" + i), far.resolve("in/sub/small" + i))).isEqualTo(-1);
        }
        try (var left = Files.list(far.resolve("in"))) {
            assertThat(left.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder("large", "other", "sub");
        }
    }

    /** Wrong: octets that all pass by one mover, or a mover that nobody uses. */
    @Test
    void octetsGoFromEachMoverOfTheSourceToEachOfTheDestination() throws Exception {
        Mover[] sources = {mover(here, "source"), mover(here, "source"), mover(here, "source")};
        Mover[] destinations = {mover(far, "destination"), mover(far, "destination")};
        CopyReport report = copy(addresses(sources), addresses(destinations), 0);
        isWhole();
        assertThat(report.failed()).isEmpty();
        assertThat(report.moved()).isGreaterThanOrEqualTo(2 * LARGE);
        for (Mover source : sources) {
            assertThat(source.status().octets()).isBetween(LARGE / 10L, 2L * LARGE);
        }
        for (Mover destination : destinations) {
            assertThat(destination.status().octets()).isBetween(LARGE / 4L, 2L * LARGE);
        }
        assertThat(copy(addresses(sources), addresses(destinations), 0).present()).isEqualTo(2 + SMALL);
    }

    /** Wrong: a stream, or an octet, that is lost between two of the movers, and a file that waits for it for ever, or has something else in its place. */
    @Test
    void ofEachPairTheWayMayBeBad() throws Exception {
        Mover source = mover(here, "source");
        Mover first = mover(far, "destination");
        Mover second = mover(far, "destination");
        try (BadWay toSource = new BadWay(source.address(), 1, 700_000); BadWay toSecond = new BadWay(second.address(), 2, 3_000)) {
            CopyReport report = copy(List.of(source.address(), toSource.address()), List.of(first.address(), toSecond.address()), 0);
            assertThat(report.failed()).isEmpty();
            isWhole();
            assertThat(toSource.faults()).isPositive();
            assertThat(toSecond.faults()).isPositive();
        }
    }

    /** Wrong: a copy that needs all movers to be there to its end. */
    @Test
    @Tag("long")
    void oneOfEachSideMayEnd() throws Exception {
        Mover[] sources = {mover(here, "source"), mover(here, "source")};
        Mover[] destinations = {mover(far, "destination"), mover(far, "destination")};
        CompletableFuture<CopyReport> copy = CompletableFuture.supplyAsync(() -> {
            try {
                return copy(addresses(sources), addresses(destinations), 3_000_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (destinations[1].status().octets() < LARGE / 10 && !copy.isDone()) {
            Thread.sleep(10);
        }
        sources[1].close();
        destinations[1].close();
        assertThat(copy.get(60, TimeUnit.SECONDS).failed()).isEmpty();
        assertThat(copy.get().lostStreams()).isPositive();
        isWhole();
    }

    /** Wrong: files of this machine that the first mover alone writes; a second one whose part no journal knows. */
    @Test
    void filesOfThisMachineAreWrittenByEachMover() throws Exception {
        Mover[] destinations = {mover(far, "destination"), mover(far, "destination")};
        try (Plan plan = Plan.of(List.of(Place.parse(here.resolve("run").toString())), Place.parse(place(addresses(destinations), "in")), options("destination", 0), client)) {
            assertThat(plan.run().failed()).isEmpty();
        }
        isWhole();
        for (Mover destination : destinations) {
            assertThat(destination.status().octets()).isGreaterThan(LARGE / 4);
        }
    }

    /** Wrong: a file with holes where the other mover has written into a file system of its own. */
    @Test
    void moversOfDifferentFileSystemsCompleteNothing() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Mover source = mover(here, "source");
        Mover first = mover(far, "destination");
        Mover second = mover(elsewhere, "destination");
        CopyReport report = copy(addresses(source), List.of(first.address(), second.address()), 0);
        assertThat(report.failed()).extracting(CopyReport.Failure::path).contains("run/large", "run/other");
        assertThat(report.failed()).anySatisfy(failure -> assertThat(failure.why()).startsWith("EE-409").contains("same file system"));
        assertThat(far.resolve("in/large")).doesNotExist();
        assertThat(far.resolve("in/other")).doesNotExist();
    }
}
