package org.tamanoir.dyram.hop;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.MissingPacket.Phase;

/** The missing packets of one session at one place, with their deadlines. Bounded. */
final class LossTable {
    private final int most;
    private final HopCounters counters;
    private final Map<Long, MissingPacket> losses = new HashMap<>();
    private final LossTimers timers = new LossTimers();

    LossTable(int most, HopCounters counters) {
        this.most = most;
        this.counters = counters;
    }

    /** @return null if the packet is not missing */
    MissingPacket get(long index) {
        return losses.get(index);
    }

    /** @return null if there is no room, counted */
    MissingPacket add(long now, long index, Phase phase) {
        if (losses.size() >= most) {
            counters.increment(Count.FORGOTTEN);
            return null;
        }
        MissingPacket loss = new MissingPacket(index, phase, now);
        losses.put(index, loss);
        return loss;
    }

    void free(MissingPacket loss) {
        loss.phase = Phase.OVER;
        loss.deadline = Long.MAX_VALUE;
        losses.remove(loss.index);
    }

    void wakeAt(MissingPacket loss, long deadline) {
        timers.set(loss, deadline);
    }

    /** When the next one is due; {@link Long#MAX_VALUE} if none is. */
    long deadline() {
        return timers.next();
    }

    /** One whose deadline is over, or null. */
    MissingPacket due(long now) {
        return timers.due(now);
    }

    /** All of them, at this moment. */
    Collection<MissingPacket> all() {
        return List.copyOf(losses.values());
    }

    int size() {
        return losses.size();
    }

    /** Deadlines of losses. A deadline that was changed leaves an entry behind, which is skipped when its time comes. */
    static final class LossTimers {
        private record Entry(long deadline, MissingPacket loss) {
        }

        /** Of one deadline in rising order, so that neighbours are one range. */
        private final PriorityQueue<Entry> queue = new PriorityQueue<>((a, b) -> a.deadline() != b.deadline()
                ? Long.compare(a.deadline(), b.deadline()) : Long.compare(a.loss().index, b.loss().index));

        void set(MissingPacket loss, long deadline) {
            loss.deadline = deadline;
            queue.add(new Entry(deadline, loss));
        }

        /** The next deadline; {@link Long#MAX_VALUE} if there is none. */
        long next() {
            skip();
            return queue.isEmpty() ? Long.MAX_VALUE : queue.peek().deadline();
        }

        /** A loss whose deadline is over, or null. Its deadline is cleared. */
        MissingPacket due(long now) {
            skip();
            if (queue.isEmpty() || queue.peek().deadline() > now) {
                return null;
            }
            MissingPacket loss = queue.poll().loss();
            loss.deadline = Long.MAX_VALUE;
            return loss;
        }

        private void skip() {
            while (!queue.isEmpty() && queue.peek().loss().deadline != queue.peek().deadline()) {
                queue.poll();
            }
        }
    }
}
