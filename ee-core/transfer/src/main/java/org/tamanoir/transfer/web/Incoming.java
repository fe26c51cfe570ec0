package org.tamanoir.transfer.web;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The body of an answer as it comes: one thread takes it, and the server sends no more than a little ahead. */
public final class Incoming implements BodySubscriber<Incoming>, AutoCloseable {
    /** Lists of at most 16 KiB that may wait to be taken. */
    private static final int AHEAD = 64;
    private static final ByteBuffer END_OF_LIST = ByteBuffer.allocate(0);

    private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
    private Subscription subscription;
    private boolean ended;
    private boolean closed;
    private Throwable failure;

    @Override
    public CompletionStage<Incoming> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Subscription made) {
        subscription = made;
        if (closed) {
            made.cancel();
        } else {
            made.request(AHEAD);
        }
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> octets) {
        waiting.addAll(octets);
        waiting.add(END_OF_LIST);
        notifyAll();
    }

    @Override
    public synchronized void onError(Throwable why) {
        failure = why;
        notifyAll();
    }

    @Override
    public synchronized void onComplete() {
        ended = true;
        notifyAll();
    }

    /**
     * Takes octets until the buffer is full or the body is over.
     *
     * @param stall nanoseconds without an octet, after which it is given up
     * @return how many were taken
     * @throws AnepException EE-211 if the connection fails, or nothing has come for so long
     */
    public synchronized int take(ByteBuffer into, long stall) throws InterruptedException {
        int before = into.position();
        long last = System.nanoTime();
        while (into.hasRemaining()) {
            ByteBuffer first = waiting.peek();
            if (first == null && ended) {
                break;
            } else if (first == null && failure != null) {
                throw new AnepException(ErrorCode.CONNECTION_LOST, "the answer has ended before its time: " + failure.getMessage(), failure);
            } else if (first == null) {
                long left = stall - (System.nanoTime() - last);
                if (left <= 0) {
                    close();
                    throw new AnepException(ErrorCode.CONNECTION_LOST, "nothing has come for " + TimeUnit.NANOSECONDS.toSeconds(stall) + " s");
                }
                wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } else if (first == END_OF_LIST) {
                waiting.remove();
                subscription.request(1);
            } else {
                last = System.nanoTime();
                int count = Math.min(first.remaining(), into.remaining());
                into.put(first.slice(first.position(), count));
                first.position(first.position() + count);
                if (!first.hasRemaining()) {
                    waiting.remove();
                }
            }
        }
        return into.position() - before;
    }

    /** Whether all of it has been taken; waits for the end if nothing is left. @param stall nanoseconds that it may take */
    public boolean isOver(long stall) throws InterruptedException {
        return take(ByteBuffer.allocate(1), stall) == 0;
    }

    /** Takes no more; what has not come never does, and the connection is not used again. */
    @Override
    public synchronized void close() {
        closed = true;
        if (subscription != null && !ended) {
            subscription.cancel();
        }
        if (!ended && failure == null) {
            failure = new AnepException(ErrorCode.CONNECTION_LOST, "nobody wants the answer any more");
        }
        waiting.clear();
        notifyAll();
    }
}
