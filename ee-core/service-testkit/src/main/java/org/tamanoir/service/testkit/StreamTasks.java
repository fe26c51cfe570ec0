package org.tamanoir.service.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.Timer;

/** The tasks and timers of one stream under test: as many as a node allows, run when the test lets time pass. */
final class StreamTasks {
    private final class Entry implements Timer {
        private final Task task;
        private final boolean timed;
        private final long due;

        private Entry(Task task, boolean timed, long due) {
            this.task = task;
            this.timed = timed;
            this.due = due;
        }

        @Override
        public boolean cancel() {
            boolean waits = entries.remove(this);
            if (waits) {
                task.discarded();
            }
            return waits;
        }
    }

    private final VirtualTime time;
    /** In the order in which they were asked for. */
    private final List<Entry> entries = new ArrayList<>();
    private boolean closed;

    StreamTasks(VirtualTime time) {
        this.time = time;
    }

    boolean execute(Task task) {
        if (closed || count(false) >= StreamContext.MOST_TASKS) {
            return false;
        }
        entries.add(new Entry(task, false, time.nanos()));
        return true;
    }

    Timer later(Duration delay, Task task) {
        if (count(true) >= StreamContext.MOST_TIMERS) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a stream may have no more than " + StreamContext.MOST_TIMERS + " timers");
        }
        Entry entry = new Entry(task, true, time.nanos() + Math.max(0, delay.toNanos()));
        if (closed) {
            task.discarded();
        } else {
            entries.add(entry);
        }
        return entry;
    }

    private long count(boolean timed) {
        return entries.stream().filter(entry -> entry.timed == timed).count();
    }

    /** Nanoseconds until the first one is due, at most 0 if one is; the largest number if there is none. */
    long untilDue(long now) {
        return entries.stream().mapToLong(entry -> entry.due - now).min().orElse(Long.MAX_VALUE);
    }

    /** Takes the one that is due first. */
    Task take() {
        Entry first = entries.get(0);
        for (Entry entry : entries) {
            if (entry.due - first.due < 0) {
                first = entry;
            }
        }
        entries.remove(first);
        return first.task;
    }

    /** The stream is gone. */
    void close() {
        closed = true;
        List<Entry> left = List.copyOf(entries);
        entries.clear();
        left.forEach(entry -> entry.task.discarded());
    }
}
