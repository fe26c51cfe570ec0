package org.tamanoir.dyram.hop;

import java.util.PriorityQueue;

/** Deadlines of losses. A deadline that was changed leaves an entry behind, which is skipped when its time comes. */
final class LossTimers {
    private record Entry(long deadline, Loss loss) {
    }

    /** Of one deadline in rising order, so that neighbours are one range. */
    private final PriorityQueue<Entry> queue = new PriorityQueue<>((a, b) -> a.deadline() != b.deadline()
            ? Long.compare(a.deadline(), b.deadline()) : Long.compare(a.loss().index, b.loss().index));

    void set(Loss loss, long deadline) {
        loss.deadline = deadline;
        queue.add(new Entry(deadline, loss));
    }

    /** The next deadline; {@link Long#MAX_VALUE} if there is none. */
    long next() {
        skip();
        return queue.isEmpty() ? Long.MAX_VALUE : queue.peek().deadline();
    }

    /** A loss whose deadline is over, or null. Its deadline is cleared. */
    Loss due(long now) {
        skip();
        if (queue.isEmpty() || queue.peek().deadline() > now) {
            return null;
        }
        Loss loss = queue.poll().loss();
        loss.deadline = Long.MAX_VALUE;
        return loss;
    }

    private void skip() {
        while (!queue.isEmpty() && queue.peek().loss().deadline != queue.peek().deadline()) {
            queue.poll();
        }
    }
}
