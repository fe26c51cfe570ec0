package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.Timer;

/**
 * The tasks and timers that one handler has asked for: at most so many, run on the stream's own thread once its stages stand, discarded
 * when the stream is gone. Asked on any thread.
 */
final class HandlerTasks {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerTasks.class);

    /** A task that has been asked for. Whoever takes it out of the set runs it or discards it. */
    final class Entry implements Timer {
        private final Task task;
        private final boolean timed;
        private boolean due;
        private Future<?> alarm;

        private Entry(Task task, boolean timed) {
            this.task = task;
            this.timed = timed;
            this.due = !timed;
        }

        /** On the stream's own thread: the task, or null if it is not to run any more. */
        Task take() {
            return remove(this, false) ? task : null;
        }

        @Override
        public boolean cancel() {
            if (!remove(this, true)) {
                return false;
            }
            alarm.cancel(false);
            task.discarded();
            return true;
        }
    }

    private final RunningService service;
    private final EventLoop loop;
    private final Set<Entry> entries = new LinkedHashSet<>();
    private Consumer<Entry> thread;
    private int timers;
    private boolean closed;

    HandlerTasks(RunningService service, EventLoop loop) {
        this.service = service;
        this.loop = loop;
    }

    /** From now on what is due runs: {@code thread} puts it behind what the stream's own thread has to do. */
    void runOn(Consumer<Entry> thread) {
        List<Entry> due;
        synchronized (this) {
            this.thread = thread;
            due = entries.stream().filter(entry -> entry.due).toList();
        }
        due.forEach(thread);
    }

    /** See {@link StreamContext#execute}. */
    boolean execute(Task task) {
        return execute(task, StreamContext.MOST_TASKS);
    }

    /** Something that the handler has to be told, however many tasks it has. */
    void tell(Task task) {
        execute(task, Integer.MAX_VALUE);
    }

    private boolean execute(Task task, int most) {
        Entry entry = new Entry(task, false);
        Consumer<Entry> to;
        synchronized (this) {
            if (closed || entries.size() - timers >= most) {
                return false;
            }
            entries.add(entry);
            to = thread;
        }
        try {
            if (to != null) {
                to.accept(entry);
            }
            return true;
        } catch (RejectedExecutionException e) {
            return !remove(entry, true);
        }
    }

    /** See {@link StreamContext#later}. */
    Timer later(Duration delay, Task task) {
        Entry entry = new Entry(task, true);
        synchronized (this) {
            if (timers >= StreamContext.MOST_TIMERS) {
                throw new AnepException(ErrorCode.SERVICE_LIMIT, service + " has set " + timers + " timers in one stream and may have no more");
            }
            if (!closed) {
                timers++;
                entries.add(entry);
                entry.alarm = loop.schedule(() -> due(entry), Math.max(0, nanos(delay)), TimeUnit.NANOSECONDS);
                return entry;
            }
        }
        task.discarded();
        return entry;
    }

    private static long nanos(Duration delay) {
        return delay.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : delay.toNanos();
    }

    private void due(Entry entry) {
        Consumer<Entry> to;
        synchronized (this) {
            entry.due = true;
            to = thread;
        }
        if (to != null) {
            to.accept(entry);
        }
    }

    private synchronized boolean remove(Entry entry, boolean evenClosed) {
        if (closed && !evenClosed || !entries.remove(entry)) {
            return false;
        }
        timers -= entry.timed ? 1 : 0;
        return true;
    }

    /** Takes nothing any more, and nothing that waits runs. Any thread. */
    synchronized void stop() {
        closed = true;
    }

    /** After {@link #stop}, on the stream's own thread: what has not run is discarded. */
    void discard() {
        List<Entry> left;
        synchronized (this) {
            left = new ArrayList<>(entries);
            entries.clear();
        }
        for (Entry entry : left) {
            if (entry.alarm != null) {
                entry.alarm.cancel(false);
            }
            try {
                entry.task.discarded();
            } catch (Throwable e) {
                service.error();
                LOG.warn("{} failed to discard a task", service, e);
            }
        }
    }
}
