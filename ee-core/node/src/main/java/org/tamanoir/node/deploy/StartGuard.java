package org.tamanoir.node.deploy;

import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import org.tamanoir.service.guard.LoopGuard;

/** Stops the thread that starts a bundle if the bundle does not let it go: its loops throw, its waits are interrupted. */
final class StartGuard implements AutoCloseable {
    private static final Timer TIMER = new Timer("tamanoir-start-guard", true);

    private final Thread thread = Thread.currentThread();
    private final TimerTask alarm = new TimerTask() {
        @Override
        public void run() {
            LoopGuard.trip(thread);
            thread.interrupt();
        }
    };

    StartGuard(Duration limit) {
        TIMER.schedule(alarm, limit.toMillis());
    }

    @Override
    public void close() {
        alarm.cancel();
        LoopGuard.release(thread);
        Thread.interrupted();
    }
}
