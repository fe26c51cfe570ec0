package org.tamanoir.service.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Timer;

/** The timers of one handler of links, or of a service itself, under test: as many as a node allows, run when the test lets time pass. */
final class RunnableTimers {
    private final class Entry implements Timer {
        private final Runnable task;
        private final long due;

        private Entry(Runnable task, long due) {
            this.task = task;
            this.due = due;
        }

        @Override
        public boolean cancel() {
            return entries.remove(this);
        }
    }

    private final VirtualTime time;
    private final String owner;
    private final int most;
    /** In the order in which they were asked for. */
    private final List<Entry> entries = new ArrayList<>();
    private boolean closed;

    /**
     * @param owner who is named when there are too many
     * @param most  that may wait
     */
    RunnableTimers(VirtualTime time, String owner, int most) {
        this.time = time;
        this.owner = owner;
        this.most = most;
    }

    Timer later(Duration delay, Runnable task) {
        if (entries.size() >= most) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, owner + " may have no more than " + most + " timers");
        }
        Entry entry = new Entry(task, time.nanos() + Math.max(0, delay.toNanos()));
        if (!closed) {
            entries.add(entry);
        }
        return entry;
    }

    /** Nanoseconds until the first one is due, at most 0 if one is; the largest number if there is none. */
    long untilDue(long now) {
        return entries.stream().mapToLong(entry -> entry.due - now).min().orElse(Long.MAX_VALUE);
    }

    /** Takes the one that is due first. */
    Runnable take() {
        Entry first = entries.get(0);
        for (Entry entry : entries) {
            if (entry.due - first.due < 0) {
                first = entry;
            }
        }
        entries.remove(first);
        return first.task;
    }

    int count() {
        return entries.size();
    }

    /** None of them runs any more. */
    void close() {
        closed = true;
        entries.clear();
    }
}
