package org.tamanoir.benchmarks.process;

import java.time.Duration;
import org.tamanoir.lab.Waiting;

/** Waits. */
public final class Pause {
    private Pause() {
    }

    /** @throws org.tamanoir.lab.LabException if the thread is interrupted */
    public static void millis(long millis) {
        Waiting.millis(millis);
    }

    public static void of(Duration duration) {
        Waiting.millis(duration.toMillis());
    }
}
