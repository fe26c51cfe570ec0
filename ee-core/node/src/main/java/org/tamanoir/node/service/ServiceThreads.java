package org.tamanoir.node.service;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.brake.Brakes;

/**
 * Which threads services have started: a thread that is made inside a call of a service, or by one that was, is its own. The JVM hands the value of an
 * inheritable variable to each new thread in the thread that makes it, so it costs nothing but then; and there one that is too many
 * can be refused. Threads of the node, which a call may bring about too, are known by their names when they are counted.
 */
public final class ServiceThreads {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceThreads.class);
    private static final String OF_NODE = "tamanoir-";
    private static final int LOOK_MILLIS = 20;

    /** Who has made a thread: a service, or one that is about to start. */
    static final class Origin {
        private final int most;
        /** Threads that were alive when they were counted, and those made since. */
        private final AtomicInteger made = new AtomicInteger();
        private volatile RunningService service;

        Origin(int most) {
            this.most = most;
        }

        /** It is this service. */
        void is(RunningService started) {
            service = started;
        }

        /** One more thread is made. @throws AnepException EE-309 if it is too many */
        private Origin more() {
            if (made.incrementAndGet() > most) {
                made.set(threads(this).size() + 1);
                if (made.get() > most) {
                    made.decrementAndGet();
                    throw new AnepException(ErrorCode.SERVICE_LIMIT, (service == null ? "the service" : service.toString()) + " has started " + made.get()
                            + " threads and may start no more (threads of its policy)");
                }
            }
            return this;
        }
    }

    /** On a thread of the node its {@link ServiceWatch.Mark}, on one of a service its {@link Origin}. */
    private static final InheritableThreadLocal<Object> OWNER = new InheritableThreadLocal<>() {
        @Override
        protected Object childValue(Object parent) {
            if (parent instanceof ServiceWatch.Mark mark) {
                RunningService service = mark.inside();
                return service == null ? null : service.origin().more();
            }
            return parent instanceof Origin origin ? origin.more() : null;
        }
    };

    private static final Field INHERITED = field(Thread.class, "inheritableThreadLocals");
    private static final Field TABLE = INHERITED == null ? null : field(INHERITED.getType(), "table");
    private static final Field VALUE = TABLE == null ? null : field(TABLE.getType().getComponentType(), "value");

    private ServiceThreads() {
    }

    private static Field field(Class<?> of, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("threads of services are not counted: java.lang is not open (--add-opens java.base/java.lang=ALL-UNNAMED)", e);
            return null;
        }
    }

    /** The calling thread runs services from now on. */
    static void mark(ServiceWatch.Mark mark) {
        OWNER.set(mark);
    }

    /** The calling thread starts a service that may start so many, until {@link #started}. */
    public static Object starts(int most) {
        Origin origin = new Origin(most);
        OWNER.set(origin);
        return origin;
    }

    /** The calling thread has started it, or has given up. @param service null if there is none */
    public static void started(Object token, RunningService service) {
        OWNER.remove();
        if (service != null) {
            service.madeBy((Origin) token);
        }
    }

    /** Its threads that are alive. */
    private static List<Thread> threads(Origin origin) {
        List<Thread> threads = new ArrayList<>();
        if (VALUE == null) {
            return threads;
        }
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        Thread[] all = new Thread[top.activeCount() * 2 + 16];
        int count = top.enumerate(all);
        for (int i = 0; i < count; i++) {
            if (!all[i].getName().startsWith(OF_NODE) && origin(all[i]) == origin) {
                threads.add(all[i]);
            }
        }
        return threads;
    }

    /** How many threads a service has started that are alive. */
    public static int count(RunningService service) {
        return threads(service.origin()).size();
    }

    private static Origin origin(Thread thread) {
        try {
            Object map = INHERITED.get(thread);
            Object table = map == null ? null : TABLE.get(map);
            for (int i = 0; table != null && i < Array.getLength(table); i++) {
                Object entry = Array.get(table, i);
                if (entry instanceof Reference<?> key && key.get() == OWNER && VALUE.get(entry) instanceof Origin origin) {
                    return origin;
                }
            }
            return null;
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Ends the threads of a service that has stopped: waits are interrupted, loops of its own code throw.
     *
     * @return those that are alive all the same
     */
    public static List<Thread> end(RunningService service, long patienceMillis) throws InterruptedException {
        List<Thread> left = threads(service.origin());
        left.forEach(Brakes::put);
        try {
            long end = System.nanoTime() + patienceMillis * 1_000_000;
            while (left.stream().anyMatch(Thread::isAlive) && System.nanoTime() - end < 0) {
                left.stream().filter(Thread::isAlive).forEach(Thread::interrupt);
                Thread.sleep(LOOK_MILLIS);
            }
        } finally {
            left.forEach(Brakes::release);
        }
        return left.stream().filter(Thread::isAlive).toList();
    }
}
