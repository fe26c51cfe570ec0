package org.tamanoir.node.deploy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Finds out what services are that do not run here, without fetching them. Whoever asks for one Type ID waits for the same look; what was found is
 * remembered for a minute, a failure as long as other failures. Made-up Type IDs cost bounded memory and a bounded queue. Any thread.
 */
final class Descriptors {
    /** Type IDs that are remembered, and at the same time the most that are looked for at once. */
    static final int MOST = 1024;
    static final Duration REMEMBERED = Duration.ofMinutes(1);

    private static final class Entry {
        final CompletableFuture<Descriptor> found = new CompletableFuture<>();
        long doneNanos;
        long restNanos;
    }

    private final IntFunction<Descriptor> look;
    private final Executor workers;
    private final Supplier<Duration> rememberFailure;
    private final LongSupplier clock;
    private final Map<Integer, Entry> under = new HashMap<>();
    /** Those that are answered, the one that was answered longest ago first. */
    private final Map<Integer, Entry> done = new LinkedHashMap<>();

    /**
     * @param look            blocks; throws EE-301 if nobody has the service, EE-302 if somebody who may have it does not answer
     * @param rememberFailure asked anew each time
     * @param clock           nanoseconds
     */
    Descriptors(IntFunction<Descriptor> look, Executor workers, Supplier<Duration> rememberFailure, LongSupplier clock) {
        this.look = look;
        this.workers = workers;
        this.rememberFailure = rememberFailure;
        this.clock = clock;
    }

    /** What is known of a service now, without a look; null for nothing. */
    Descriptor known(int typeId) {
        Entry entry = remembered(typeId);
        return entry == null || entry.found.isCompletedExceptionally() ? null : entry.found.getNow(null);
    }

    private synchronized Entry remembered(int typeId) {
        Entry entry = done.get(typeId);
        if (entry != null && clock.getAsLong() - entry.doneNanos >= entry.restNanos) {
            done.remove(typeId);
            return null;
        }
        return entry;
    }

    /** What a service is; fails as the look does, and with EE-410 if too many are looked for. */
    CompletableFuture<Descriptor> of(int typeId) {
        Entry entry;
        synchronized (this) {
            entry = remembered(typeId);
            if (entry != null) {
                return entry.found;
            }
            entry = under.get(typeId);
            if (entry != null) {
                return entry.found;
            }
            if (under.size() == MOST) {
                return CompletableFuture.failedFuture(new AnepException(ErrorCode.BUSY, "what " + MOST + " other services are is being looked for; "
                        + Anep.typeName(typeId) + " must wait"));
            }
            entry = new Entry();
            under.put(typeId, entry);
        }
        begin(typeId, entry);
        return entry.found;
    }

    private void begin(int typeId, Entry entry) {
        try {
            workers.execute(() -> {
                try {
                    end(typeId, entry, look.apply(typeId), null);
                } catch (AnepException e) {
                    end(typeId, entry, null, e);
                } catch (RuntimeException | Error e) {
                    end(typeId, entry, null, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
                }
            });
        } catch (RejectedExecutionException e) {
            end(typeId, entry, null, new AnepException(ErrorCode.STOPPING, "the node is stopping", e));
        }
    }

    private void end(int typeId, Entry entry, Descriptor found, AnepException why) {
        synchronized (this) {
            under.remove(typeId);
            entry.doneNanos = clock.getAsLong();
            entry.restNanos = (why == null ? REMEMBERED : rememberFailure.get()).toNanos();
            done.remove(typeId);
            done.put(typeId, entry);
            if (done.size() > MOST) {
                Iterator<Entry> oldest = done.values().iterator();
                oldest.next();
                oldest.remove();
            }
        }
        if (why == null) {
            entry.found.complete(found);
        } else {
            entry.found.completeExceptionally(why);
        }
    }
}
