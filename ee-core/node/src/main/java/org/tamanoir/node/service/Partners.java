package org.tamanoir.node.service;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashMap;
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
                threads.after(before.patience().toNanos() + GRACE_NANOS, before::closedPartner);
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

    /** @param partner null if the service is none @param missing why not */
    private record Known<T>(RunningService service, T partner, String missing) {
    }

    /**
     * Contracts that two bundles carry each for itself, under one name: a call goes to the method that looks the same. Its parameters and its result are of
     * Java, of ANEP or of the service API, which both see as the same classes.
     */
    private static final class Alike implements InvocationHandler {
        private final Object target;
        private final Map<Method, Method> methods = new HashMap<>();

        private Alike(Object target) {
            this.target = target;
        }

        /** @return null if the class of the target implements no interface of that name @throws NoSuchMethodException that names what its interface lacks */
        static <T> T of(Class<T> contract, Object target) throws NoSuchMethodException {
            Class<?> theirs = named(contract.getName(), target.getClass());
            if (theirs == null) {
                return null;
            }
            Alike alike = new Alike(target);
            for (Method method : contract.getMethods()) {
                if (Modifier.isStatic(method.getModifiers())) {
                    continue;
                }
                Method same;
                try {
                    same = theirs.getMethod(method.getName(), method.getParameterTypes());
                } catch (NoSuchMethodException e) {
                    throw new NoSuchMethodException(method.toGenericString());
                }
                if (same.getReturnType() != method.getReturnType()) {
                    throw new NoSuchMethodException(method.toGenericString());
                }
                same.setAccessible(true);
                alike.methods.put(method, same);
            }
            return contract.cast(Proxy.newProxyInstance(contract.getClassLoader(), new Class<?>[] {contract}, alike));
        }

        private static Class<?> named(String name, Class<?> type) {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Class<?> offered : each.getInterfaces()) {
                    Class<?> found = offered.getName().equals(name) ? offered : named(name, offered);
                    if (found != null) {
                        return found;
                    }
                }
            }
            return null;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            Method same = methods.get(method);
            try {
                return same == null ? method.invoke(this, arguments) : same.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private final class OfType<T> implements Partner<T> {
        private final String owner;
        private final Class<T> contract;
        private final Wanted wanted;
        private volatile Known<T> known;

        private OfType(String owner, Class<T> contract, Wanted wanted) {
            this.owner = owner;
            this.contract = contract;
            this.wanted = wanted;
        }

        @Override
        public T get() {
            RunningService now = registry.find(wanted.typeId);
            if (now == null) {
                known = null;
                wanted.ask(owner);
                return null;
            }
            Known<T> seen = known;
            if (seen == null || seen.service() != now) {
                seen = meet(now);
                known = seen;
            }
            if (seen.partner() == null) {
                wanted.say("stranger " + now, owner + " works without its partner" + seen.missing());
                return null;
            }
            if (wanted.said != null) {
                wanted.said = null;
            }
            return seen.partner();
        }

        private Known<T> meet(RunningService now) {
            if (contract.isInstance(now.service())) {
                return new Known<>(now, contract.cast(now.service()), null);
            }
            if (now.service() instanceof StandIn) {
                return new Known<>(now, null, " " + now + ", which is suspended");
            }
            try {
                T alike = Alike.of(contract, now.service());
                return new Known<>(now, alike, alike == null ? ": " + now + " does not implement " + contract.getName() : null);
            } catch (NoSuchMethodException e) {
                return new Known<>(now, null, ": the " + contract.getName() + " of " + now + " is another one: it has no " + e.getMessage());
            }
        }

        @Override
        public String version() {
            RunningService now = registry.find(wanted.typeId);
            return now != null && get() != null ? now.version() : null;
        }
    }
}
