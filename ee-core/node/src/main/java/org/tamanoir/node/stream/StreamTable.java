package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Every stream of a node: how many there may be, which there are, and the last ones that were. For any thread. */
final class StreamTable {
    /** Ended streams that are remembered. */
    private static final int REMEMBERED = 256;

    private final Supplier<StreamLimits> limits;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();
    private final Map<InetAddress, Integer> bySource = new ConcurrentHashMap<>();
    private final Map<Long, Stream> streams = new ConcurrentHashMap<>();
    private final Deque<StreamStatus> ended = new ArrayDeque<>();
    private final AtomicLong parked = new AtomicLong();
    private volatile boolean stopping;

    StreamTable(Supplier<StreamLimits> limits) {
        this.limits = limits;
    }

    /**
     * Lets a stream in and gives it a number.
     *
     * @throws AnepException EE-205, EE-206 or EE-210 if it may not come in
     */
    long admit(InetAddress source) {
        StreamLimits now = limits.get();
        if (stopping) {
            throw new AnepException(ErrorCode.STOPPING, "the node is stopping and takes no new stream");
        }
        if (count.incrementAndGet() > now.streams()) {
            count.decrementAndGet();
            throw new AnepException(ErrorCode.TOO_MANY_STREAMS, "the node holds " + now.streams() + " streams and takes no more");
        }
        if (bySource.merge(source, 1, Integer::sum) > now.streamsPerSource()) {
            forget(source);
            throw new AnepException(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE, source.getHostAddress() + " holds " + now.streamsPerSource()
                    + " streams, and a source may have no more");
        }
        return numbers.incrementAndGet();
    }

    private void forget(InetAddress source) {
        count.decrementAndGet();
        bySource.computeIfPresent(source, (key, held) -> held == 1 ? null : held - 1);
    }

    /** What {@link #admit} let in did not become a stream. */
    void dismiss(InetAddress source) {
        forget(source);
    }

    void add(Stream stream) {
        streams.put(stream.number(), stream);
    }

    /** A stream is over. */
    void remove(Stream stream, StreamStatus last) {
        if (streams.remove(stream.number()) != null) {
            forget(stream.charged());
            synchronized (ended) {
                ended.addFirst(last);
                if (ended.size() > REMEMBERED) {
                    ended.removeLast();
                }
            }
        }
    }

    Stream find(long number) {
        return streams.get(number);
    }

    Collection<Stream> all() {
        return streams.values();
    }

    List<Stream> on(EventLoop loop) {
        return streams.values().stream().filter(stream -> stream.loop() == loop).toList();
    }

    /** The streams that ended last, newest first. */
    List<StreamStatus> ended() {
        synchronized (ended) {
            return new ArrayList<>(ended);
        }
    }

    int count() {
        return count.get();
    }

    /** No new stream is let in from now on. */
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /**
     * Sets octets aside that wait for a service.
     *
     * @throws AnepException EE-209 if there are too many already
     */
    void park(long bytes) {
        if (parked.addAndGet(bytes) > limits.get().parkedBytes()) {
            parked.addAndGet(-bytes);
            throw new AnepException(ErrorCode.PARKED_FULL, "streams that wait for services hold " + limits.get().parkedBytes()
                    + " octets already");
        }
    }

    void unpark(long bytes) {
        parked.addAndGet(-bytes);
    }

    long parked() {
        return parked.get();
    }
}
