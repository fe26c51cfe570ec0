package org.tamanoir.client.resumable;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.client.session.RingBudget;

/** The sessions of one gateway or endpoint, what has become of them, and the memory that they share. Any thread. */
public final class SessionTally {
    private final Set<Session> open = ConcurrentHashMap.newKeySet();
    private final LongAdder resumptions = new LongAdder();
    private final LongAdder sentAgain = new LongAdder();
    private final LongAdder stalledNanos = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final RingBudget budget;

    /** @param memory octets that the rings of all its sessions share */
    public SessionTally(long memory) {
        budget = new RingBudget(memory);
    }

    void opened(Session session) {
        open.add(session);
    }

    void closed(Session session) {
        open.remove(session);
    }

    void resumed(long times, long again, long stall) {
        resumptions.add(times);
        sentAgain.add(again);
        stalledNanos.add(stall);
    }

    void refused() {
        refused.increment();
    }

    RingBudget budget() {
        return budget;
    }

    /** Octets have come to wait for the program of an application; or, negative, they have been taken. */
    public void waiting(int octets) {
        budget.takeAnyway(octets);
    }

    /** Octets that a session may read at a time just now, and have waiting at its application. */
    public int portion() {
        return budget.portion(open.size());
    }

    /** Waits until no session is open. @return whether none is */
    public boolean awaitEnd(Duration most) {
        long end = System.nanoTime() + most.toNanos();
        while (!open.isEmpty() && System.nanoTime() < end) {
            LockSupport.parkNanos(5_000_000);
        }
        return open.isEmpty();
    }

    /** Sessions that are open. */
    public int open() {
        return open.size();
    }

    /** Times that a session went on by another chain of nodes. */
    public long resumptions() {
        return resumptions.sum();
    }

    /** Octets that were sent more than once. */
    public long sentAgain() {
        return sentAgain.sum();
    }

    /** Milliseconds for which sessions had no chain of nodes, all together. */
    public long stalledMillis() {
        return stalledNanos.sum() / 1_000_000;
    }

    /** Legs that were refused: of a session that is not known, by somebody else, too late. */
    public long refusals() {
        return refused.sum();
    }

    /** Octets of memory of what waits: for an acknowledgement, or at a program that does not take it. */
    public long ringOctets() {
        return budget.used();
    }
}
