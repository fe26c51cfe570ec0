package org.tamanoir.transfer.part;

import java.io.IOException;
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
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.disk.Holes;
import org.tamanoir.transfer.disk.WholeSync;

/**
 * Puts files that come in one piece into their places: content, marks and name on the disk in this order. Where that can be had one sync of the file system serves
 * all that wait ({@link FileBatches}); otherwise contents are synced side by side, and a directory once for all files that have got their names in it meanwhile.
 */
public final class SmallFiles implements AutoCloseable {
    /** A file that is being written. */
    private record Coming(FileStamp stamp, CompletableFuture<Void> done) {
    }

    private final Executor syncs;
    private final Function<Path, WholeSync> opener;
    private final GroupCommit<Path> names;
    private final Map<Path, Coming> coming = new ConcurrentHashMap<>();
    /** By the number of their file system. */
    private final Map<Object, FileBatches> batches = new ConcurrentHashMap<>();

    /** @param syncs where disks are waited for; several threads */
    public SmallFiles(Executor syncs) {
        this(syncs, directory -> {
            try {
                return WholeSync.of(directory);
            } catch (IOException e) {
                throw failure(directory, e);
            }
        });
    }

    /** @param opener gives the sync of the file system of a directory, or null if there is none */
    SmallFiles(Executor syncs, Function<Path, WholeSync> opener) {
        this.syncs = syncs;
        this.opener = opener;
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
     * @param content all of it; read before this returns
     * @throws AnepException EE-409 if the disk does not take it, EE-410 if another file is being written there
     */
    public CompletionStage<Void> put(Path target, FileStamp stamp, Content content) {
        Coming mine = new Coming(stamp, new CompletableFuture<>());
        Coming other = coming.putIfAbsent(target, mine);
        if (other != null && other.stamp().equals(stamp)) {
            return other.done();
        } else if (other != null) {
            throw new AnepException(ErrorCode.BUSY, "'" + target + "' is being written by another copy");
        }
        try {
            write(target, stamp, content).whenComplete((done, failure) -> {
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

    private CompletionStage<Void> write(Path target, FileStamp stamp, Content content) {
        Path part = PartFile.beside(target, ".part");
        try {
            Path directory = target.getParent();
            FileBatches batch = batches.computeIfAbsent(Files.getAttribute(directory, "unix:dev"), device -> new FileBatches(syncs, opener));
            return batch.enter(directory) ? together(batch, part, target, stamp, content) : alone(part, target, stamp, content);
        } catch (IOException e) {
            part.toFile().delete();
            throw failure(target, e);
        }
    }

    private static CompletionStage<Void> together(FileBatches batch, Path part, Path target, FileStamp stamp, Content content) throws IOException {
        boolean ready = false;
        try {
            written(part, content).close();
            stamp.put(part);
            ready = true;
        } finally {
            if (!ready) {
                batch.leave();
            }
        }
        return batch.add(part, target).whenComplete((done, failure) -> batch.leave());
    }

    private CompletionStage<Void> alone(Path part, Path target, FileStamp stamp, Content content) throws IOException {
        FileChannel channel = written(part, content);
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

    private static FileChannel written(Path part, Content content) throws IOException {
        // What a crash has left is not written into.
        Files.deleteIfExists(part);
        FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            content.write(channel, 0);
            if (content.endsWithHole()) {
                Holes.extend(part, content.length());
            }
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static AnepException failure(Path target, IOException e) {
        return new AnepException(ErrorCode.STORAGE, "'" + target + "' cannot be written: " + AnepException.reason(e), e);
    }

    @Override
    public void close() {
        batches.values().forEach(FileBatches::close);
        names.close();
    }
}
