package org.tamanoir.node.service;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The workers of one version of a service: how many run, and why the others have ended. Any thread. */
public final class WorkerCounts {
    /** Why a worker has ended. */
    public enum Reason {
        /** By itself, and well. */
        FINISHED,
        /** By itself with an error, by a signal, or it could not be started. */
        FAILED,
        /** It took more memory than it may. */
        MEMORY,
        /** It did nothing for too long. */
        STALLED,
        /** The service has ended it. */
        STOPPED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final AtomicInteger running = new AtomicInteger();
    private final Map<Reason, LongAdder> ended = new EnumMap<>(Reason.class);

    public WorkerCounts() {
        for (Reason reason : Reason.values()) {
            ended.put(reason, new LongAdder());
        }
    }

    /** One more is to be started. @return false if that were more than {@code most} */
    public boolean begin(int most) {
        return running.getAndUpdate(now -> now < most ? now + 1 : now) < most;
    }

    public void end(Reason reason) {
        running.decrementAndGet();
        ended.get(reason).increment();
    }

    public int running() {
        return running.get();
    }

    public long ended(Reason reason) {
        return ended.get(reason).sum();
    }
}
