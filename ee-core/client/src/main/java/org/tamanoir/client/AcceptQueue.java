package org.tamanoir.client;

import java.util.ArrayDeque;
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
            stream.refuse(ErrorCode.TOO_MANY_STREAMS, "the receiver holds " + limit + " streams that nobody has taken");
        }
    }

    /** The next stream; null when the queue is closed. */
    synchronized IncomingStream take() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        return waiting.poll();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
