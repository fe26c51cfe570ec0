package org.tamanoir.transfer.part;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.disk.WholeSync;

/**
 * Files of one file system that get their names: one sync of the whole after the other, each for the contents of the files that were written before it and for
 * the names of those whose contents the one before has brought to the disk. Thread-safe.
 */
final class FileBatches implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileBatches.class);
    /** A sync that takes longer waits for what others have written. For a while files are synced one by one then. */
    private static final long SLOW_NANOS = 5_000_000_000L;
    private static final long AVOIDED_NANOS = 60_000_000_000L;

    private record One(Path part, Path target, CompletableFuture<Void> done) {
    }

    private final Executor executor;
    private final Function<Path, WholeSync> opener;
    private WholeSync disk;
    /** Files that are being written, or wait for a sync. */
    private int inside;
    private List<One> written = new ArrayList<>();
    private List<One> named = new ArrayList<>();
    private boolean busy;
    private long avoidedUntil = System.nanoTime();

    /** @param opener gives the sync of the file system of a directory, or null if there is none */
    FileBatches(Executor executor, Function<Path, WholeSync> opener) {
        this.executor = executor;
        this.opener = opener;
    }

    /** To be called before a file is written, and matched by {@link #leave}: what fails afterwards is told. @return false if it has to be synced by itself */
    synchronized boolean enter(Path directory) {
        if (System.nanoTime() - avoidedUntil < 0) {
            return false;
        }
        if (disk == null) {
            disk = opener.apply(directory);
        }
        inside += disk == null ? 0 : 1;
        return disk != null;
    }

    synchronized void leave() {
        if (--inside == 0) {
            disk.close();
            disk = null;
            notifyAll();
        }
    }

    /** Gives a file that was written its name; the stage completes when content and name are on the disk. */
    CompletionStage<Void> add(Path part, Path target) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            written.add(new One(part, target, done));
            if (busy) {
                return done;
            }
            busy = true;
        }
        executor.execute(this::run);
        return done;
    }

    private void run() {
        while (true) {
            List<One> contents;
            List<One> names;
            synchronized (this) {
                contents = written;
                names = named;
                written = new ArrayList<>();
                named = new ArrayList<>();
                busy = !contents.isEmpty() || !names.isEmpty();
                if (!busy) {
                    return;
                }
            }
            try {
                sync();
            } catch (IOException e) {
                contents.forEach(one -> fail(one, e));
                names.forEach(one -> fail(one, e));
                continue;
            }
            names.forEach(one -> one.done().complete(null));
            contents.forEach(this::name);
        }
    }

    private void sync() throws IOException {
        long begun = System.nanoTime();
        disk.sync();
        long nanos = System.nanoTime() - begun;
        if (nanos > SLOW_NANOS) {
            LOG.info("a sync has taken {} s: for a minute files are synced one by one", nanos / 1_000_000_000);
            synchronized (this) {
                avoidedUntil = System.nanoTime() + AVOIDED_NANOS;
            }
        }
    }

    private void name(One one) {
        try {
            Files.move(one.part(), one.target(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            named.add(one);
        } catch (IOException e) {
            fail(one, e);
        }
    }

    private static void fail(One one, IOException e) {
        one.part().toFile().delete();
        one.done().completeExceptionally(new AnepException(ErrorCode.STORAGE, "'" + one.target() + "' cannot be written: " + AnepException.reason(e), e));
    }

    /** Returns when nothing waits any more. */
    @Override
    public synchronized void close() {
        boolean interrupted = false;
        while (inside > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
