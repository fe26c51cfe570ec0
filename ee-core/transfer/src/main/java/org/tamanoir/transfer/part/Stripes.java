package org.tamanoir.transfer.part;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.FileStamp;

/**
 * Extents of a {@link PartFile} that another process has, on another machine of the same file system, which keeps the journal. It may complete the file, or begin
 * another one of the same name, at any moment: what comes late touches neither.
 */
public final class Stripes {
    private Stripes() {
    }

    /**
     * Writes an extent; the stage completes when it is on the disk, or the file is complete.
     *
     * @param target where the file will be @param stamp of the source @param inode number of the part's @param extent has been read when this returns
     * @param syncs where disks are waited for
     * @throws AnepException EE-409 if nobody has begun the file, or the disk does not take it
     */
    public static CompletionStage<Void> write(Path target, FileStamp stamp, long inode, long offset, Content extent, Executor syncs) {
        Path part = PartFile.beside(target, ".part");
        try {
            FileChannel channel = FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                // In this order: the part of another source is another file, and there only when the journal says so.
                if (!Journal.isOf(PartFile.beside(target, ".journal"), stamp) || PartFile.inode(part) != inode) {
                    channel.close();
                    return gone(target, stamp);
                }
                extent.write(channel, offset);
                long end = offset + extent.length();
                if (extent.endsWithHole() && channel.size() < end) {
                    channel.write(ByteBuffer.allocate(1), end - 1);
                }
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            return CompletableFuture.runAsync(() -> sync(channel, part, target, stamp, inode), syncs);
        } catch (NoSuchFileException e) {
            return gone(target, stamp);
        } catch (IOException e) {
            throw PartFile.storage("'" + part + "' cannot be written", e);
        }
    }

    private static void sync(FileChannel channel, Path part, Path target, FileStamp stamp, long inode) {
        try (channel) {
            channel.force(false);
            // It has got its name and its time while it was written here.
            if (!Files.exists(part) && PartFile.inode(target) == inode) {
                stamp.put(target);
            }
        } catch (NoSuchFileException e) {
            // Neither is there any more.
        } catch (IOException e) {
            throw PartFile.storage("'" + part + "' cannot be synced", e);
        }
    }

    /** There is no part to write into. */
    private static CompletionStage<Void> gone(Path target, FileStamp stamp) {
        try {
            if (FileStamp.of(target).sameContent(stamp)) {
                return CompletableFuture.completedFuture(null);
            }
        } catch (IOException e) {
            // It is not there either.
        }
        throw new AnepException(ErrorCode.STORAGE, "'" + target + "' has not been begun here: the movers of a destination have the same file system");
    }
}
