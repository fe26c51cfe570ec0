package org.tamanoir.node.service;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Timer;

/**
 * The tasks of one service itself: one at a time, on threads that are not a stream's, from when the service has started until it stops. One
 * that throws or does not return in time is a defect of the service. Asked on any thread.
 */
final class ServiceTasks implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceTasks.class);
    private static final long MOST_NANOS = Duration.ofDays(365).toNanos();

    private final class Entry implements Timer {
        private final Runnable task;
        private Future<?> alarm;

        private Entry(Runnable task) {
            this.task = task;
        }

        @Override
        public boolean cancel() {
            synchronized (ServiceTasks.this) {
                if (!timers.remove(this)) {
                    return false;
                }
                due.remove(this);
                alarm.cancel(false);
                return true;
            }
        }
    }

    private final TaskThreads threads;
    /** Those that have not begun. */
    private final Set<Entry> timers = new HashSet<>();
    /** What the service must hear, whether it runs or not. */
    private record Told(Runnable task) implements Runnable {
        @Override
        public void run() {
            task.run();
        }
    }

    /** What is to be run, in order: entries of timers, and what others want to be run. */
    private final Queue<Object> due = new ArrayDeque<>();
    private RunningService service;
    private boolean busy;
    private boolean ended;

    ServiceTasks(TaskThreads threads) {
        this.threads = threads;
    }

    /** See {@link org.tamanoir.service.ServiceContext#later}. */
    synchronized Timer later(Duration delay, Runnable task) {
        if (timers.size() >= StreamContext.MOST_TIMERS) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a service has " + timers.size() + " timers and may have no more");
        }
        Entry entry = new Entry(task);
        if (!ended) {
            timers.add(entry);
            try {
                entry.alarm = threads.after(nanos(delay), () -> due(entry));
            } catch (RejectedExecutionException e) {
                timers.remove(entry);
            }
        }
        return entry;
    }

    private static long nanos(Duration delay) {
        return delay.isNegative() ? 0 : delay.getSeconds() >= MOST_NANOS / 1_000_000_000L ? MOST_NANOS : delay.toNanos();
    }

    private synchronized void due(Entry entry) {
        if (timers.contains(entry)) {
            due.add(entry);
            wake();
        }
    }

    /** Runs something for the service behind what is due; nothing happens once it is to stop. How much waits is bounded by the caller. */
    @Override
    public synchronized void execute(Runnable task) {
        if (!ended) {
            due.add(task);
            wake();
        }
    }

    /**
     * Tells the service something that it must hear: in the order of its tasks while it runs, beside them while it starts or stops.
     *
     * @throws RejectedExecutionException when the node stops
     */
    void tell(Runnable news) {
        synchronized (this) {
            if (service != null && !ended) {
                due.add(new Told(news));
                wake();
                return;
            }
        }
        threads.workers().execute(news);
    }

    /** The service has started: what is due runs from now on. */
    synchronized void begin(RunningService running) {
        service = running;
        wake();
    }

    /** The service is to stop: nothing begins any more. */
    synchronized void end() {
        ended = true;
        timers.forEach(entry -> entry.alarm.cancel(false));
        timers.clear();
        leave();
    }

    /** Nothing that is due runs as a task any more; news are told all the same. */
    private void leave() {
        for (Object left : due) {
            if (left instanceof Told news) {
                try {
                    threads.workers().execute(news);
                } catch (RejectedExecutionException e) {
                    news.run();
                }
            }
        }
        due.clear();
    }

    private void wake() {
        if (!busy && service != null && !due.isEmpty()) {
            try {
                threads.workers().execute(this::turn);
                busy = true;
            } catch (RejectedExecutionException e) {
                leave();
            }
        }
    }

    /** Runs one task; the next has a turn of its own, so that services share the threads fairly. */
    private void turn() {
        Runnable task = next();
        try {
            if (task != null) {
                run(task);
            }
        } finally {
            synchronized (this) {
                busy = false;
                wake();
            }
        }
    }

    private synchronized Runnable next() {
        Object first = service.cut() == null ? due.poll() : null;
        if (first instanceof Entry entry) {
            return timers.remove(entry) ? entry.task : null;
        }
        return (Runnable) first;
    }

    private void run(Runnable task) {
        ServiceWatch.Mark mark = threads.watch().ofThisThread();
        mark.enter(service);
        Throwable error = null;
        try {
            task.run();
        } catch (Throwable e) {
            error = e;
        } finally {
            mark.leave();
        }
        boolean stopped = mark.wasStopped();
        if (stopped || error != null) {
            AnepException why = stopped ? new AnepException(ErrorCode.SERVICE_TIMEOUT, "a task of " + service + " did not return in time", error)
                    : error instanceof AnepException known ? known
                    : new AnepException(ErrorCode.SERVICE_ERROR, "a task of " + service + " failed: " + error, error);
            LOG.warn("{}", why.getMessage(), error);
            service.error();
            service.failed(why);
        }
    }
}
