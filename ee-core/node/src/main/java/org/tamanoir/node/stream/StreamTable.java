package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Prefix;

/**
 * Every stream of a node: who may open one, which there are, and the last ones that were. For any thread.
 *
 * <p>TCP and UDP have a table each, so neither waits for the other's. A {@link Prefix#ofPeer peer} has a share of each table; streams that
 * it is opening count. Where a table is full a newcomer takes the place of a stream that was never answered: the oldest of the peer that has
 * most of these, if that peer has more streams than the newcomer's. Where peers are listed, a tenth of the places is theirs alone.
 */
final class StreamTable {
    /** Who has asked within this time asks again soon. */
    private static final long ASKED_NANOS = 1_000_000_000L;
    /** Ended streams that are remembered. */
    private static final int REMEMBERED = 256;

    /** The streams of one transport: how many there are, and how many of each peer. Used with itself locked. */
    private static final class Table {
        final Map<Prefix, Integer> shares = new HashMap<>();
        int count;

        synchronized int count() {
            return count;
        }

        int share(Prefix peer) {
            return shares.getOrDefault(peer, 0);
        }

        void change(Prefix peer, int by) {
            count += by;
            shares.merge(peer, by, (held, change) -> held + change == 0 ? null : held + change);
        }
    }

    private final Supplier<StreamLimits> limits;
    private final Peers peers;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Transport, Table> tables = new EnumMap<>(Map.of(Transport.TCP, new Table(), Transport.UDP, new Table()));
    private final Map<Long, Stream> streams = new ConcurrentHashMap<>();
    private final Deque<StreamStatus> ended = new ArrayDeque<>();
    private volatile Consumer<StreamStatus> told = unused -> { };
    private volatile boolean stopping;
    private volatile boolean leaving;
    /** When a node before has asked whether streams are taken; 0: never. */
    private volatile long askedAt;

    /** @param peers for whom some places are kept from strangers */
    StreamTable(Supplier<StreamLimits> limits, Peers peers) {
        this.peers = peers;
        this.limits = limits;
    }

    /**
     * Lets a stream in and gives it a number; {@link #add} or {@link #dismiss} must follow.
     *
     * @throws AnepException EE-205, EE-206 or EE-210 if it may not come in
     */
    long admit(InetAddress source, Transport transport) {
        StreamLimits now = limits.get();
        if (stopping) {
            throw new AnepException(ErrorCode.STOPPING, "the node is stopping and takes no new stream");
        }
        Prefix peer = Prefix.ofPeer(source);
        boolean stranger = peers.isStranger(source);
        int places = stranger ? Overload.forStrangers(now.streams()) : now.streams();
        Table table = tables.get(transport);
        Stream evicted = null;
        synchronized (table) {
            if (table.count >= places) {
                evicted = unanswered(table, transport, table.share(peer), stranger);
                if (evicted == null) {
                    throw new AnepException(ErrorCode.TOO_MANY_STREAMS, "the node holds " + places + " " + transport
                            + " streams and takes no more" + (stranger ? " of strangers" : ""));
                }
            }
            if (table.share(peer) >= now.streamsPerSource()) {
                throw new AnepException(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE, peer + " holds " + now.streamsPerSource() + " "
                        + transport + " streams, and a peer may have no more");
            }
            if (evicted != null) {
                free(table, evicted);
            }
            table.change(peer, 1);
        }
        if (evicted != null) {
            evicted.failLater(new AnepException(ErrorCode.TOO_MANY_STREAMS, "the node holds " + places + " " + transport
                    + " streams, and one that nobody has answered makes room for another peer's"));
        }
        return numbers.incrementAndGet();
    }

    /** The oldest stream that nobody has answered, of the peer that has most of them and more streams than {@code more}; null for none. Strangers take no place of a listed peer. */
    private Stream unanswered(Table table, Transport transport, int more, boolean ofStrangers) {
        Map<Prefix, List<Stream>> candidates = new HashMap<>();
        for (Stream stream : streams.values()) {
            Prefix peer = Prefix.ofPeer(stream.peer().getAddress());
            if (stream.transport() == transport && stream.isUnanswered() && table.share(peer) > more + 1
                    && (!ofStrangers || peers.isStranger(stream.peer().getAddress()))) {
                candidates.computeIfAbsent(peer, unused -> new ArrayList<>()).add(stream);
            }
        }
        Comparator<Stream> older = Comparator.comparingLong(Stream::number);
        return candidates.values().stream()
                .max(Comparator.<List<Stream>>comparingInt(List::size).thenComparing(each -> Collections.min(each, older), older.reversed()))
                .map(most -> Collections.min(most, older)).orElse(null);
    }

    /** Gives the place of a stream back; does nothing the second time. */
    private void free(Table table, Stream stream) {
        if (streams.remove(stream.number()) != null) {
            table.change(Prefix.ofPeer(stream.peer().getAddress()), -1);
        }
    }

    /** What {@link #admit} let in did not become a stream. */
    void dismiss(InetAddress source, Transport transport) {
        Table table = tables.get(transport);
        synchronized (table) {
            table.change(Prefix.ofPeer(source), -1);
        }
    }

    void add(Stream stream) {
        streams.put(stream.number(), stream);
    }

    /** A stream is over. */
    void ended(Stream stream, StreamStatus last) {
        Table table = tables.get(stream.transport());
        synchronized (table) {
            free(table, stream);
        }
        synchronized (ended) {
            ended.addFirst(last);
            if (ended.size() > REMEMBERED) {
                ended.removeLast();
            }
        }
        told.accept(last);
    }

    /** Who is told of each stream that ends, on its loop. */
    void onEnded(Consumer<StreamStatus> listener) {
        told = listener;
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

    /** Part of the places that is in use, 0 to 1: of the transport with more streams. */
    double usage() {
        return (double) tables.values().stream().mapToInt(Table::count).max().orElse(0) / limits.get().streams();
    }

    /** Streams of both transports. */
    int count() {
        return streams.size();
    }

    /** No new stream is let in from now on. */
    void stop() {
        stopping = true;
    }

    /** A node before asks whether streams are taken. @return whether that is so */
    boolean asked() {
        askedAt = System.nanoTime();
        return !leaving && !stopping;
    }

    /** Nodes before are told from now on that no more streams are taken; some still are. @return whether there is anybody who asks */
    boolean leave() {
        leaving = true;
        return askedAt != 0 && System.nanoTime() - askedAt < ASKED_NANOS;
    }

    boolean isStopping() {
        return stopping;
    }
}
