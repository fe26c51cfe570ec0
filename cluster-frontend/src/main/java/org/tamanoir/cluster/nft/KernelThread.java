package org.tamanoir.cluster.nft;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The one thread that touches the kernel. It starts here and so stays in the network namespace of the thread that makes it. */
final class KernelThread implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;
    private static final Logger LOG = LoggerFactory.getLogger(KernelThread.class);

    private final ScheduledThreadPoolExecutor executor;

    KernelThread(String name) {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        executor.prestartAllCoreThreads();
    }

    /** Runs a task and waits for it. @throws AnepException what the task throws; EE-907 if it is closed or does not come to an end */
    <T> T call(Callable<T> task) {
        try {
            return executor.submit(task).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } catch (RejectedExecutionException e) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "the engine is closed", e);
        } catch (TimeoutException e) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "the kernel has not answered within " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "interrupted while the kernel was asked", e);
        }
    }

    /** Runs a task when it is its turn; not at all once this is closed. */
    void execute(Runnable task) {
        later(0, task);
    }

    /** The same, later. */
    void later(long millis, Runnable task) {
        try {
            executor.schedule(() -> run(task), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: nothing more to do");
        }
    }

    /** Again and again. */
    void every(long millis, Runnable task) {
        executor.scheduleWithFixedDelay(() -> run(task), millis, millis, TimeUnit.MILLISECONDS);
    }

    /** An exception would end what is done again and again. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("a defect in the engine", e);
        }
    }

    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
