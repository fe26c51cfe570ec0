package org.tamanoir.service.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The clock of a service under test, and the tasks of all its streams, run in the order of their times. It moves when the test says so. */
final class VirtualTime {
    private static final int MOST_RUNS = 1_000_000;

    private final List<StreamHarness> streams = new ArrayList<>();
    private long nanos = System.nanoTime();

    long nanos() {
        return nanos;
    }

    void set(long nanos) {
        this.nanos = nanos;
    }

    void add(StreamHarness stream) {
        streams.add(stream);
    }

    /** Lets time pass and runs what becomes due on the way, each task at its own time. */
    void advance(Duration time) throws Exception {
        long end = nanos + time.toNanos();
        int runs = 0;
        for (StreamHarness next = earliest(end); next != null; next = earliest(end)) {
            nanos += Math.max(0, next.tasks().untilDue(nanos));
            next.runTask();
            if (++runs > MOST_RUNS) {
                throw new ContractViolation("tasks that give new tasks without end");
            }
        }
        nanos = end;
    }

    private StreamHarness earliest(long end) {
        return streams.stream().filter(stream -> stream.tasks().untilDue(nanos) <= end - nanos)
                .min(Comparator.comparingLong(stream -> stream.tasks().untilDue(nanos))).orElse(null);
    }
}
