package org.tamanoir.client.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that all sessions of a process share, for what waits in them: in rings for an acknowledgement, and at an application that does not take it.
 * Nobody gets more than is left for the others, so that each of many gets the same (A. K. Choudhury and E. L. Hahne, "Dynamic queue length thresholds for
 * shared-memory packet switches", 1998, with a factor of 1). Thread-safe.
 */
public final class RingBudget {
    private static final int LEAST_PORTION = 4 << 10;
    private static final int MOST_PORTION = 512 << 10;
    /** 64 MiB give 16 sessions the largest portion until half of them are in use. */
    private static final int LEAST_PORTIONS = 64;
    /** Of each session: what is read of the program and of the leg, and what waits for either. */
    private static final int PORTIONS = 4;

    private final long most;
    private final AtomicLong used = new AtomicLong();

    /** @param most octets */
    public RingBudget(long most) {
        if (most < 0) {
            throw new IllegalArgumentException("a budget of " + most + " octets");
        }
        this.most = most;
    }

    /** Takes so many octets; false if then one had more than what is left for all. @param mine octets that it has already */
    boolean take(long octets, long mine) {
        long now = used.get();
        while (mine + octets <= most - now) {
            if (used.compareAndSet(now, now + octets)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    /** Takes what is there already, or without which nothing would move, whatever is left. */
    public void takeAnyway(long octets) {
        used.addAndGet(octets);
    }

    void give(long octets) {
        used.addAndGet(-octets);
    }

    /** Octets that one of so many may read at a time, and have waiting at its application: the less the scarcer memory is. */
    public int portion(int sessions) {
        return (int) Math.max(LEAST_PORTION, Math.min(MOST_PORTION, (most - used.get()) / Math.max(LEAST_PORTIONS, PORTIONS * sessions)));
    }

    /** Octets in use. */
    public long used() {
        return used.get();
    }
}
