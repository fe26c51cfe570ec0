package org.tamanoir.service.guard;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A brake for service code. A node weaves a call of {@link #check()} into every loop of a bundle, and trips the guard for a thread that
 * has been inside a service for too long: the next turn of the loop throws. A turn costs one plain read while nothing is tripped.
 *
 * <p>The JVM has no other way to stop code that runs: {@code Thread.stop} is gone, and an interrupt is only seen by code that waits.
 */
public final class LoopGuard {
    private static final VarHandle TRIPPED;
    private static final Set<Thread> STOPPED = ConcurrentHashMap.newKeySet();
    @SuppressWarnings("unused") // read and written through TRIPPED
    private static boolean tripped;

    static {
        try {
            TRIPPED = MethodHandles.lookup().findStaticVarHandle(LoopGuard.class, "tripped", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private LoopGuard() {
    }

    /** Woven into the loops of services. An opaque read: as cheap as a plain one, but never moved out of the loop. */
    public static void check() {
        if ((boolean) TRIPPED.getOpaque() && STOPPED.contains(Thread.currentThread())) {
            throw new ServiceStopped();
        }
    }

    /** Makes loops of services on that thread throw until {@link #release}. */
    public static synchronized void trip(Thread thread) {
        STOPPED.add(thread);
        TRIPPED.setOpaque(true);
    }

    /** The thread has left the service. */
    public static synchronized void release(Thread thread) {
        STOPPED.remove(thread);
        TRIPPED.setOpaque(!STOPPED.isEmpty());
    }

    /** Thrown inside a service that has been running for too long; an error, so that {@code catch (Exception)} lets it pass. */
    public static final class ServiceStopped extends Error {
        ServiceStopped() {
            super("the service did not return in time and was stopped");
        }
    }
}
