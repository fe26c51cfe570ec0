package org.tamanoir.service.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** The clock of a service under test, and the tasks of all its streams and links, run in the order of their times. It moves when the test says so. */
final class VirtualTime {
    private static final int MOST_RUNS = 1_000_000;

    /** Runs the task that is due first. */
    interface Run {
        void task() throws Exception;
    }

    /**
     * What has tasks that become due.
     *
     * @param untilDue nanoseconds from a time until the first is due, at most 0 if one is; the largest number if there is none
     */
    record Timed(LongUnaryOperator untilDue, Run run) {
        long untilDue(long now) {
            return untilDue.applyAsLong(now);
        }
    }

    private final List<Timed> all = new ArrayList<>();
    private long nanos = System.nanoTime();

    long nanos() {
        return nanos;
    }

    void set(long nanos) {
        this.nanos = nanos;
    }

    void add(LongUnaryOperator untilDue, Run run) {
        all.add(new Timed(untilDue, run));
    }

    /** Lets time pass and runs what becomes due on the way, each task at its own time. */
    void advance(Duration time) throws Exception {
        long end = nanos + time.toNanos();
        int runs = 0;
        for (Timed next = earliest(end); next != null; next = earliest(end)) {
            nanos += Math.max(0, next.untilDue(nanos));
            next.run().task();
            if (++runs > MOST_RUNS) {
                throw new ContractViolation("tasks that give new tasks without end");
            }
        }
        nanos = end;
    }

    private Timed earliest(long end) {
        return all.stream().filter(timed -> timed.untilDue(nanos) <= end - nanos)
                .min(Comparator.comparingLong(timed -> timed.untilDue(nanos))).orElse(null);
    }
}
