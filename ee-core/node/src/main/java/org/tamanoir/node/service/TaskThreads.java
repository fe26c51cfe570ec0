package org.tamanoir.node.service;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads on which a node runs the tasks of its services: none while there are no tasks. */
public final class TaskThreads implements AutoCloseable {
    /** So many services may hang at once before the tasks of others wait for the watch. */
    private static final int MOST = 4;
    private static final int IDLE_SECONDS = 30;
    /** How long the end of a node waits for tasks that are under way. */
    private static final long LAST_MILLIS = 500;

    private final ServiceWatch watch;
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("tamanoir-task-clock", true));
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(MOST, MOST, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("tamanoir-tasks", true));

    public TaskThreads(ServiceWatch watch) {
        this.watch = watch;
        clock.setRemoveOnCancelPolicy(true);
        workers.allowCoreThreadTimeOut(true);
    }

    ServiceWatch watch() {
        return watch;
    }

    /** Runs tasks at once; throws {@link RejectedExecutionException} when the node stops. */
    Executor workers() {
        return workers;
    }

    /**
     * Runs something short after a time.
     *
     * @throws RejectedExecutionException when the node stops
     */
    Future<?> after(long nanos, Runnable alarm) {
        return clock.schedule(alarm, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        workers.shutdown();
        try {
            if (!workers.awaitTermination(LAST_MILLIS, TimeUnit.MILLISECONDS)) {
                workers.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
