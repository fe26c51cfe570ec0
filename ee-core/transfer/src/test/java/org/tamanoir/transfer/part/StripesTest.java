package org.tamanoir.transfer.part;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;

class StripesTest {
    private static final int HALF = 100_000;
    private static final FileStamp STAMP = new FileStamp(2 * HALF, 1_500_000_000_000_000_000L, 0644);
    private static final FileStamp NEXT = new FileStamp(2 * HALF, 1_600_000_000_000_000_000L, 0644);

    @TempDir
    private Path directory;
    private final Executor now = Runnable::run;

    private static Content filled(int value) {
        byte[] octets = new byte[HALF];
        Arrays.fill(octets, (byte) value);
        return Content.of(ByteBuffer.wrap(octets));
    }

    private Path target() {
        return directory.resolve("file");
    }

    private static void entered(PartFile part, int half, Content content) {
        part.enter(part.inode(), new Extent((long) half * HALF, HALF), content.crc(), content.adler()).toCompletableFuture().join();
    }

    /** Wrong: octets that the journal's keeper does not count; a stamp that a late write has changed; a file that is not the two halves. */
    @Test
    void whatAnotherProcessHasWrittenCountsWhenItIsEntered() throws IOException {
        ArrayDeque<Runnable> disk = new ArrayDeque<>();
        try (PartFile part = PartFile.open(target(), STAMP, now, () -> { })) {
            part.keep(0, filled(1));
            Stripes.write(target(), STAMP, part.inode(), HALF, filled(2), now).toCompletableFuture().join();
            assertThat(part.missing(Extent.LARGEST)).containsExactly(new Extent(HALF, HALF));
            CompletionStage<Void> late = Stripes.write(target(), STAMP, part.inode(), HALF, filled(2), disk::add);
            entered(part, 1, filled(2));
            part.commit();
            Files.setLastModifiedTime(target(), FileTime.fromMillis(0));
            disk.remove().run();
            late.toCompletableFuture().join();
        }
        assertThat(FileStamp.of(target())).isEqualTo(STAMP);
        byte[] octets = Files.readAllBytes(target());
        assertThat(octets[HALF - 1]).isEqualTo((byte) 1);
        assertThat(octets[HALF]).isEqualTo((byte) 2);
        // One that comes when all is over has nothing to do.
        Stripes.write(target(), STAMP, 1, HALF, filled(2), now).toCompletableFuture().join();
    }

    /** Wrong: octets of a source that has changed since in the part of what it is now. */
    @Test
    void whatComesLateIsNotWrittenIntoTheNextPart() throws IOException {
        long old;
        try (PartFile part = PartFile.open(target(), STAMP, now, () -> { })) {
            part.keep(0, filled(1)).toCompletableFuture().join();
            old = part.inode();
        }
        try (PartFile part = PartFile.open(target(), NEXT, now, () -> { })) {
            part.keep(0, filled(3)).toCompletableFuture().join();
            for (long inode : new long[] {old, part.inode()}) {
                assertThatThrownBy(() -> Stripes.write(target(), STAMP, inode, 0, filled(1), now)).isInstanceOf(AnepException.class).hasMessageContaining("EE-409");
            }
            part.keep(HALF, filled(4)).toCompletableFuture().join();
            part.commit();
        }
        assertThat(Files.readAllBytes(target())[0]).isEqualTo((byte) 3);
    }

    /** Wrong: octets in a part of the same file that an earlier copy has left in another file system. */
    @Test
    void anotherPartOfTheSameFileIsNotTouched() {
        try (PartFile part = PartFile.open(target(), STAMP, now, () -> { })) {
            assertThatThrownBy(() -> Stripes.write(target(), STAMP, part.inode() + 1, 0, filled(1), now)).isInstanceOf(AnepException.class).hasMessageContaining("same file system");
            assertThatThrownBy(() -> part.enter(part.inode() + 1, new Extent(0, HALF), 1, 1)).isInstanceOf(AnepException.class).hasMessageContaining("EE-409");
            assertThat(part.missing(Extent.LARGEST)).hasSize(1);
        }
    }
}
