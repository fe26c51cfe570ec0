package org.tamanoir.wasm.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/** Octets of memory that all instances of a service hold, and how many they may; and where their arrays come from. Any thread. */
public final class MemoryBudget {
    /** A quarter of what may be held may lie ready for instances that come. */
    private static final int PART_IDLE = 4;

    private final AtomicLong held = new AtomicLong();
    private final LongPredicate allowed;
    private final MemoryBudget above;
    private final MemoryPool pool;

    private MemoryBudget(LongPredicate allowed, MemoryBudget above, MemoryPool pool) {
        this.allowed = allowed;
        this.above = above;
        this.pool = pool;
    }

    /**
     * @param allowed whether the service may hold so many octets
     * @param above   the budget that this one is a part of
     */
    public MemoryBudget(LongPredicate allowed, MemoryBudget above) {
        this(allowed, above, above.pool);
    }

    /** A budget of so many octets. Beyond them a quarter as many may be kept for use again. */
    public static MemoryBudget of(long most) {
        return new MemoryBudget(octets -> octets <= most, null, new MemoryPool(most / PART_IDLE));
    }

    MemoryPool pool() {
        return pool;
    }

    /** Octets that are held now. */
    public long held() {
        return held.get();
    }

    /** Takes octets if they may be had. @return whether they may */
    public boolean take(long octets) {
        long after = held.addAndGet(octets);
        if (octets > 0 && !allowed.test(after) || above != null && !above.take(octets)) {
            held.addAndGet(-octets);
            return false;
        }
        return true;
    }

    /** Gives octets back. */
    public void give(long octets) {
        held.addAndGet(-octets);
        if (above != null) {
            above.give(octets);
        }
    }
}
