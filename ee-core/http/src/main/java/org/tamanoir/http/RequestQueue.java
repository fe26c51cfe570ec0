package org.tamanoir.http;

import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Hands messages on one at a time, each when it is asked for. One read of the socket can bring thousands of messages: they wait here,
 * never more than what that read holds (64 KiB), and are taken one after the other, not one inside the other.
 */
final class RequestQueue {
    private final Queue<Object> early = new ArrayDeque<>();
    private final Consumer<Object> taker;
    private final Runnable read;
    private boolean wanted;
    private boolean taking;

    /**
     * @param taker gets a message, releases it, and calls {@link #more} once it can take another one
     * @param read asks the socket for more
     */
    RequestQueue(Consumer<Object> taker, Runnable read) {
        this.taker = taker;
        this.read = read;
    }

    /** A message has come, asked for or not. */
    void add(Object message) {
        early.add(message);
        if (wanted) {
            more();
        }
    }

    /** Asks for one more message. */
    void more() {
        wanted = true;
        if (taking) {
            return;
        }
        taking = true;
        try {
            while (wanted && !early.isEmpty()) {
                wanted = false;
                taker.accept(early.poll());
            }
        } finally {
            taking = false;
        }
        if (wanted) {
            read.run();
        }
    }

    /** Throws away what nobody will ask for. */
    void clear() {
        wanted = false;
        early.forEach(ReferenceCountUtil::release);
        early.clear();
    }
}
