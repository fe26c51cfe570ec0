package org.tamanoir.oci;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;

/** The time that one call to a registry has, all its requests and attempts together. */
final class Deadline {
    private static final int ATTEMPTS = 3;
    private static final long FIRST_MILLIS = 200;
    /** A registry that asks for more is left alone. */
    private static final int MOST_PATIENCE_SECONDS = 2;

    private final long end;

    Deadline(Duration time) {
        end = System.nanoTime() + time.toNanos();
    }

    /** What is left. @throws AnepException EE-430 if nothing is */
    Duration left() {
        long left = end - System.nanoTime();
        if (left <= 0) {
            throw new AnepException(ErrorCode.REGISTRY_AWAY, "the registry has not done it in time");
        }
        return Duration.ofNanos(left);
    }

    /** Does something, and again a few times if the registry was away (EE-430): with full jitter, or after what the registry asks for. */
    <T> T attempts(Supplier<T> attempt) {
        return attempts(ErrorCode.REGISTRY_AWAY, attempt);
    }

    /** The same for one more error that may go away by itself. */
    <T> T attempts(ErrorCode passing, Supplier<T> attempt) {
        for (int failed = 0;; failed++) {
            try {
                return attempt.get();
            } catch (AnepException e) {
                if (e.code() != ErrorCode.REGISTRY_AWAY && e.code() != passing || failed + 1 == ATTEMPTS || !waited(e, failed)) {
                    throw e;
                }
            }
        }
    }

    /** Waits before the next attempt; false if there is no time for one. */
    boolean waited(AnepException why, int failed) {
        int asked = why instanceof HttpError ? HttpError.retryAfter(why) : 0;
        long millis = Math.max(asked * 1000L, ThreadLocalRandom.current().nextLong(FIRST_MILLIS << Math.min(failed, 4)) + 1);
        if (asked > MOST_PATIENCE_SECONDS || millis * 1_000_000 >= end - System.nanoTime() || Thread.currentThread().isInterrupted()) {
            return false;
        }
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
