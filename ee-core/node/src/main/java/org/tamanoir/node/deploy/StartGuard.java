package org.tamanoir.node.deploy;

import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import org.tamanoir.service.guard.LoopGuard;

/** Stops the thread that starts a bundle if the bundle does not let it go: its loops throw, its waits are interrupted. */
final class StartGuard extends TimerTask implements AutoCloseable {
    private static final Timer TIMER = new Timer("tamanoir-start-guard", true);

    private final Thread thread = Thread.currentThread();
    private boolean closed;
    private boolean stopped;

    StartGuard(Duration limit) {
        TIMER.schedule(this, limit.toMillis());
    }

    @Override
    public synchronized void run() {
        if (!closed) {
            stopped = true;
            LoopGuard.trip(thread);
            thread.interrupt();
        }
    }

    /** Whether the time was over before it was closed. */
    synchronized boolean hasStopped() {
        return stopped;
    }

    @Override
    public synchronized void close() {
        closed = true;
        cancel();
        LoopGuard.release(thread);
        Thread.interrupted();
    }
}
