package org.tamanoir.wasm.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/** Octets of memory that all instances of a service hold, and how many they may. Any thread. */
public final class MemoryBudget {
    private final AtomicLong held = new AtomicLong();
    private final LongPredicate allowed;
    private final MemoryBudget above;

    /**
     * @param allowed whether the service may hold so many octets
     * @param above   the budget that this one is a part of; null for none
     */
    public MemoryBudget(LongPredicate allowed, MemoryBudget above) {
        this.allowed = allowed;
        this.above = above;
    }

    /** A budget of so many octets. */
    public static MemoryBudget of(long most) {
        return new MemoryBudget(octets -> octets <= most, null);
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
