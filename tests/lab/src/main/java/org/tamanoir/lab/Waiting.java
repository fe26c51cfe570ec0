package org.tamanoir.lab;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for what does not say that it has come. */
public final class Waiting {
    private Waiting() {
    }

    /** @throws LabException if the thread is interrupted */
    public static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw LabException.interrupted("waiting", e);
        }
    }

    /**
     * Looks again and again until what is seen is wanted.
     *
     * @param pause   milliseconds between two looks
     * @param failure says of the last look what is wrong with it
     * @return what was wanted
     * @throws LabException if it does not come in time
     */
    public static <T> T until(Duration patience, long pause, Supplier<T> look, Predicate<T> wanted, Function<T, String> failure) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            T seen = look.get();
            if (wanted.test(seen)) {
                return seen;
            }
            if (System.nanoTime() - end > 0) {
                throw new LabException(failure.apply(seen));
            }
            millis(pause);
        }
    }
}
