package org.tamanoir.transfer.part;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Waits for the disk once for all who wait (D. J. DeWitt et al., "Implementation techniques for main memory database systems", 1984): one batch at a time. Thread-safe. */
final class GroupCommit<T> implements AutoCloseable {
    private record Waiting<T>(T what, CompletableFuture<Void> done) {
    }

    private final Executor executor;
    private final Consumer<List<T>> commit;
    private List<Waiting<T>> waiting = new ArrayList<>();
    private boolean busy;
    private boolean closed;

    /** @param commit puts a batch on the disk, and returns when it is there; what it throws is of all of them */
    GroupCommit(Executor executor, Consumer<List<T>> commit) {
        this.executor = executor;
        this.commit = commit;
    }

    /** Completes when it is on the disk. @throws AnepException EE-409 after {@link #close} */
    CompletionStage<Void> add(T what) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                throw new AnepException(ErrorCode.STORAGE, "what it belongs to is closed");
            }
            waiting.add(new Waiting<>(what, done));
            if (busy) {
                return done;
            }
            busy = true;
        }
        executor.execute(this::run);
        return done;
    }

    private void run() {
        for (List<Waiting<T>> batch = next(); !batch.isEmpty(); batch = next()) {
            try {
                commit.accept(batch.stream().map(Waiting::what).toList());
                batch.forEach(one -> one.done().complete(null));
            } catch (RuntimeException e) {
                batch.forEach(one -> one.done().completeExceptionally(e));
            }
        }
    }

    private synchronized List<Waiting<T>> next() {
        List<Waiting<T>> batch = waiting;
        waiting = new ArrayList<>();
        busy = !batch.isEmpty();
        if (!busy) {
            notifyAll();
        }
        return batch;
    }

    /** Takes no more, and returns when what was taken is on the disk. */
    @Override
    public synchronized void close() {
        closed = true;
        boolean interrupted = false;
        while (busy) {
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
