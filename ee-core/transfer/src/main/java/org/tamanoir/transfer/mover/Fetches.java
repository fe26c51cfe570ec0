package org.tamanoir.transfer.mover;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.copy.Fetch;
import org.tamanoir.transfer.copy.Puller;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.wire.FetchOrder;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.PullOrder;

/** The copies that a mover makes itself, of which so many run at a time. One that is asked for again ends the one before: never do two of one name write. */
final class Fetches implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fetches.class);
    private static final long WORD_MILLIS = 1_000;
    /** For one that is asked for again, until the one before has ended. */
    private static final long PATIENCE_MILLIS = 10_000;

    private final FetchOptions options;
    private final LocalStore store;
    private final long memory;
    private final LongConsumer moved;
    /** By the name of the copy. */
    private final Map<String, Running> running = new HashMap<>();
    private TamanoirClient client;

    /** @param memory octets of extents of all together @param moved is told how many octets have come */
    Fetches(FetchOptions options, LocalStore store, long memory, LongConsumer moved) {
        this.options = options;
        this.store = store;
        this.memory = memory;
        this.moved = moved;
    }

    synchronized int running() {
        return running.size();
    }

    /**
     * Begins one, in a thread of its own.
     *
     * @throws AnepException EE-410 if as many run as may, or one of the same name does not end; EE-408, EE-108 if the order makes no sense
     */
    Running begin(String copy, FetchOrder order) throws InterruptedException {
        Running begun;
        requireSome();
        synchronized (this) {
            long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
            for (Running before = running.get(copy); before != null; before = running.get(copy)) {
                before.stop();
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AnepException(ErrorCode.BUSY, "the same copy is still being ended here");
                }
                wait(left);
            }
            if (running.size() >= options.most()) {
                throw new AnepException(ErrorCode.BUSY, "the mover makes " + running.size() + " copies itself, which is the most");
            }
            int streams = (int) Math.max(1, memory / options.most() / Math.max(1, order.extent()));
            begun = new Running(copy, new Fetch(copy, order, store.of(copy, () -> { }), client(), streams));
            running.put(copy, begun);
        }
        LOG.info("copies {} to {}", order.sources(), order.destination());
        begun.thread.start();
        return begun;
    }

    private void requireSome() {
        if (options.most() == 0) {
            throw new AnepException(ErrorCode.BUSY, "this mover makes no copies itself");
        }
    }

    private TamanoirClient client() {
        if (client == null) {
            client = new TamanoirClient().token(options.bearer()).tls(options.tls());
        }
        return client;
    }

    /** Reads for a copy that another mover makes, of the same destination. @throws AnepException EE-410 if nothing is fetched here; why the other mover cannot be read from */
    Puller puller(String copy, PullOrder order, IntFunction<ByteBuffer> buffers, LongConsumer moved) throws InterruptedException {
        requireSome();
        TamanoirClient with;
        synchronized (this) {
            with = client();
        }
        return new Puller(copy, order, buffers, moved, with);
    }

    private synchronized void ended(Running which) {
        running.remove(which.copy, which);
        notifyAll();
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.close();
        }
    }

    /** One that runs. */
    final class Running {
        private final String copy;
        private final Fetch fetch;
        private final Thread thread = new Thread(this::run, "mover fetch");
        private CopyReport report;
        private AnepException failure;

        private Running(String copy, Fetch fetch) {
            this.copy = copy;
            this.fetch = fetch;
            thread.setDaemon(true);
        }

        private void run() {
            try (fetch) {
                report = fetch.run();
            } catch (AnepException e) {
                failure = e;
            } catch (InterruptedException e) {
                failure = new AnepException(ErrorCode.STOPPING, "the mover stops", e);
            } catch (RuntimeException e) {
                LOG.error("a fetch has failed", e);
                failure = new AnepException(ErrorCode.INTERNAL, e.toString(), e);
            } finally {
                store.leave(copy);
                ended(this);
            }
        }

        void need(long rate) throws InterruptedException {
            fetch.need(rate);
        }

        /** Has it end soon. From any thread. */
        void stop() {
            fetch.stop();
        }

        /** Waits for its end. @param each is told every second how far it is; if it throws, that is the end @throws AnepException why it is not complete */
        CopyReport await(Consumer<Message.Fetching> each) throws InterruptedException {
            long told = 0;
            try {
                while (thread.isAlive()) {
                    thread.join(WORD_MILLIS);
                    long now = fetch.movedHere();
                    moved.accept(now - told);
                    told = now;
                    if (thread.isAlive()) {
                        each.accept(fetch.progress());
                    }
                }
            } finally {
                fetch.stop();
                thread.join();
            }
            if (failure != null) {
                throw failure;
            }
            return report;
        }
    }
}
