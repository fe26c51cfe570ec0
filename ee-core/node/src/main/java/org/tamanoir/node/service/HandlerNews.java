package org.tamanoir.node.service;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What a handler of a service is to be told of something outside, octets or what has happened: in order, one call a task of the service, so that each has its time
 * and other tasks their turn. Whoever brings octets stops while it {@link #isFull}. Any thread.
 */
public final class HandlerNews {
    /** Octets that wait from which there is no room, and below which there is again. */
    public static final int HIGH = 1 << 20;
    public static final int LOW = HIGH / 2;

    private final Executor tasks;
    private final Consumer<Object> call;
    private final Runnable room;
    private final Runnable failed;
    private final Deque<Object> waiting = new ArrayDeque<>();
    private int octets;
    private boolean telling;
    private boolean forgotten;

    /**
     * @param tasks  of the service
     * @param call   tells the handler one thing; octets are lent for the call
     * @param room   there is room again
     * @param failed the handler has thrown
     */
    public HandlerNews(Executor tasks, Consumer<Object> call, Runnable room, Runnable failed) {
        this.tasks = tasks;
        this.call = call;
        this.room = room;
        this.failed = failed;
    }

    /** Tells something behind what was told before. @param what octets, which are given away, or anything else */
    public synchronized void tell(Object what) {
        if (forgotten) {
            drop(what);
            return;
        }
        waiting.add(what);
        octets += length(what);
        if (!telling) {
            telling = true;
            tasks.execute(this::next);
        }
    }

    /** Whether so much waits that whoever brings it should stop until there is room. */
    public synchronized boolean isFull() {
        return octets >= HIGH;
    }

    /** The service stops: it is told nothing more. */
    public synchronized void forget() {
        forgotten = true;
        waiting.forEach(HandlerNews::drop);
        waiting.clear();
        octets = 0;
    }

    private void next() {
        Object next;
        boolean roomy;
        synchronized (this) {
            next = waiting.poll();
            int before = octets;
            octets -= length(next);
            roomy = before >= LOW && octets < LOW;
        }
        try {
            if (next != null) {
                call.accept(next);
            }
        } catch (Throwable e) {
            failed.run();
            throw e;
        } finally {
            drop(next);
            if (roomy) {
                room.run();
            }
            synchronized (this) {
                telling = !waiting.isEmpty();
                if (telling) {
                    tasks.execute(this::next);
                }
            }
        }
    }

    private static int length(Object what) {
        return what instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
    }

    private static void drop(Object what) {
        if (what instanceof ByteBuf buffer) {
            buffer.release();
        }
    }
}
