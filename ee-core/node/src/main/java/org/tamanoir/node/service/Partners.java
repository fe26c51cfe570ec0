package org.tamanoir.node.service;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Partner;

/**
 * Services that work together: gives each of them the current version of the other, and has the node get one that is missing. A version
 * that others may be in the middle of calling is not taken out before such a call must have returned. For any thread.
 */
public final class Partners {
    private static final Logger LOG = LoggerFactory.getLogger(Partners.class);
    /** How often the node is asked for one that is missing; it remembers by itself what it could not get. */
    private static final long ASK_NANOS = 500_000_000L;
    /** Beyond the time that a call may take. */
    private static final long GRACE_NANOS = 1_000_000_000L;

    private final ServiceRegistry registry;
    private final TaskThreads threads;
    /** By Type ID: what somebody has a partner for. */
    private final Map<Integer, Wanted> wanted = new ConcurrentHashMap<>();
    private volatile IntFunction<CompletableFuture<RunningService>> source = typeId -> new CompletableFuture<>();

    public Partners(ServiceRegistry registry, TaskThreads threads) {
        this.registry = registry;
        this.threads = threads;
        registry.onCurrent((before, now) -> {
            if (before != null && wanted.containsKey(before.typeId())) {
                keep(before);
            }
        });
    }

    /** @param source gets a service by its Type ID */
    public void from(IntFunction<CompletableFuture<RunningService>> source) {
        this.source = source;
    }

    /** A version is not current any more: calls that are under way in it end first. */
    private void keep(RunningService before) {
        if (before.openPartner()) {
            try {
                threads.after(before.policy().timeout().toNanos() + GRACE_NANOS, before::closedPartner);
            } catch (RejectedExecutionException e) {
                // The node stops.
                before.closedPartner();
            }
        }
    }

    /** See {@link org.tamanoir.service.ServiceContext#partner}. */
    <T> Partner<T> partner(String owner, int typeId, Class<T> contract) {
        if (!contract.isInterface()) {
            throw new IllegalArgumentException(contract.getName() + " is no interface");
        }
        return new OfType<>(owner, contract, wanted.computeIfAbsent(typeId, Wanted::new));
    }

    /** One Type ID that somebody has a partner for. */
    private final class Wanted {
        private final Integer typeId;
        private final AtomicLong asked = new AtomicLong(System.nanoTime() - ASK_NANOS);
        /** What was said of it last, so that it is said once; null while all is well. */
        private volatile String said;

        private Wanted(Integer typeId) {
            this.typeId = typeId;
        }

        private void ask(String owner) {
            long last = asked.get();
            long now = System.nanoTime();
            if (now - last < ASK_NANOS || !asked.compareAndSet(last, now)) {
                return;
            }
            source.apply(typeId).whenComplete((service, failure) -> {
                if (failure != null) {
                    Throwable why = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
                    say("missing", owner + " works without its partner " + Anep.typeName(typeId) + ": " + why.getMessage());
                }
            });
        }

        private void say(String state, String text) {
            if (!state.equals(said)) {
                said = state;
                LOG.warn("{} {}", ErrorCode.PARTNER_MISSING, text);
            }
        }
    }

    private final class OfType<T> implements Partner<T> {
        private final String owner;
        private final Class<T> contract;
        private final Wanted wanted;

        private OfType(String owner, Class<T> contract, Wanted wanted) {
            this.owner = owner;
            this.contract = contract;
            this.wanted = wanted;
        }

        @Override
        public T get() {
            RunningService now = registry.find(wanted.typeId);
            if (now == null) {
                wanted.ask(owner);
                return null;
            }
            if (!contract.isInstance(now.service())) {
                wanted.say("stranger " + now, now.service() instanceof StandIn ? owner + " works without its partner " + now + ", which is suspended"
                        : owner + " works without its partner: " + now + " does not implement " + contract.getName());
                return null;
            }
            if (wanted.said != null) {
                wanted.said = null;
            }
            return contract.cast(now.service());
        }

        @Override
        public String version() {
            RunningService now = registry.find(wanted.typeId);
            return now != null && contract.isInstance(now.service()) ? now.version() : null;
        }
    }
}
