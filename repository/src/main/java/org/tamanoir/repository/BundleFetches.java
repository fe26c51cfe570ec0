package org.tamanoir.repository;

import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.store.BundleStore;

/** Bundles that are not at hand and are fetched first: each once, however many ask for it, and on threads that answer nothing else. */
final class BundleFetches implements AutoCloseable {
    private static final int THREADS = 8;
    /** Different bundles that wait for a thread. */
    private static final int WAITING = 256;

    private final BundleStore store;
    private final Map<String, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), work -> {
        Thread thread = new Thread(work, "repository-fetch");
        thread.setDaemon(true);
        return thread;
    });

    BundleFetches(BundleStore store) {
        this.store = store;
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Does something with a bundle when it is at hand.
     *
     * @param with gets its SHA-256, once for each that asks
     * @return may end with an AnepException: whatever the store says, or EE-204
     */
    <T> CompletableFuture<T> then(String sha256, Function<String, T> with) {
        CompletableFuture<Void> own = new CompletableFuture<>();
        CompletableFuture<Void> first = underWay.putIfAbsent(sha256, own);
        if (first == null) {
            try {
                threads.execute(() -> fetch(sha256, own));
            } catch (RejectedExecutionException e) {
                end(sha256, own, new AnepException(ErrorCode.BUSY, WAITING + " bundles are to be fetched already; ask again", e));
            }
        }
        return (first == null ? own : first).thenApply(nothing -> with.apply(sha256));
    }

    private void fetch(String sha256, CompletableFuture<Void> done) {
        try {
            store.bundle(sha256);
            end(sha256, done, null);
        } catch (RuntimeException e) {
            end(sha256, done, e);
        }
    }

    private void end(String sha256, CompletableFuture<Void> done, RuntimeException error) {
        underWay.remove(sha256);
        if (error == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(error);
        }
    }

    /** Does not wait for what is under way. */
    @Override
    public void close() {
        threads.shutdownNow();
        underWay.values().forEach(each -> each.completeExceptionally(new AnepException(ErrorCode.STOPPING, "the repository stops")));
    }
}
