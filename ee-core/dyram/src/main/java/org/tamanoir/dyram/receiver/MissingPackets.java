package org.tamanoir.dyram.receiver;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.tamanoir.dyram.wire.Losses;

/** Packets that are missing and asked for: how often already, and when again. */
final class MissingPackets {
    private static final class One {
        final long index;
        int rank;
        long deadline;

        One(long index) {
            this.index = index;
        }
    }

    private record Entry(long deadline, One one) {
    }

    private final Map<Long, One> all = new HashMap<>();
    /** Of one deadline in rising order, so that neighbours are one range. */
    private final PriorityQueue<Entry> queue = new PriorityQueue<>((a, b) -> a.deadline() != b.deadline()
            ? Long.compare(a.deadline(), b.deadline()) : Long.compare(a.one().index, b.one().index));

    int size() {
        return all.size();
    }

    /** It is missing; to be asked for at a time. */
    void add(long index, long deadline) {
        One one = new One(index);
        if (all.putIfAbsent(index, one) == null) {
            set(one, deadline);
        }
    }

    private void set(One one, long deadline) {
        one.deadline = deadline;
        queue.add(new Entry(deadline, one));
    }

    /** It has come. @return whether it was missing */
    boolean remove(long index) {
        One one = all.remove(index);
        if (one != null) {
            one.deadline = Long.MAX_VALUE;
        }
        return one != null;
    }

    void clear() {
        all.clear();
        queue.clear();
    }

    /** It is on its way: not to be asked for before a time. */
    void postpone(long index, long until) {
        One one = all.get(index);
        if (one != null && one.deadline < until) {
            set(one, until);
        }
    }

    /** When the next one is to be asked for; {@link Long#MAX_VALUE} if none is. */
    long next() {
        while (!queue.isEmpty() && queue.peek().one().deadline != queue.peek().deadline()) {
            queue.poll();
        }
        return queue.isEmpty() ? Long.MAX_VALUE : queue.peek().deadline();
    }

    /** How long to wait for an answer, by rank. */
    interface Retry {
        long after(int rank);
    }

    /** Gathers what is to be asked for now; each is to be asked for again when its answer is overdue. */
    void due(long now, Retry retry, long first, Losses.Builder into) {
        while (next() <= now) {
            One one = queue.poll().one();
            into.add(first + one.index, one.rank);
            one.rank = Math.min(one.rank + 1, Losses.MOST_RANK);
            set(one, now + retry.after(one.rank - 1));
        }
    }
}
