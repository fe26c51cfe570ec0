package org.tamanoir.transfer.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Deals pieces of work to streams: whoever has finished takes the next, so that a slow stream takes fewer and nobody is given a share in advance (R. D. Blumofe
 * and C. E. Leiserson, "Scheduling multithreaded computations by work stealing", 1999, with one queue). What a stream held when it was lost goes to the others
 * first. When nothing is left to begin, a stream without work takes a piece that another one holds, if it will be through with it sooner: the last pieces are
 * raced, and the first to bring one home wins. While all streams together carry what they always did nobody races: what one of them sends again, others on the same
 * way wait for.
 *
 * @param <P> a piece; two equal ones are one
 */
public final class Dispatch<P> {
    /** At most so many hold one piece. */
    private static final int RACERS = 2;
    /** A racer must expect to need less than this part of the time that the holder still needs: its octets are sent twice for it. */
    private static final double AHEAD = 0.5;
    /** What comes home within so many nanoseconds is waited for. */
    private static final double SOON = 300e6;

    /** One that holds pieces. */
    private static final class Stream<P> {
        /** Pieces that it holds, and when it took them. */
        private final LinkedHashMap<P, Long> held = new LinkedHashMap<>();
        /** Octets a nanosecond; 0 before its first piece. */
        private double rate;
        private long lastDone;
    }

    private record Begun(long octets, List<Integer> holders) {
    }

    private final ArrayDeque<Map.Entry<P, Long>> waiting = new ArrayDeque<>();
    private final Map<P, Begun> begun = new HashMap<>();
    private final Map<Integer, Stream<P>> streams = new HashMap<>();
    private final Throughput throughput = new Throughput();
    private long waitingOctets;
    private long racedOctets;

    /** Adds a piece behind the others. @param octets of each */
    public void add(P piece, long octets) {
        waiting.addLast(Map.entry(piece, octets));
        waitingOctets += octets;
    }

    /**
     * The next piece for a stream, which it holds from now on; null if there is none for it now.
     *
     * @param now nanoseconds
     * @param moved octets that have gone over so far, of all streams
     */
    public P next(int stream, long now, long moved) {
        Stream<P> taker = streams.computeIfAbsent(stream, number -> new Stream<>());
        boolean spare = throughput.hasSpare(now, moved, !waiting.isEmpty());
        Map.Entry<P, Long> first = waiting.pollFirst();
        if (first != null) {
            waitingOctets -= first.getValue();
            begun.put(first.getKey(), new Begun(first.getValue(), new ArrayList<>(List.of(stream))));
            taker.held.put(first.getKey(), now);
            return first.getKey();
        }
        P raced = spare && taker.held.isEmpty() ? slowest(taker, now) : null;
        if (raced != null) {
            begun.get(raced).holders().add(stream);
            taker.held.put(raced, now);
            racedOctets += begun.get(raced).octets();
        }
        return raced;
    }

    /** The piece that comes home last, and sooner if this stream takes it too. */
    private P slowest(Stream<P> taker, long now) {
        P found = null;
        double longest = 0;
        for (Map.Entry<P, Begun> entry : begun.entrySet()) {
            Begun piece = entry.getValue();
            if (taker.rate == 0 || piece.holders().size() >= RACERS) {
                continue;
            }
            double left = left(streams.get(piece.holders().get(0)), entry.getKey(), now);
            if (left > Math.max(longest, SOON) && piece.octets() / taker.rate < AHEAD * left) {
                longest = left;
                found = entry.getKey();
            }
        }
        return found;
    }

    /** Nanoseconds until a stream is through with a piece, by its rate; by how long it has taken already, if it has no rate, or is late by it. */
    private double left(Stream<P> holder, P piece, long now) {
        double before = 0;
        for (P held : holder.held.keySet()) {
            // What another one has brought home meanwhile is there no more.
            before += begun.containsKey(held) ? begun.get(held).octets() : 0;
            if (held.equals(piece)) {
                break;
            }
        }
        double since = now - Math.max(holder.lastDone, holder.held.get(piece));
        double expected = holder.rate == 0 ? Double.MAX_VALUE : before / holder.rate;
        return holder.rate == 0 || since > expected ? Math.max(since, 1) : expected - since;
    }

    /** A stream has brought a piece home. @return whether it is the first to do so */
    public boolean done(int stream, P piece, long now) {
        Stream<P> holder = streams.get(stream);
        Long taken = holder == null ? null : holder.held.remove(piece);
        Begun work = begun.remove(piece);
        if (taken != null && work != null) {
            double rate = work.octets() / (double) Math.max(1, now - Math.max(holder.lastDone, taken));
            holder.rate = Throughput.mixed(holder.rate, rate);
            holder.lastDone = now;
        }
        return work != null;
    }

    /** A stream cannot bring a piece home; somebody else shall, or it again. */
    public void failed(int stream, P piece) {
        Stream<P> holder = streams.get(stream);
        if (holder != null && holder.held.remove(piece) != null) {
            giveBack(stream, piece);
        }
    }

    /** A stream is lost; what it held goes to the others before anything else. */
    public void lost(int stream) {
        Stream<P> holder = streams.remove(stream);
        if (holder != null) {
            holder.held.keySet().forEach(piece -> giveBack(stream, piece));
        }
    }

    private void giveBack(int stream, P piece) {
        Begun work = begun.get(piece);
        if (work != null && work.holders().remove((Integer) stream) && work.holders().isEmpty()) {
            begun.remove(piece);
            waiting.addFirst(Map.entry(piece, work.octets()));
            waitingOctets += work.octets();
        }
    }

    /** Forgets pieces that nobody needs any more. */
    public void drop(Predicate<P> which) {
        waiting.removeIf(entry -> which.test(entry.getKey()));
        waitingOctets = waiting.stream().mapToLong(Map.Entry::getValue).sum();
        begun.keySet().removeIf(which);
        streams.values().forEach(stream -> stream.held.keySet().removeIf(which));
    }

    /** Whether a piece is still to be brought home. */
    public boolean isOpen(P piece) {
        return begun.containsKey(piece);
    }

    /** Pieces that nobody has begun. */
    public int waiting() {
        return waiting.size();
    }

    /** Whether less is left to begin than all streams carry in a second; false while that is not known. */
    public boolean isEnding() {
        return waitingOctets < throughput.inSecond();
    }

    /** Whether everything is home. */
    public boolean isDone() {
        return waiting.isEmpty() && begun.isEmpty();
    }

    /** Octets of pieces that were given to a second stream. */
    public long racedOctets() {
        return racedOctets;
    }
}
