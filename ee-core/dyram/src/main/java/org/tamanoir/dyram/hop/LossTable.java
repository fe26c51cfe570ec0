package org.tamanoir.dyram.hop;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.Loss.Phase;

/** The missing packets of one session at one place, with their deadlines. Bounded. */
final class LossTable {
    private final int most;
    private final HopCounters counters;
    private final Map<Long, Loss> losses = new HashMap<>();
    private final LossTimers timers = new LossTimers();

    LossTable(int most, HopCounters counters) {
        this.most = most;
        this.counters = counters;
    }

    /** @return null if the packet is not missing */
    Loss get(long index) {
        return losses.get(index);
    }

    /** @return null if there is no room, counted */
    Loss add(long now, long index, Phase phase) {
        if (losses.size() >= most) {
            counters.increment(Count.FORGOTTEN);
            return null;
        }
        Loss loss = new Loss(index, phase, now);
        losses.put(index, loss);
        return loss;
    }

    void free(Loss loss) {
        loss.phase = Phase.OVER;
        loss.deadline = Long.MAX_VALUE;
        losses.remove(loss.index);
    }

    void wakeAt(Loss loss, long deadline) {
        timers.set(loss, deadline);
    }

    /** When the next one is due; {@link Long#MAX_VALUE} if none is. */
    long deadline() {
        return timers.next();
    }

    /** One whose deadline is over, or null. */
    Loss due(long now) {
        return timers.due(now);
    }

    /** All of them, at this moment. */
    Collection<Loss> all() {
        return List.copyOf(losses.values());
    }

    int size() {
        return losses.size();
    }
}
