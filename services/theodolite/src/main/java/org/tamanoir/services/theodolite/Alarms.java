package org.tamanoir.services.theodolite;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Timer;

/**
 * Any number of alarms on one timer of the service, which may have few. What they run, and whatever else touches the state of the service, has its lock: operators
 * and metrics ask on threads of their own.
 */
final class Alarms {
    private record Alarm(long nanos, long order, Runnable task) {
    }

    private final ServiceContext service;
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>(Comparator.<Alarm>comparingLong(alarm -> alarm.nanos).thenComparingLong(alarm -> alarm.order));
    private final long start;
    private Timer timer;
    private long set = Long.MAX_VALUE;
    private long orders;

    Alarms(ServiceContext service) {
        this.service = service;
        this.start = service.nanoTime();
    }

    /** Milliseconds since the service has started. */
    long millis() {
        return nanos() / 1_000_000;
    }

    private long nanos() {
        return service.nanoTime() - start;
    }

    /** Runs something that touches the state of the service. */
    synchronized void alone(Runnable task) {
        task.run();
    }

    /** Looks at the state of the service. */
    synchronized <T> T look(Supplier<T> question) {
        return question.get();
    }

    synchronized void after(Duration delay, Runnable task) {
        alarms.add(new Alarm(nanos() + Math.max(0, delay.toNanos()), orders++, task));
        set();
    }

    private void set() {
        long first = alarms.isEmpty() ? Long.MAX_VALUE : alarms.peek().nanos;
        if (first < set) {
            if (timer != null) {
                timer.cancel();
            }
            set = first;
            timer = service.later(Duration.ofNanos(first - nanos()), this::ring);
        }
    }

    private void ring() {
        alone(() -> set = Long.MAX_VALUE);
        try {
            for (Runnable task = next(); task != null; task = next()) {
                alone(task);
            }
        } finally {
            // The others ring also if one throws, which is a defect that the node counts.
            alone(this::set);
        }
    }

    private synchronized Runnable next() {
        return alarms.isEmpty() || alarms.peek().nanos > nanos() ? null : alarms.poll().task;
    }
}
