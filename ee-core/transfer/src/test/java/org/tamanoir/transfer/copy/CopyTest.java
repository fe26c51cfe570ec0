package org.tamanoir.transfer.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;

@Tag("seeded")
class CopyTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    private Path directory;
    private Path here;
    private Path far;

    @BeforeEach
    void directories() throws IOException {
        here = Files.createDirectory(directory.resolve("here"));
        far = Files.createDirectory(directory.resolve("far"));
    }

    private Mover mover(String token, boolean readOnly) {
        return Mover.open(new MoverOptions(ANY, far, token, readOnly, MoverOptions.STREAMS, MoverOptions.MEMORY));
    }

    private static String place(InetSocketAddress mover, String path) {
        return "tam://127.0.0.1:" + mover.getPort() + "/" + path;
    }

    private static CopyOptions options(int piece) {
        return CopyOptions.PRESET.token("secret").streams(4, piece).files(List.of(), List.of("*.tmp"), false).sha256(true).patience(Duration.ofSeconds(20));
    }

    private static CopyReport copy(String from, String to, CopyOptions options) throws InterruptedException {
        try (TamanoirClient client = new TamanoirClient(); Plan plan = Plan.of(List.of(Place.parse(from)), Place.parse(to), options, client)) {
            return plan.run();
        }
    }

    /** Files of all sizes, modes, names and times. @return octets of what is to be copied */
    private static long tree(Path root, long seed) throws IOException {
        Random random = new Random(seed);
        long octets = 0;
        for (String name : List.of("empty", "small", "a/b/c/deep", "a/with space", "a/ünïcode", "large", "exact", "a/left.tmp", "a/link/x")) {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            byte[] content = new byte[switch (name) {
                case "empty" -> 0;
                case "large" -> 3_000_001;
                case "exact" -> 2 * Extent.SMALLEST;
                default -> random.nextInt(100_000);
            }];
            random.nextBytes(content);
            Files.write(file, content);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(random.nextBoolean() ? "rwxr-x--x" : "r--------"));
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_500_000_000_000L + random.nextInt()));
            octets += name.endsWith(".tmp") ? 0 : content.length;
        }
        Files.createDirectory(root.resolve("a/nothing in it"));
        Files.createSymbolicLink(root.resolve("a/link/out"), Path.of("/etc/passwd"));
        Files.setLastModifiedTime(root.resolve("a/b"), FileTime.fromMillis(1_000_000_000_000L));
        return octets;
    }

    /** What a tree is, without what is not copied. */
    private static TreeMap<String, String> tree(Path root) throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(one -> !one.equals(root) && !one.toString().endsWith(".tmp") && !Files.isSymbolicLink(one)).toList()) {
                boolean directory = Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
                found.put(root.relativize(file).toString(), FileStamp.of(file) + (directory ? "" : " " + Arrays.hashCode(Files.readAllBytes(file))));
            }
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTreeIsTheSameAtTheOtherEnd(boolean up) throws Exception {
        long octets = tree(up ? here : far, 1);
        try (Mover mover = mover("secret", !up)) {
            String from = up ? here.toString() : place(mover.address(), "");
            String to = up ? place(mover.address(), "") : here.toString();
            CopyReport report = copy(from, to, options(Extent.SMALLEST));
            assertThat(report.failed()).isEmpty();
            assertThat(tree(far)).isEqualTo(tree(here));
            assertThat(report.files()).isEqualTo(8);
            assertThat(report.skipped()).as("a link").isEqualTo(1);
            assertThat(report.octets()).isEqualTo(octets);
            assertThat(report.moved()).isBetween(octets, octets + 400_000);
            CopyReport again = copy(from, to, options(Extent.SMALLEST));
            assertThat(again.files()).isZero();
            assertThat(again.present()).isEqualTo(8);
            await().untilAsserted(() -> assertThat(mover.status()).satisfies(status -> {
                assertThat(status.streams()).isZero();
                assertThat(status.copies()).isZero();
                assertThat(status.failures()).isZero();
            }));
        }
    }

    @Test
    void fromMoverToMoverAndOnOneMachine() throws Exception {
        tree(far, 2);
        Path third = Files.createDirectory(directory.resolve("third"));
        try (Mover one = mover("secret", true); Mover other = Mover.open(new MoverOptions(ANY, third, null, false, 8, 1 << 20))) {
            assertThat(copy(place(one.address(), ""), place(other.address(), "in/it"), options(Extent.PRESET)).failed()).isEmpty();
        }
        assertThat(tree(third.resolve("in/it"))).isEqualTo(tree(far));
        assertThat(copy(far.toString(), here.toString(), options(Extent.PRESET)).failed()).isEmpty();
        assertThat(tree(here)).isEqualTo(tree(far));
    }

    /** Wrong: streams that are opened when it is known what there is to copy, a round trip later; those that nobody needs and that fail the mover. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void streamsAreOpenedWhileEndsAreLookedAt(boolean comes) throws Exception {
        Files.writeString((comes ? far : here).resolve("file"), "content");
        CopyOptions options = options(Extent.PRESET);
        try (Mover mover = mover("secret", false); BadWay way = BadWay.holding(mover.address(), options.streams() + 1)) {
            String there = place(way.address(), "file");
            String file = here.resolve("file").toString();
            assertThat(copy(comes ? there : file, comes ? file : there, options).lostStreams()).isZero();
            await().untilAsserted(() -> assertThat(mover.status().streams()).isZero());
            assertThat(mover.status().failures()).isZero();
        }
        assertThat((comes ? here : far).resolve("file")).hasContent("content");
    }

    /** Wrong: holes that are sent, or that fill the disk at the other end; a file that ends where its last octet is. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void holesStayHoles(boolean up) throws Exception {
        Path from = up ? here : far;
        byte[] octets = new byte[500_000];
        new Random(7).nextBytes(octets);
        for (String name : List.of("large", "small", "end", "nothing")) {
            try (RandomAccessFile file = new RandomAccessFile(from.resolve(name).toFile(), "rw")) {
                file.setLength(name.equals("large") ? 9_000_000 : name.equals("nothing") ? 3_000_000 : 900_000);
                if (!name.equals("nothing")) {
                    file.seek(name.equals("end") ? 400_000 : 300_000);
                    file.write(octets);
                }
                if (name.equals("large")) {
                    file.seek(7_000_000);
                    file.write(1);
                }
            }
        }
        assumeTrue(blocks(from) < 4_000, "a file system without holes");
        try (Mover mover = mover("secret", false)) {
            CopyReport report = copy(up ? here.toString() : place(mover.address(), ""), up ? place(mover.address(), "") : here.toString(), options(1 << 20));
            assertThat(report.failed()).isEmpty();
            assertThat(report.moved()).isLessThan(1_600_000);
            assertThat(report.moved() + report.holes()).isBetween(report.octets(), report.octets() + 10_000);
        }
        assertThat(tree(far)).isEqualTo(tree(here));
        assertThat(blocks(up ? far : here)).isCloseTo(blocks(from), within(64L));
    }

    /** What it has on the disk, in KiB. */
    private static long blocks(Path root) throws Exception {
        Process du = new ProcessBuilder("du", "-sk", root.toString()).redirectErrorStream(true).start();
        String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(du.waitFor()).as(said).isZero();
        return Long.parseLong(said.split("\\s")[0]);
    }

    /** Wrong: a file whose name depends on whether an earlier try has got so far. */
    @ParameterizedTest
    @CsvSource({"file,new,new", "file,new/,new/file", "file,old,old/file", "dir,new,new/in", "dir,old,old/in"})
    void theSameCommandMeansTheSame(String source, String target, String expected) throws Exception {
        Files.writeString(here.resolve("file"), "content");
        Files.createDirectory(here.resolve("dir"));
        Files.writeString(here.resolve("dir/in"), "content");
        Files.createDirectory(far.resolve("old"));
        try (Mover mover = mover(null, false)) {
            for (int i = 0; i < 2; i++) {
                copy(here.resolve(source).toString(), place(mover.address(), target), options(Extent.PRESET));
                assertThat(far.resolve(expected)).hasContent("content");
                copy(here.resolve(source).toString(), directory.resolve("local" + target.charAt(0)).toString() + (target.endsWith("/") ? "/" : ""), options(Extent.PRESET));
            }
            try (Stream<Path> files = Files.walk(far)) {
                assertThat(files.filter(Files::isRegularFile)).hasSize(1);
            }
        }
    }

    /**
     * Connections are cut, octets change and nothing comes any more, at random: every file is the source's in the end, or the copy says that it is not. Wrong:
     * an extent that is believed before its checksum, one that is lost with its stream, a stream that waits for ever.
     */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whateverHappensOnTheWay(long seed) throws Exception {
        tree(seed % 2 == 0 ? here : far, seed);
        try (Mover mover = mover("secret", false); BadWay way = new BadWay(mover.address(), seed, 400_000)) {
            String there = place(way.address(), "");
            CopyReport report = copy(seed % 2 == 0 ? here.toString() : there, seed % 2 == 0 ? there : here.toString(), options(Extent.SMALLEST));
            assertThat(report.failed()).isEmpty();
            assertThat(way.faults()).isPositive();
        }
        assertThat(tree(far)).isEqualTo(tree(here));
    }

    @Test
    void whoMayNotHearsIt() throws Exception {
        Files.writeString(here.resolve("file"), "content");
        try (Mover mover = mover("other", false)) {
            assertThatThrownBy(() -> copy(here.toString(), place(mover.address(), ""), options(Extent.PRESET))).hasMessageContaining("EE-406").isInstanceOf(AnepException.class);
        }
        try (Mover mover = mover(null, true)) {
            assertThat(copy(here.toString(), place(mover.address(), ""), options(Extent.PRESET)).failed()).singleElement()
                    .satisfies(failure -> assertThat(failure.why()).contains("EE-414"));
            assertThatThrownBy(() -> copy(place(mover.address(), "none"), here.toString(), options(Extent.PRESET))).hasMessageContaining("EE-407");
        }
        assertThatThrownBy(() -> Place.parse("tam://localhost:1/../etc")).hasMessageContaining("EE-108");
        assertThatThrownBy(() -> Place.parse("ftp://localhost/x")).hasMessageContaining("EE-408");
    }

    /** Wrong: two sources of which the second replaces the first, and a rehearsal that leaves a directory. */
    @Test
    void twoFilesOfOneNameAreRefusedAndARehearsalMakesNothing() throws Exception {
        for (String name : List.of("one", "other")) {
            Files.writeString(Files.createDirectory(here.resolve(name)).resolve("file"), name);
        }
        Place into = Place.parse(far.resolve("new/deep").toString());
        List<Place> files = List.of(Place.parse(here.resolve("one/file").toString()), Place.parse(here.resolve("other/file").toString()));
        try (TamanoirClient client = new TamanoirClient()) {
            assertThatThrownBy(() -> Plan.of(files, into, options(Extent.PRESET), client)).hasMessageContaining("EE-408").hasMessageContaining("file");
            try (Plan plan = Plan.of(List.of(Place.parse(here.resolve("one").toString())), into, options(Extent.PRESET), client)) {
                assertThat(plan.files()).isEqualTo(1);
            }
        }
        assertThat(far).isEmptyDirectory();
        copy(here.resolve("one").toString(), into.toString(), options(Extent.PRESET));
        assertThat(far.resolve("new/deep/file")).hasContent("one");
    }

    /** Wrong: a patience that counts extents, of which a slow link needs minutes for one. */
    @Test
    @Tag("long")
    void aSlowCopyIsNotAStalledOne() throws Exception {
        Files.write(here.resolve("file"), new byte[200_000]);
        CopyOptions slow = CopyOptions.PRESET.streams(1, Extent.PRESET).rate(40_000).patience(Duration.ofSeconds(1));
        assertThat(copy(here.toString(), far.toString(), slow).files()).isEqualTo(1);
    }

    /** Wrong: a link at the destination that leads out of it, a directory in a file's place, and one such file that ends the others. */
    @Test
    void whatCannotBeWrittenFailsAlone() throws Exception {
        Files.createDirectories(here.resolve("out"));
        Files.writeString(here.resolve("out/file"), "content");
        Files.writeString(here.resolve("dir"), "content");
        Files.writeString(here.resolve("good"), "content");
        Files.createSymbolicLink(far.resolve("out"), directory);
        FileStamp outside = FileStamp.of(directory);
        Files.createDirectory(far.resolve("dir"));
        try (Mover mover = mover(null, false)) {
            CopyReport report = copy(here.toString(), place(mover.address(), ""), options(Extent.PRESET));
            assertThat(report.files()).isEqualTo(1);
            assertThat(report.failed()).extracting(CopyReport.Failure::path).map(path -> path.substring(path.lastIndexOf('/') + 1)).contains("file", "dir");
        }
        assertThat(far.resolve("good")).hasContent("content");
        assertThat(directory.resolve("file")).doesNotExist();
        assertThat(FileStamp.of(directory)).as("marks of what a link leads to").isEqualTo(outside);
    }

    /** Slow enough to have a middle; does something in it. */
    private CopyReport disturbed(String to, Path part, Duration patience, Disturbance disturbance) throws Exception {
        byte[] content = new byte[2_000_000];
        Files.write(here.resolve("file"), content);
        Files.writeString(here.resolve("other"), "content");
        CopyOptions slow = CopyOptions.PRESET.streams(2, Extent.SMALLEST).rate(1_000_000).patience(patience);
        Thread disturbing = new Thread(() -> {
            await().until(() -> Files.exists(part) && Files.size(part) > 10 * Extent.SMALLEST);
            try {
                disturbance.happen();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        disturbing.start();
        try {
            return copy(here.toString(), to, slow);
        } finally {
            disturbing.join();
        }
    }

    private interface Disturbance {
        void happen() throws IOException;
    }

    /** Wrong: a copy that is half of the old file and half of the new one. */
    @Test
    void aSourceThatChangesIsSaidByName() throws Exception {
        CopyReport report = disturbed(far.toString(), far.resolve(".tamanoir-file.part"), Duration.ofSeconds(20), () -> Files.write(here.resolve("file"), new byte[3_000_000]));
        assertThat(report.failed()).singleElement().satisfies(failure -> assertThat(failure.why()).contains("EE-752"));
        assertThat(far.resolve("file")).doesNotExist();
        assertThat(far.resolve("other")).hasContent("content");
    }

    /** Wrong: a copy that waits for ever, and one that throws away what has come. */
    @Test
    @Tag("long")
    void aCopyEndsWhenNothingMoves() throws Exception {
        try (Mover mover = mover(null, false); BadWay way = new BadWay(mover.address(), 1, Integer.MAX_VALUE)) {
            Path part = far.resolve(".tamanoir-file.part");
            assertThatThrownBy(() -> disturbed(place(way.address(), ""), part, Duration.ofSeconds(2), way::close)).hasMessageContaining("EE-754").hasMessageContaining("EE-2");
            assertThat(part).exists();
            CopyReport report = copy(here.toString(), place(mover.address(), ""), options(Extent.SMALLEST));
            assertThat(report.resumed()).isGreaterThan(8 * Extent.SMALLEST);
            assertThat(Files.mismatch(far.resolve("file"), here.resolve("file"))).isEqualTo(-1);
        }
    }
}
