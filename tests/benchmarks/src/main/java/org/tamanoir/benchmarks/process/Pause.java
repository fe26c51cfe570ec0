package org.tamanoir.benchmarks.process;

import java.time.Duration;
import org.tamanoir.lab.LabException;

/** Waits. */
public final class Pause {
    private Pause() {
    }

    /** @throws LabException if the thread is interrupted */
    public static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        }
    }

    public static void of(Duration duration) {
        millis(duration.toMillis());
    }
}
