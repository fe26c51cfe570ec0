package org.tamanoir.node.link;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Timer;
import org.tamanoir.service.link.Links;

/** The timers of one handler. On its loop. */
final class LinkTimers {
    private static final long MOST_NANOS = Duration.ofDays(365).toNanos();

    private final class Entry implements Timer, Runnable {
        private final Runnable task;
        private Future<?> alarm;

        private Entry(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (waiting.remove(this)) {
                runner.accept(task);
            }
        }

        @Override
        public boolean cancel() {
            if (!waiting.remove(this)) {
                return false;
            }
            alarm.cancel(false);
            return true;
        }
    }

    private final EventLoop loop;
    private final Consumer<Runnable> runner;
    private final Set<Entry> waiting = new HashSet<>();

    /** @param runner runs what is due */
    LinkTimers(EventLoop loop, Consumer<Runnable> runner) {
        this.loop = loop;
        this.runner = runner;
    }

    /** See {@link Links#later}. */
    Timer later(Duration delay, Runnable task) {
        if (waiting.size() >= Links.MOST_TIMERS) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a handler has " + waiting.size() + " timers and may have no more");
        }
        Entry entry = new Entry(task);
        waiting.add(entry);
        entry.alarm = loop.schedule(entry, nanos(delay), TimeUnit.NANOSECONDS);
        return entry;
    }

    private static long nanos(Duration delay) {
        return delay.isNegative() ? 0 : delay.getSeconds() >= MOST_NANOS / 1_000_000_000L ? MOST_NANOS : delay.toNanos();
    }

    int count() {
        return waiting.size();
    }

    /** None of them runs any more. */
    void close() {
        waiting.forEach(entry -> entry.alarm.cancel(false));
        waiting.clear();
    }
}
