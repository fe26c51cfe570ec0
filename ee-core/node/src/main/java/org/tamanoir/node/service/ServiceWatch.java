package org.tamanoir.node.service;

import io.netty.util.concurrent.FastThreadLocal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.waits.WaitTimes;
import org.tamanoir.service.brake.Brakes;

/**
 * Watches how long services take. A thread marks when it enters and leaves a service, which costs two writes; a watchman looks at the
 * marks now and then. Where one has stood still for longer than allowed he names the service and the stack, interrupts the thread, and
 * puts the {@link Brakes} on: the call ends with an error, and with it the one stream that it was for.
 */
public final class ServiceWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceWatch.class);
    /** The watchman looks at least this often; what he allows is exact to it. */
    private static final long MOST_SLEEP_MILLIS = 100;
    private static final int LOOKS = 8;
    /** One in so many turns of a thread has the time of its first call taken; a power of 2. */
    private static final int TURNS_A_SAMPLE = 64;
    /** How long calls wait at most for somebody who {@linkplain #hold holds} them. */
    private static final long MOST_HELD_NANOS = 200_000_000L;
    private static final long HELD_LOOK_NANOS = 100_000L;

    private final long sleepMillis;
    private final Set<Mark> marks = ConcurrentHashMap.newKeySet();
    private final Thread watchman;
    private final WaitTimes calls = WaitTimes.by("service", "tamanoir_service_call_seconds",
            "How long a service takes for a packet, with what it sends on meanwhile: the first packet of one read in 64.",
            0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.1, 1);
    private volatile boolean closed;
    private volatile boolean held;
    private final FastThreadLocal<Mark> ofThread = new FastThreadLocal<>() {
        @Override
        protected Mark initialValue() {
            Mark mark = new Mark(Thread.currentThread(), ServiceWatch.this);
            marks.add(mark);
            ServiceThreads.mark(mark);
            return mark;
        }

        @Override
        protected void onRemoval(Mark mark) {
            marks.remove(mark);
        }
    };

    /** @param shortest of the times that services are allowed for one call; each service's policy has its own */
    public ServiceWatch(Duration shortest) {
        this.sleepMillis = Math.max(1, Math.min(MOST_SLEEP_MILLIS, shortest.toMillis() / LOOKS));
        this.watchman = new Thread(this::watch, "tamanoir-watch");
        watchman.setDaemon(true);
        watchman.start();
    }

    /** No call of a service begins any more, until {@link #proceed} or for {@link #MOST_HELD_NANOS}. Any thread. */
    void hold() {
        held = true;
    }

    void proceed() {
        held = false;
    }

    private void awaitProceed() {
        for (long end = System.nanoTime() + MOST_HELD_NANOS; held && System.nanoTime() - end < 0;) {
            LockSupport.parkNanos(HELD_LOOK_NANOS);
        }
        held = false;
    }

    /** The mark of the thread that calls. */
    public Mark ofThisThread() {
        return ofThread.get();
    }

    /** How long calls of services take, by the name of the service: a sample of them. */
    public WaitTimes calls() {
        return calls;
    }

    /** Services that are inside a call for longer than allowed right now and could not be stopped. */
    public Set<String> stuck() {
        return marks.stream().map(mark -> mark.culprit).filter(Objects::nonNull).map(frame -> String.valueOf(frame.service)).collect(Collectors.toSet());
    }

    private void watch() {
        while (!closed) {
            try {
                Thread.sleep(sleepMillis);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            for (Mark mark : marks) {
                if (!mark.thread.isAlive()) {
                    marks.remove(mark);
                } else {
                    look(mark, now);
                }
            }
        }
    }

    /** The time since the last look goes to the innermost call that has lasted since then: those within it have returned meanwhile. */
    private static void look(Mark mark, long now) {
        long elapsed = now - mark.lookedAt;
        mark.lookedAt = now;
        Frame lasting = null;
        Frame top = mark.top();
        for (Frame frame = mark.base; frame != top;) {
            frame = frame.inner;
            if (frame.calls == frame.seenCalls) {
                lasting = frame;
            } else {
                frame.seenCalls = frame.calls;
                frame.nanos = 0;
            }
        }
        if (lasting != null) {
            lasting.nanos += elapsed;
            if (lasting.nanos >= lasting.service.patience().toNanos()) {
                stop(mark, lasting);
            }
        }
    }

    private static void stop(Mark mark, Frame frame) {
        if (mark.culprit != frame) {
            String where = Arrays.stream(mark.thread.getStackTrace()).limit(12).map(String::valueOf).collect(Collectors.joining(" < "));
            if (!mark.isInside(frame) || frame.calls != frame.seenCalls) {
                return;
            }
            mark.culprit = frame;
            LOG.warn("{} has not returned for {} ms and is stopped; it was at {}", frame.service, frame.nanos / 1_000_000, where);
        }
        // Again and again while it stays: code that waits sees the interrupt, code that loops sees the guard.
        if (mark.top() == frame && frame.calls == frame.seenCalls) {
            Brakes.put(mark.thread);
            mark.thread.interrupt();
            if (mark.top() != frame) {
                Brakes.release(mark.thread);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        watchman.interrupt();
    }

    /** One call of a service on a thread. Frames are used again and again; a call is told from the next by its number. */
    private static final class Frame {
        private final Frame outer;
        private Frame inner;
        private RunningService service;
        private long calls;
        /** Of the watchman. */
        private long seenCalls = -1;
        private long nanos;

        private Frame(Frame outer) {
            this.outer = outer;
        }
    }

    /**
     * The services that a thread is inside of: what a handler emits enters the next service from within. Each has a clock of its own, which
     * stands while a call from within lasts. Written by its thread, read by the watchman.
     */
    public static final class Mark {
        private final Thread thread;
        private final ServiceWatch watch;
        private final WaitTimes calls;
        private final Frame base = new Frame(null);
        private Frame top = base;
        /** The call that is to end; its thread is stopped while it is in that service itself, not in one further in. */
        private volatile Frame culprit;
        /** The call that was stopped, until somebody asks. */
        private Frame stopped;
        private long lookedAt = System.nanoTime();
        private int turns;

        private Mark(Thread thread, ServiceWatch watch) {
            this.thread = thread;
            this.watch = watch;
            this.calls = watch.calls;
        }

        private Frame top() {
            return (Frame) TOP.getAcquire(this);
        }

        /** The thread begins with the packets of a read. @return whether {@link #took} should be told of the first call */
        public boolean isSampled() {
            return turns++ % TURNS_A_SAMPLE == 0;
        }

        /** A call of a service that was sampled has returned. @param nanos that it has taken */
        public void took(RunningService service, long nanos) {
            calls.took(service.name(), nanos);
        }

        /** The service that the thread is inside of; null for none. To be called by it. */
        RunningService inside() {
            return top == base ? null : top.service;
        }

        /** Whether the thread is inside no service. */
        boolean isOutside() {
            return top() == base;
        }

        private boolean isInside(Frame frame) {
            for (Frame each = top(); each != base; each = each.outer) {
                if (each == frame) {
                    return true;
                }
            }
            return false;
        }

        /** The thread enters a service, from within another or from none; {@link #leave} must follow. */
        public void enter(RunningService service) {
            if (watch.held) {
                watch.awaitProceed();
            }
            Frame before = top;
            stopped = null;
            Frame late = culprit;
            if (late != null) {
                if (isInside(late)) {
                    release();
                } else {
                    // The watch was late: it meant a call that has returned by itself.
                    clear();
                }
            }
            if (before.inner == null) {
                before.inner = new Frame(before);
            }
            Frame frame = before.inner;
            frame.service = service;
            frame.calls++;
            TOP.setRelease(this, frame);
        }

        /** The thread is back in the service that it was inside before. */
        public void leave() {
            Frame left = top;
            TOP.setRelease(this, left.outer);
            Frame late = culprit;
            if (late == left) {
                stopped = left;
                clear();
            } else if (late == left.outer && late != null) {
                Brakes.put(thread);
            }
        }

        /** Whether the call that has just ended was stopped by the watch; makes the thread fit for use again. */
        public boolean wasStopped() {
            Frame left = top.inner;
            Frame late = culprit;
            if (late != null && !isInside(late)) {
                stopped = late;
                clear();
            }
            boolean was = stopped != null && stopped == left;
            stopped = null;
            return was;
        }

        private void clear() {
            culprit = null;
            release();
        }

        private void release() {
            Brakes.release(thread);
            Thread.interrupted();
        }

        private static final java.lang.invoke.VarHandle TOP;

        static {
            try {
                TOP = java.lang.invoke.MethodHandles.lookup().findVarHandle(Mark.class, "top", Frame.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }
}
