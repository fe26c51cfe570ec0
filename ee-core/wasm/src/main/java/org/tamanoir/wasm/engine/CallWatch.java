package org.tamanoir.wasm.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.service.brake.Brakes;

/**
 * Sees to it that no call of a module takes more processor time than it may. A watchman looks at the threads that are inside a call, about
 * every millisecond, and puts the brakes on for one that has used up its time, or that somebody has interrupted: the next turn of a loop, or
 * the next call, then ends the module. While no thread is inside a call he sleeps.
 *
 * <p>Processor time, not time on the wall: a module that waits for a processor has not taken it from anybody.
 */
public final class CallWatch implements AutoCloseable {
    private static final long LOOK_NANOS = 1_000_000;
    /** What a call has run before it is seen for the first time counts by the clock on the wall, up to this: the time between two looks. */
    private static final long MOST_UNSEEN_NANOS = LOOK_NANOS;
    /** Looks without a call after which he sleeps. */
    private static final int IDLE_LOOKS = 20;
    private static final long SLEEP_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Call.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private final ThreadLocal<Call> ofThread = ThreadLocal.withInitial(this::register);
    private final Thread watchman;
    private volatile boolean asleep;
    private volatile boolean closed;
    private volatile long looks;

    public CallWatch() {
        watchman = new Thread(this::watch, "tamanoir-wasm-watch");
        watchman.setDaemon(true);
        // He is to run when every processor is taken by modules, for he ends that.
        watchman.setPriority(Thread.MAX_PRIORITY);
        watchman.start();
    }

    private Call register() {
        Call call = new Call(Thread.currentThread());
        calls.add(call);
        return call;
    }

    /**
     * This thread enters a module; {@link Call#leave} must follow. Calls do not nest.
     *
     * @param nanos of processor time that it may take
     */
    Call enter(long nanos) {
        Call call = ofThread.get();
        call.interruptedBefore = call.thread.isInterrupted();
        call.limit = nanos;
        call.entered = System.nanoTime();
        // Everything above is seen by a watchman who sees the new state.
        STATE.setVolatile(call, call.nextCall());
        if (asleep) {
            LockSupport.unpark(watchman);
        }
        return call;
    }

    /** How often the watchman has looked. */
    public long looks() {
        return looks;
    }

    private void watch() {
        int idle = 0;
        while (!closed) {
            long next = look();
            looks++;
            idle = next < 0 ? idle + 1 : 0;
            if (idle < IDLE_LOOKS) {
                LockSupport.parkNanos(next < 0 ? LOOK_NANOS : next);
            } else {
                // Whoever enters after this sees that he sleeps, and whoever has entered before is seen by him.
                asleep = true;
                if (!anyInside()) {
                    LockSupport.parkNanos(SLEEP_NANOS);
                }
                asleep = false;
                idle = 0;
            }
            Thread.interrupted();
        }
    }

    private boolean anyInside() {
        for (Call call : calls) {
            if (call.isInside()) {
                return true;
            }
        }
        return false;
    }

    /** @return nanoseconds until the next look; negative if no thread is inside a call */
    private long look() {
        long next = -1;
        for (Call call : calls) {
            if (call.isInside()) {
                long left = call.look();
                long wait = Math.max(20_000, Math.min(LOOK_NANOS, left));
                next = next < 0 ? wait : Math.min(next, wait);
            } else if (!call.thread.isAlive()) {
                calls.remove(call);
            }
        }
        return next;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watchman);
    }

    /** The calls of one thread, one after another. */
    static final class Call {
        /** In the lower bits of the state; above them stands the number of the call. */
        private static final long OUTSIDE = 0;
        private static final long INSIDE = 1;
        private static final long STOPPING = 2;
        private static final long STOPPED = 3;
        private static final long MASK = 3;

        private final Thread thread;
        private volatile long state;
        private long limit;
        private long entered;
        private boolean interruptedBefore;
        /** Of the watchman. */
        private long seen;
        private long seenAt;
        private long unseen;

        private Call(Thread thread) {
            this.thread = thread;
        }

        private long nextCall() {
            return (state & ~MASK) + MASK + 1 | INSIDE;
        }

        private boolean isInside() {
            return (state & MASK) == INSIDE;
        }

        /** By the watchman. @return nanoseconds of processor time that are left */
        private long look() {
            long now = state;
            if ((now & MASK) != INSIDE) {
                return LOOK_NANOS;
            }
            long used = THREADS.getThreadCpuTime(thread.getId());
            if (now != seen) {
                unseen = Math.min(System.nanoTime() - entered, MOST_UNSEEN_NANOS);
                seenAt = used;
                seen = now;
            }
            long left = limit - unseen - (used - seenAt);
            // A thread that has ended is not inside, whatever its state says: used is -1 then.
            if (left <= 0 || thread.isInterrupted() && !interruptedBefore) {
                stop(now);
            }
            return left;
        }

        private void stop(long number) {
            if (STATE.compareAndSet(this, number, number & ~MASK | STOPPING)) {
                Brakes.put(thread);
                STATE.setVolatile(this, number & ~MASK | STOPPED);
            }
        }

        /** The thread is outside again. @return whether the call was stopped */
        boolean leave() {
            long now = state;
            if ((now & MASK) == INSIDE && STATE.compareAndSet(this, now, now & ~MASK | OUTSIDE)) {
                return false;
            }
            while ((state & MASK) == STOPPING) {
                Thread.onSpinWait();
            }
            Brakes.release(thread);
            STATE.setVolatile(this, state & ~MASK | OUTSIDE);
            forgetInterrupt();
            return true;
        }

        /** Whoever interrupted the thread since it entered meant the module. */
        void forgetInterrupt() {
            if (!interruptedBefore) {
                Thread.interrupted();
            }
        }
    }
}
