package org.tamanoir.node.stream;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other on the threads of somebody else, one at a turn, so that streams share the threads fairly. How many
 * tasks wait is bounded by whoever adds them. There is no lock: an event loop would wait for a thread that stands back and holds it.
 */
final class SerialQueue implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialQueue.class);

    private final Executor threads;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** Tasks that were added and have not run to their end; whoever makes it more than 0 asks for a turn. */
    private final AtomicInteger waiting = new AtomicInteger();

    SerialQueue(Executor threads) {
        this.threads = threads;
    }

    /**
     * Adds a task.
     *
     * @throws RejectedExecutionException if the threads take nothing any more; an Error if none can be made. The task is not kept then
     */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() > 0) {
            return;
        }
        try {
            threads.execute(this::turn);
        } catch (RejectedExecutionException | Error e) {
            tasks.remove(task);
            // Others have relied on this turn meanwhile.
            while (waiting.decrementAndGet() > 0) {
                runNext();
            }
            throw e;
        }
    }

    private void turn() {
        do {
            runNext();
        } while (waiting.decrementAndGet() > 0 && !isHandedOver());
    }

    private void runNext() {
        try {
            tasks.remove().run();
        } catch (RuntimeException | Error e) {
            LOG.error("a task of a heavy service failed", e);
        }
    }

    /** Whether the next task has a turn of its own. If the threads take nothing, as when they are being ended, it runs here: tasks hold what must be given back. */
    private boolean isHandedOver() {
        try {
            threads.execute(this::turn);
            return true;
        } catch (RejectedExecutionException | Error e) {
            return false;
        }
    }
}
