package org.tamanoir.client.session;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that the rings of all sessions of a process share. Thread-safe. */
public final class RingBudget {
    private final long most;
    private final AtomicLong used = new AtomicLong();

    /** @param most octets */
    public RingBudget(long most) {
        if (most < 0) {
            throw new IllegalArgumentException("a budget of " + most + " octets");
        }
        this.most = most;
    }

    /** Takes so many octets; false if they are not there. */
    boolean take(long octets) {
        long now = used.get();
        while (now + octets <= most) {
            if (used.compareAndSet(now, now + octets)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    void give(long octets) {
        used.addAndGet(-octets);
    }

    /** Octets in use. */
    public long used() {
        return used.get();
    }
}
