package org.tamanoir.node.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Store;

/**
 * What one service keeps: puts wait here for the thread that writes, which takes all of them at once. So many puts cost one wait for the
 * disk. For any thread.
 */
final class ServiceStore {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceStore.class);
    /** Puts that may wait, and their octets; beyond that the disk is too slow, and the next ones fail. */
    static final int MOST_WAITING = 65_536;
    static final long MOST_WAITING_OCTETS = 64L << 20;

    /** A value that is to be kept, or null for one that is to be forgotten; and who hears of it. */
    record Put(String key, byte[] value, CompletableFuture<Void> told, Executor teller) {
        long octets() {
            return key.length() + (value == null ? 0L : value.length);
        }
    }

    private final String service;
    private final KeptFile file;
    private final Executor thread;
    private List<Put> waiting = new ArrayList<>();
    private long waitingOctets;
    private boolean scheduled;
    private boolean failing;

    /** @param thread of all stores: one, so that what is put is written in order */
    ServiceStore(String service, KeptFile file, Executor thread) {
        this.service = service;
        this.file = file;
        this.thread = thread;
    }

    /** The store for one version of the service, which hears what has become of its values where it wants to. */
    Store heardOn(Executor teller) {
        return new Store() {
            @Override
            public Map<String, byte[]> all() {
                return file.all();
            }

            @Override
            public CompletionStage<Void> put(String key, byte[] value) {
                if (key.isEmpty() || key.length() > MOST_KEY || value.length > MOST_VALUE) {
                    return CompletableFuture.failedFuture(failed("a key of " + key.length() + " characters with a value of " + value.length
                            + " octets; there may be " + MOST_KEY + " and " + MOST_VALUE));
                }
                return add(new Put(key, value.clone(), new CompletableFuture<>(), teller));
            }

            @Override
            public CompletionStage<Void> remove(String key) {
                return add(new Put(key, null, new CompletableFuture<>(), teller));
            }
        };
    }

    private AnepException failed(String why) {
        return new AnepException(ErrorCode.STORE_FAILED, service + " cannot keep a value: " + why);
    }

    private CompletionStage<Void> add(Put put) {
        synchronized (this) {
            if (waiting.size() >= MOST_WAITING || waitingOctets + put.octets() > MOST_WAITING_OCTETS) {
                return CompletableFuture.failedFuture(failed(waiting.size() + " wait for the disk already"));
            }
            try {
                if (!scheduled) {
                    thread.execute(this::write);
                    scheduled = true;
                }
            } catch (RejectedExecutionException e) {
                return CompletableFuture.failedFuture(failed("the node is stopping"));
            }
            waiting.add(put);
            waitingOctets += put.octets();
        }
        return put.told;
    }

    private synchronized List<Put> take() {
        List<Put> taken = waiting;
        waiting = new ArrayList<>();
        waitingOctets = 0;
        scheduled = false;
        return taken;
    }

    /** On the thread that writes. */
    private void write() {
        List<Put> batch = take();
        AnepException failure = null;
        try {
            file.keep(batch, put -> tell(put, failed("it keeps " + file.size() + " values of " + file.octets() + " octets; there may be "
                    + Store.MOST_KEYS + " and " + Store.MOST_OCTETS)));
        } catch (KeptFile.DiskException e) {
            failure = new AnepException(ErrorCode.STORE_FAILED, service + " cannot keep its values: " + e.getMessage(), e);
        }
        if (failing != (failure != null)) {
            failing = failure != null;
            if (failing) {
                LOG.warn("{}", failure.getMessage());
            } else {
                LOG.info("{} can keep its values again", service);
            }
        }
        for (Put put : batch) {
            tell(put, failure);
        }
    }

    /** Tells once; a put that has been refused by itself is not told again. */
    private static void tell(Put put, AnepException failure) {
        if (put.told.isDone()) {
            return;
        }
        Runnable telling = failure == null ? () -> put.told.complete(null) : () -> put.told.completeExceptionally(failure);
        try {
            put.teller.execute(telling);
        } catch (RejectedExecutionException e) {
            telling.run();
        }
    }

    /** After the last write. */
    void close() {
        file.close();
    }
}
