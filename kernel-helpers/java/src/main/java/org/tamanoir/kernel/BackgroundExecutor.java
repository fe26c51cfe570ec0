package org.tamanoir.kernel;

import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Work that may wait, on one thread that gives way to all others (SCHED_IDLE, sched(7)): one that forwards packets takes the processor from it at once, where
 * it would have to wait for an ordinary thread's slice of some milliseconds. While all processors are busy such a thread gets next to nothing, so another one
 * takes what has waited for too long, a little at a time. Where the kernel does not know SCHED_IDLE the thread is an ordinary one.
 */
public final class BackgroundExecutor extends ThreadPoolExecutor {
    /** Milliseconds after which a task has waited for too long. */
    static final long PATIENCE = 100;
    /** Milliseconds from one of those to the next. */
    static final long PACE = 50;

    private final ScheduledExecutorService relief;

    /** @param mostWaiting tasks; what comes beyond is rejected */
    public BackgroundExecutor(String name, int mostWaiting) {
        super(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(mostWaiting), task -> daemon(() -> {
            ThreadScheduling.giveWay();
            task.run();
        }, name));
        allowCoreThreadTimeOut(true);
        relief = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, name + "-relief"));
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private record Waiting(Runnable task, long since) implements Runnable {
        @Override
        public void run() {
            task.run();
        }

        private boolean isTooLong() {
            return System.nanoTime() - since >= TimeUnit.MILLISECONDS.toNanos(PATIENCE);
        }
    }

    private boolean relieving;

    @Override
    public void execute(Runnable task) {
        super.execute(new Waiting(task, System.nanoTime()));
        relieveLater();
    }

    private synchronized void relieveLater() {
        if (!relieving && !getQueue().isEmpty()) {
            relieving = true;
            relief.schedule(this::relieve, PACE, TimeUnit.MILLISECONDS);
        }
    }

    private void relieve() {
        try {
            if (getQueue().peek() instanceof Waiting oldest && oldest.isTooLong() && getQueue().remove(oldest)) {
                oldest.run();
            }
        } finally {
            synchronized (this) {
                relieving = false;
            }
            relieveLater();
        }
    }

    /** What waits is done before the threads end. */
    @Override
    protected void terminated() {
        relief.shutdown();
    }
}
