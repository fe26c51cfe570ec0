package org.tamanoir.benchmarks.attack;

import java.util.concurrent.TimeUnit;

/** Waiting for moments of {@link System#nanoTime()}. */
final class Pause {
    private Pause() {
    }

    /** Returns at once if the moment is over. */
    static void until(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, nanos - System.nanoTime()));
    }
}
