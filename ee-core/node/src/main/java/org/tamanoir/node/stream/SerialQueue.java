package org.tamanoir.node.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs tasks one after the other on the threads of somebody else, one at a turn, so that streams share the threads fairly. How many
 * tasks wait is bounded by whoever adds them.
 */
final class SerialQueue implements Executor {
    private final Executor threads;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialQueue(Executor threads) {
        this.threads = threads;
    }

    /** @throws RejectedExecutionException if the threads take nothing any more */
    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        threads.execute(this::turn);
    }

    private void turn() {
        Runnable task;
        synchronized (this) {
            task = tasks.poll();
            if (task == null) {
                running = false;
                return;
            }
        }
        try {
            task.run();
        } finally {
            threads.execute(this::turn);
        }
    }
}
