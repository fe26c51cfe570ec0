package org.tamanoir.service.brake;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The threads whose service code is to stop. The node puts them on and releases them; the calls that it weaves into services only ask
 * for their own thread. Bundles cannot see this package.
 */
public final class Brakes {
    private static final VarHandle ANY;
    private static final Set<Thread> STOPPED = ConcurrentHashMap.newKeySet();
    @SuppressWarnings("unused") // read and written through ANY
    private static boolean any;

    static {
        try {
            ANY = MethodHandles.lookup().findStaticVarHandle(Brakes.class, "any", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Brakes() {
    }

    /** Whether the calling thread is to stop. An opaque read: as cheap as a plain one, but never moved out of a loop. */
    public static boolean isOn() {
        return (boolean) ANY.getOpaque() && STOPPED.contains(Thread.currentThread());
    }

    /** Makes loops of services on that thread throw until {@link #release}. */
    public static synchronized void put(Thread thread) {
        STOPPED.add(thread);
        ANY.setOpaque(true);
    }

    /** The thread has left the service. */
    public static synchronized void release(Thread thread) {
        STOPPED.remove(thread);
        ANY.setOpaque(!STOPPED.isEmpty());
    }
}
