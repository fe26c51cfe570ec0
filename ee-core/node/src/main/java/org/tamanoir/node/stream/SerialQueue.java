package org.tamanoir.node.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other on the threads of somebody else, one at a turn, so that streams share the threads fairly. How many
 * tasks wait is bounded by whoever adds them.
 */
final class SerialQueue implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialQueue.class);

    private final Executor threads;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialQueue(Executor threads) {
        this.threads = threads;
    }

    /**
     * Adds a task. Locked until the threads have taken the turn or refused it: nobody relies meanwhile on a turn that never comes.
     *
     * @throws RejectedExecutionException if the threads take nothing any more
     */
    @Override
    public synchronized void execute(Runnable task) {
        if (!running) {
            threads.execute(this::turn);
            running = true;
        }
        tasks.add(task);
    }

    private void turn() {
        do {
            Runnable task;
            synchronized (this) {
                task = tasks.poll();
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a task of a heavy service failed", e);
            }
        } while (!isDone());
    }

    /** Whether this turn is over: nothing is left, or the next task has a turn of its own. */
    private synchronized boolean isDone() {
        running = !tasks.isEmpty();
        if (!running) {
            return true;
        }
        try {
            threads.execute(this::turn);
            return true;
        } catch (RejectedExecutionException e) {
            // The threads are being ended: tasks hold what must be given back.
            return false;
        }
    }
}
