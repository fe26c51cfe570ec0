package org.tamanoir.transfer.part;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.Sparse;

@Tag("seeded")
class PartFileTest {
    private static final ExecutorService SYNCS = Executors.newFixedThreadPool(2);
    private static final int PIECE = 1000;

    @TempDir
    private Path directory;

    @AfterAll
    static void end() {
        SYNCS.shutdown();
    }

    /**
     * Whatever a crash, a disk or somebody does to part and journal between two runs: what is put together is the source. Wrong: a journal that is believed, a
     * record that hides the one that came after it, a torn end that shifts what is added, a hole where something else was.
     */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whateverHappensBetweenRunsTheFileIsTheSource(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 25; i++) {
            byte[] source = new byte[random.nextInt(40 * PIECE)];
            random.nextBytes(source);
            for (int hole = random.nextInt(5); hole > 0 && source.length > 0; hole--) {
                int from = random.nextInt(source.length);
                Arrays.fill(source, from, from + random.nextInt(Math.min(3 * PIECE, source.length - from) + 1), (byte) 0);
            }
            FileStamp stamp = new FileStamp(source.length, random.nextLong() >>> 8, 0644);
            Path target = directory.resolve("file" + i);
            long again = 0;
            for (int run = random.nextInt(4); run > 0; run--) {
                try (PartFile part = PartFile.open(target, stamp, SYNCS, () -> { })) {
                    List<Extent> missing = new ArrayList<>(part.missing(PIECE));
                    Collections.shuffle(missing, random);
                    keep(part, source, missing.subList(0, random.nextInt(missing.size() + 1)));
                }
                again += harm(target, random);
            }
            try (PartFile part = PartFile.open(target, stamp, SYNCS, () -> { })) {
                assertThat(part.resumedOctets()).isBetween(0L, stamp.size());
                keep(part, source, part.missing(random.nextInt(2 * PIECE) + 1));
                assertThat(part.missing(PIECE)).isEmpty();
                assertThat(part.adler()).isEqualTo(adler(source));
                part.commit();
            }
            assertThat(Files.readAllBytes(target)).as("seed %d, file %d, harmed %d times", seed, i, again).isEqualTo(source);
        }
        assertThat(names()).as("nothing else is left").allMatch(name -> name.startsWith("file"));
    }

    /** Flips bits, and cuts. */
    private static int harm(Path target, Random random) throws IOException {
        int harmed = 0;
        for (String end : List.of(".part", ".journal")) {
            Path file = PartFile.beside(target, end);
            if (Files.exists(file) && Files.size(file) > 0 && random.nextInt(3) == 0) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    harmed++;
                    long at = random.nextLong(channel.size());
                    if (random.nextBoolean()) {
                        channel.truncate(at);
                    } else {
                        ByteBuffer one = ByteBuffer.allocate(1);
                        channel.read(one, at);
                        channel.write(one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8))).flip(), at);
                    }
                }
            }
        }
        return harmed;
    }

    /** Wrong: a second run that begins anew, or that fetches what it has. */
    @Test
    void anotherRunGoesOnWithWhatIsThere() throws Exception {
        byte[] source = new byte[10 * PIECE];
        new Random(1).nextBytes(source);
        FileStamp stamp = new FileStamp(source.length, 5, 0600);
        Path target = directory.resolve("file");
        try (PartFile part = PartFile.open(target, stamp, SYNCS, () -> { })) {
            keep(part, source, List.of(new Extent(0, PIECE), new Extent(3 * PIECE, 2 * PIECE)));
            assertThatThrownBy(() -> PartFile.open(target, stamp, SYNCS, () -> { })).hasMessageContaining("EE-410").hasMessageContaining("another copy");
        }
        try (PartFile part = PartFile.open(target, stamp, SYNCS, () -> { })) {
            assertThat(part.resumedOctets()).isEqualTo(3 * PIECE);
            assertThat(part.missing(4 * PIECE)).containsExactly(new Extent(PIECE, 2 * PIECE), new Extent(5 * PIECE, 4 * PIECE), new Extent(9 * PIECE, PIECE));
        }
        try (PartFile part = PartFile.open(target, new FileStamp(source.length, 6, 0600), SYNCS, () -> { })) {
            assertThat(part.resumedOctets()).as("the source has changed").isZero();
            assertThat(part.missing(4 * PIECE)).hasSize(3);
        }
        assertThat(names()).as("what is empty is not kept").isEmpty();
    }

    /** Wrong: a name before the content, a mode or a time that is not the source's, a leading hole, a long name. */
    @Test
    void theFileGetsItsNameLast() throws Exception {
        byte[] source = new byte[3 * PIECE];
        String name = "n".repeat(255);
        Path target = directory.resolve(name);
        Files.writeString(target, "what was there");
        FileStamp stamp = new FileStamp(source.length, 1_600_000_000_123_456_000L, 0751);
        try (PartFile part = PartFile.open(target, stamp, SYNCS, () -> { })) {
            keep(part, source, List.of(new Extent(PIECE, 2 * PIECE)));
            assertThatThrownBy(part::commit).isInstanceOf(IllegalStateException.class);
            assertThat(target).hasContent("what was there");
            keep(part, source, part.missing(PIECE));
            part.commit();
        }
        assertThat(names()).containsExactly(name);
        assertThat(FileStamp.of(target)).isEqualTo(stamp);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target))).isEqualTo("rwxr-x--x");
    }

    @Test
    void whatIsNotOfTheFileIsRefused() {
        try (PartFile part = PartFile.open(directory.resolve("file"), new FileStamp(PIECE, 5, 0600), SYNCS, () -> { })) {
            assertThatThrownBy(() -> part.keep(1, Content.of(ByteBuffer.allocate(PIECE)))).hasMessageContaining("EE-408");
        }
        assertThatThrownBy(() -> PartFile.open(directory.resolve("none/file"), new FileStamp(PIECE, 5, 0600), SYNCS, () -> { })).hasMessageContaining("EE-409");
    }

    private static void keep(PartFile part, byte[] source, List<Extent> extents) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Extent extent : extents) {
            ByteBuffer octets = ByteBuffer.wrap(source, (int) extent.offset(), extent.length());
            Content content = extent.offset() % 3 == 0 ? Content.of(octets) : Sparse.of(octets);
            all.add(part.keep(extent.offset(), content).toCompletableFuture());
        }
        all.forEach(CompletableFuture::join);
    }

    private static int adler(byte[] octets) {
        Adler32 sum = new Adler32();
        sum.update(octets);
        return (int) sum.getValue();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
