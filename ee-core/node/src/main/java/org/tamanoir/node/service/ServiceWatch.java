package org.tamanoir.node.service;

import io.netty.util.concurrent.FastThreadLocal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.guard.LoopGuard;

/**
 * Watches how long services take. A thread marks when it enters and leaves a service, which costs two writes; a watchman looks at the
 * marks now and then. Where one has stood still for longer than allowed he names the service and the stack, interrupts the thread, and
 * trips the {@link LoopGuard}: the call ends with an error, and with it the one stream that it was for.
 */
public final class ServiceWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceWatch.class);
    /** The watchman looks at least this often; what he allows is exact to it. */
    private static final long MOST_SLEEP_MILLIS = 100;
    private static final int LOOKS = 8;

    private final long sleepMillis;
    private final Set<Mark> marks = ConcurrentHashMap.newKeySet();
    private final Thread watchman;
    private volatile boolean closed;
    private final FastThreadLocal<Mark> ofThread = new FastThreadLocal<>() {
        @Override
        protected Mark initialValue() {
            Mark mark = new Mark(Thread.currentThread());
            marks.add(mark);
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

    /** The mark of the thread that calls. */
    public Mark ofThisThread() {
        return ofThread.get();
    }

    /** Services that are inside a call for longer than allowed right now and could not be stopped. */
    public Set<String> stuck() {
        return marks.stream().filter(mark -> mark.tripped).map(mark -> String.valueOf(mark.inside)).collect(Collectors.toSet());
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

    private void look(Mark mark, long now) {
        long calls = mark.calls;
        RunningService inside = mark.inside;
        if (inside == null || calls != mark.seenCalls) {
            mark.seenCalls = calls;
            mark.seenSince = now;
            return;
        }
        if (now - mark.seenSince < inside.policy().timeout().toNanos()) {
            return;
        }
        if (!mark.tripped) {
            String where = Arrays.stream(mark.thread.getStackTrace()).limit(12).map(String::valueOf).collect(Collectors.joining("\n    "));
            if (mark.inside == null || mark.calls != calls) {
                return;
            }
            mark.tripped = true;
            LoopGuard.trip(mark.thread);
            LOG.warn("{} has not returned for {} ms and is stopped; it was at\n    {}", inside, (now - mark.seenSince) / 1_000_000, where);
        }
        // Again and again while it stays: code that waits sees the interrupt, code that loops sees the guard.
        if (mark.calls == calls && mark.inside != null) {
            mark.thread.interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        watchman.interrupt();
    }

    /** Whether a thread is inside a service. Written by its thread, read by the watchman. */
    public static final class Mark {
        private final Thread thread;
        private volatile RunningService inside;
        private volatile boolean tripped;
        private long calls;
        private long seenCalls = -1;
        private long seenSince;

        private Mark(Thread thread) {
            this.thread = thread;
        }

        /** The thread enters a service; returns the one that it was inside already, for {@link #leave}. */
        public RunningService enter(RunningService service) {
            RunningService before = inside;
            // What a handler emits enters the next service from within: that is no new call, or one that emits for ever would go unseen.
            if (before == null) {
                calls++;
                if (tripped) {
                    // The watch was late: it meant the call before, which has returned by itself.
                    wasStopped();
                }
            }
            INSIDE.setRelease(this, service);
            return before;
        }

        /** The thread is back. */
        public void leave(RunningService before) {
            INSIDE.setRelease(this, before);
        }

        /** Whether the call that has just ended was stopped by the watch; makes the thread fit for use again. */
        public boolean wasStopped() {
            if (!tripped) {
                return false;
            }
            tripped = false;
            LoopGuard.release(thread);
            Thread.interrupted();
            return true;
        }

        private static final java.lang.invoke.VarHandle INSIDE;

        static {
            try {
                INSIDE = java.lang.invoke.MethodHandles.lookup().findVarHandle(Mark.class, "inside", RunningService.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }
}
