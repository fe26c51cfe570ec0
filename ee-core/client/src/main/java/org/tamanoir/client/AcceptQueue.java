package org.tamanoir.client;

import java.util.ArrayDeque;
import java.util.List;
import org.tamanoir.anep.ErrorCode;

/** Streams that are open and nobody has accepted yet: bounded, and wakes who waits when it closes. */
final class AcceptQueue {
    private final int limit;
    private final ArrayDeque<IncomingStream> waiting = new ArrayDeque<>();
    private boolean closed;

    AcceptQueue(int limit) {
        this.limit = limit;
    }

    void offer(IncomingStream stream) {
        boolean taken;
        synchronized (this) {
            taken = !closed && waiting.size() < limit;
            if (taken) {
                waiting.add(stream);
                notifyAll();
            }
        }
        if (!taken) {
            refuse(stream);
        }
    }

    /** The next stream; null when the queue is closed. */
    synchronized IncomingStream take() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        return waiting.poll();
    }

    /** Refuses what nobody has accepted and all that comes. */
    void close() {
        List<IncomingStream> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waiting);
            waiting.clear();
            notifyAll();
        }
        left.forEach(this::refuse);
    }

    private void refuse(IncomingStream stream) {
        stream.refuse(ErrorCode.TOO_MANY_STREAMS, "the receiver takes no more streams");
    }
}
