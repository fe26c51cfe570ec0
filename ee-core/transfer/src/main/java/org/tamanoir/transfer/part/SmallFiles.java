package org.tamanoir.transfer.part;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.transfer.FileStamp;

/**
 * Puts files that come in one piece into their places: content, marks and name on the disk in this order. Contents are synced side by side; a directory once
 * for all files that have got their names in it meanwhile.
 */
public final class SmallFiles implements AutoCloseable {
    /** A file that is being written. */
    private record Coming(FileStamp stamp, CompletableFuture<Void> done) {
    }

    private final Executor syncs;
    private final GroupCommit<Path> names;
    private final Map<Path, Coming> coming = new ConcurrentHashMap<>();

    /** @param syncs where disks are waited for; several threads */
    public SmallFiles(Executor syncs) {
        this.syncs = syncs;
        this.names = new GroupCommit<>(syncs, targets -> targets.stream().map(target -> target.toAbsolutePath().getParent()).distinct().forEach(directory -> {
            try {
                Durable.forceNames(directory);
            } catch (IOException e) {
                throw failure(directory, e);
            }
        }));
    }

    /**
     * Writes a file; the stage completes when it is in its place and on the disk. What had the name is gone.
     *
     * @param target in a directory that exists
     * @param octets all of it; read before this returns
     * @throws AnepException EE-409 if the disk does not take it, EE-410 if another file is being written there
     */
    public CompletionStage<Void> put(Path target, FileStamp stamp, ByteBuffer octets) {
        Coming mine = new Coming(stamp, new CompletableFuture<>());
        Coming other = coming.putIfAbsent(target, mine);
        if (other != null && other.stamp().equals(stamp)) {
            return other.done();
        } else if (other != null) {
            throw new AnepException(ErrorCode.BUSY, "'" + target + "' is being written by another copy");
        }
        try {
            write(target, stamp, octets).whenComplete((done, failure) -> {
                coming.remove(target);
                if (failure == null) {
                    mine.done().complete(null);
                } else {
                    mine.done().completeExceptionally(failure instanceof CompletionException ? failure.getCause() : failure);
                }
            });
        } catch (AnepException e) {
            coming.remove(target);
            mine.done().completeExceptionally(e);
        }
        return mine.done();
    }

    private CompletionStage<Void> write(Path target, FileStamp stamp, ByteBuffer octets) {
        Path part = PartFile.beside(target, ".part");
        FileChannel channel = written(part, target, octets);
        return CompletableFuture.runAsync(() -> {
            try (channel) {
                stamp.put(part);
                channel.force(true);
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                part.toFile().delete();
                throw failure(target, e);
            }
        }, syncs).thenCompose(done -> names.add(target));
    }

    private static FileChannel written(Path part, Path target, ByteBuffer octets) {
        try {
            // What a crash has left is not written into.
            Files.deleteIfExists(part);
            FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            try {
                while (octets.hasRemaining()) {
                    channel.write(octets);
                }
                return channel;
            } catch (IOException e) {
                channel.close();
                Files.deleteIfExists(part);
                throw e;
            }
        } catch (IOException e) {
            throw failure(target, e);
        }
    }

    private static AnepException failure(Path target, IOException e) {
        return new AnepException(ErrorCode.STORAGE, "'" + target + "' cannot be written: " + AnepException.reason(e), e);
    }

    @Override
    public void close() {
        names.close();
    }
}
