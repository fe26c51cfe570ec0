package org.tamanoir.node.deploy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.service.Level;

/**
 * Finds out what services are that do not run here, without fetching them. Whoever asks for one Type ID waits for the same look; what was found is
 * remembered for a minute, a failure as long as other failures, and a refusal not at all. Made-up Type IDs cost bounded memory and a bounded queue. Any
 * thread.
 */
final class Descriptors {
    /** Type IDs that are remembered. */
    static final int MOST = 1024;
    static final Duration REMEMBERED = Duration.ofMinutes(1);

    /** What is known of a Type ID, or one look for it. */
    private final class Look implements FairQueue.Task {
        private final int typeId;
        private final CompletableFuture<Descriptor> found = new CompletableFuture<>();
        private long until;

        private Look(int typeId) {
            this.typeId = typeId;
        }

        @Override
        public void run() {
            try {
                end(this, look.apply(typeId), null);
            } catch (AnepException e) {
                end(this, null, e);
            } catch (RuntimeException | Error e) {
                end(this, null, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
            }
        }

        @Override
        public void refused(AnepException why) {
            end(this, null, why);
        }
    }

    private final IntFunction<Descriptor> look;
    private final FairQueue queue;
    private final Supplier<Duration> rememberFailure;
    private final LongSupplier clock;
    private final Map<Integer, Look> under = new HashMap<>();
    /** Those that are answered, the one that was answered longest ago first. */
    private final Map<Integer, Look> done = BoundedMap.byAge(MOST);

    /**
     * @param look            blocks; throws EE-301 if nobody has the service, EE-302 if somebody who may have it does not answer
     * @param rememberFailure asked anew each time
     * @param clock           nanoseconds
     */
    Descriptors(IntFunction<Descriptor> look, FairQueue queue, Supplier<Duration> rememberFailure, LongSupplier clock) {
        this.look = look;
        this.queue = queue;
        this.rememberFailure = rememberFailure;
        this.clock = clock;
    }

    /** What is known of a service now, without a look; null for nothing. */
    Descriptor known(int typeId) {
        Look last = remembered(typeId);
        return last == null || last.found.isCompletedExceptionally() ? null : last.found.join();
    }

    private synchronized Look remembered(int typeId) {
        Look last = done.get(typeId);
        if (last != null && clock.getAsLong() - last.until >= 0) {
            done.remove(typeId);
            return null;
        }
        return last;
    }

    /** What a service is; fails as the look does, with EE-410 if too many are looked for on the account, and with EE-210 if the node is stopping. */
    CompletableFuture<Descriptor> of(int typeId, String account) {
        Look known;
        Look begun;
        synchronized (this) {
            known = remembered(typeId);
            if (known != null) {
                return known.found;
            }
            known = under.get(typeId);
            begun = known != null ? known : new Look(typeId);
            under.put(typeId, begun);
        }
        if (known != null) {
            queue.join(account, begun);
        } else {
            queue.add(account, begun);
        }
        return begun.found;
    }

    private void end(Look ended, Descriptor found, AnepException why) {
        synchronized (this) {
            under.remove(ended.typeId);
            if (why == null || why.code() != ErrorCode.BUSY) {
                ended.until = clock.getAsLong() + (why == null ? REMEMBERED : rememberFailure.get()).toNanos();
                done.remove(ended.typeId);
                done.put(ended.typeId, ended);
            }
        }
        if (why == null) {
            ended.found.complete(found);
        } else {
            ended.found.completeExceptionally(why);
        }
    }
}
