package org.tamanoir.services.qosinus;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.tamanoir.anep.AnepException;

/** Calls of partners, which are other people's programs: what they throw costs what was asked of them, and nothing else. Safe for all threads. */
final class PartnerCalls {
    /** From one line in the log to the next: a partner may be asked for every session in every period. */
    private static final long QUIET_NANOS = 1_000_000_000L;

    private final Logger log;
    private final LongSupplier clock;
    private final LongAdder failed;
    private volatile boolean said;
    private volatile long saidNanos;

    /** @param failed counts calls that fail */
    PartnerCalls(Logger log, LongSupplier clock, LongAdder failed) {
        this.log = log;
        this.clock = clock;
        this.failed = failed;
    }

    /** Calls a partner; one that fails is counted, and answers null. */
    <T> T attempt(String partner, Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException | LinkageError e) {
            failed(partner, e);
            return null;
        }
    }

    /** Counts a call that has failed. */
    void failed(String partner, Throwable why) {
        failed.increment();
        long now = clock.getAsLong();
        if (!said || now - saidNanos >= QUIET_NANOS) {
            said = true;
            saidNanos = now;
            log.warn("qos-{} has failed: {}", partner, why instanceof AnepException known ? known.getMessage() : why.toString());
        }
    }

    /** Calls a partner that answers nothing. */
    void attempt(String partner, Runnable call) {
        attempt(partner, () -> {
            call.run();
            return null;
        });
    }
}
