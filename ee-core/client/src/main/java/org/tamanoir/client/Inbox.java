package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.concurrent.Flow;
import java.util.concurrent.Flow.Subscription;
import java.util.function.UnaryOperator;
import org.tamanoir.anep.AnepException;

/**
 * What has arrived on a stream and nobody has taken: packets in receive buffers of at most {@value #LIMIT} octets and one buffer more,
 * then reading stops until half of it is taken. Taken by a blocking call or by one subscriber, not both.
 */
final class Inbox implements Flow.Publisher<ByteBuf> {
    /** Octets of memory that what waits may hold: buffers whole, for a packet keeps all of its buffer alive, and {@value #OVERHEAD} a packet. */
    static final int LIMIT = 2 << 20;
    private static final int OVERHEAD = 64;

    private final Link link;
    private final UnaryOperator<ByteBuf> payload;
    private final Runnable onCancel;
    private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>();
    private int octets;
    private int held;
    private boolean stopped;
    private boolean ended;
    private boolean closed;
    private AnepException failure;
    private Flow.Subscriber<? super ByteBuf> subscriber;
    private long demand;
    private boolean delivering;

    /**
     * An empty inbox.
     *
     * @param payload  what a subscriber is given of a packet
     * @param onCancel what happens when a subscriber wants no more
     */
    Inbox(Link link, UnaryOperator<ByteBuf> payload, Runnable onCancel) {
        this.link = link;
        this.payload = payload;
        this.onCancel = onCancel;
    }

    /** Takes the reference of a packet. On the event loop; {@link #arrived} follows, so that a read wakes its taker once. */
    synchronized void offer(ByteBuf packet) {
        if (closed || ended || failure != null) {
            packet.release();
            return;
        }
        held += cost(packet, queue.peekLast());
        octets += packet.readableBytes();
        queue.add(packet);
    }

    /** What a packet adds to the memory held, beside a neighbour of it in the queue: packets of one buffer stand together there. */
    private static int cost(ByteBuf packet, ByteBuf neighbour) {
        ByteBuf buffer = buffer(packet);
        return neighbour != null && buffer(neighbour) == buffer ? OVERHEAD : OVERHEAD + buffer.capacity();
    }

    private static ByteBuf buffer(ByteBuf packet) {
        ByteBuf buffer = packet;
        while (buffer.unwrap() != null) {
            buffer = buffer.unwrap();
        }
        return buffer;
    }

    /** What one read brought is here: hands it to whoever waits. On the event loop. */
    void arrived() {
        synchronized (this) {
            if (!queue.isEmpty()) {
                notifyAll();
            }
        }
        deliver();
    }

    /** Whether to read on; after false, reading is asked for when there is room. */
    synchronized boolean wantsMore() {
        if (closed || ended || failure != null) {
            return false;
        }
        stopped = held >= LIMIT;
        return !stopped;
    }

    void end() {
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        link.loop().execute(this::deliver);
    }

    void fail(AnepException cause) {
        synchronized (this) {
            if (!ended) {
                failure = cause;
            }
            notifyAll();
        }
        link.loop().execute(this::deliver);
    }

    /** Nobody will take anything any more. */
    synchronized void close() {
        closed = true;
        while (!queue.isEmpty()) {
            queue.poll().release();
        }
        octets = 0;
        held = 0;
        notifyAll();
    }

    /** Octets of packets that nobody has taken. */
    synchronized int untaken() {
        return octets;
    }

    /** The next packet, or null at the end; waits for it. The caller releases it. */
    ByteBuf take() throws InterruptedException {
        ByteBuf packet;
        synchronized (this) {
            if (subscriber != null) {
                throw new IllegalStateException("a subscriber takes what arrives");
            }
            while (queue.isEmpty()) {
                if (closed) {
                    throw new IllegalStateException("the stream is closed");
                }
                if (failure != null) {
                    throw failure;
                }
                if (ended) {
                    return null;
                }
                if (link.loop().inEventLoop()) {
                    throw new IllegalStateException("a blocking call on the event loop would wait for itself");
                }
                wait();
            }
            packet = poll();
        }
        resume();
        return packet;
    }

    private ByteBuf poll() {
        ByteBuf packet = queue.poll();
        held -= cost(packet, queue.peek());
        octets -= packet.readableBytes();
        return packet;
    }

    private void resume() {
        synchronized (this) {
            if (!stopped || held > LIMIT / 2) {
                return;
            }
            stopped = false;
        }
        link.read();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuf> newcomer) {
        boolean second;
        synchronized (this) {
            second = subscriber != null;
            if (!second) {
                subscriber = newcomer;
            }
        }
        newcomer.onSubscribe(second ? new Refused() : new Demand());
        if (second) {
            newcomer.onError(new IllegalStateException("the stream has a subscriber"));
        } else {
            link.loop().execute(this::deliver);
        }
    }

    /** Hands over what is asked for. On the event loop; a call from inside {@code onNext} leaves the work to the one outside. */
    private void deliver() {
        synchronized (this) {
            if (subscriber == null || delivering) {
                return;
            }
            delivering = true;
        }
        try {
            for (ByteBuf packet = next(); packet != null; packet = next()) {
                subscriber.onNext(payload.apply(packet));
                resume();
            }
        } catch (RuntimeException e) {
            onCancel.run();
        } finally {
            finishDelivery();
        }
    }

    private synchronized ByteBuf next() {
        if (demand == 0 || queue.isEmpty()) {
            return null;
        }
        demand--;
        return poll();
    }

    private void finishDelivery() {
        Flow.Subscriber<? super ByteBuf> last = null;
        synchronized (this) {
            delivering = false;
            if (queue.isEmpty() && !closed && (ended || failure != null)) {
                last = subscriber;
                closed = true;
            }
        }
        if (last != null && failure != null) {
            last.onError(failure);
        } else if (last != null) {
            last.onComplete();
        }
    }

    private final class Demand implements Subscription {
        @Override
        public void request(long n) {
            if (n <= 0) {
                onCancel.run();
                return;
            }
            synchronized (Inbox.this) {
                demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            }
            link.loop().execute(Inbox.this::deliver);
        }

        @Override
        public void cancel() {
            onCancel.run();
        }
    }

    /** The subscription of a second subscriber: nothing comes of it. */
    private static final class Refused implements Subscription {
        @Override
        public void request(long n) {
            // The error that follows says why nothing comes.
        }

        @Override
        public void cancel() {
            // There is nothing to cancel.
        }
    }
}
