package org.tamanoir.node.cluster.load;

import java.util.ArrayDeque;
import java.util.Deque;

/** Which part of the processor time that it may use a process has used in the last second. Takes time and readings; for one thread. */
final class CpuShare {
    private static final long WINDOW_NANOS = 1_000_000_000;
    /** Readings closer together than that say nothing that is new. */
    private static final long APART_NANOS = WINDOW_NANOS / 20;

    private record Reading(long now, long used) {
    }

    /** Oldest first: the newest one that is a window old, and those after it. */
    private final Deque<Reading> readings = new ArrayDeque<>();
    private double share;

    /**
     * @param used nanoseconds of processor time since the process began
     * @param cpus that the process may use at the same time; more than 0
     * @return 0 to 1; 0 at the first reading
     */
    double read(long now, long used, double cpus) {
        Reading last = readings.peekLast();
        if (last != null && now - last.now < APART_NANOS) {
            return share;
        }
        readings.addLast(new Reading(now, used));
        while (readings.size() > 2 && now - second().now >= WINDOW_NANOS) {
            readings.removeFirst();
        }
        Reading first = readings.peekFirst();
        share = now == first.now ? 0 : Math.max(0, Math.min(1, (used - first.used) / (cpus * (now - first.now))));
        return share;
    }

    private Reading second() {
        var all = readings.iterator();
        all.next();
        return all.next();
    }
}
