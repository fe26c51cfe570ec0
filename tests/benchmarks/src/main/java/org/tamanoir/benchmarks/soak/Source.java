package org.tamanoir.benchmarks.soak;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.tamanoir.benchmarks.soak.Books.Sent;
import org.tamanoir.benchmarks.soak.Books.SentStream;

/**
 * Keeps a number of streams going, over TCP and UDP: the first quarter of them lives through the whole run, each of the others for a part of
 * seconds or a few, and is followed by a new one in the moment of its last packet. One thread, one selector. The lives are
 * pseudo-random and the same in every run.
 */
final class Source implements Runnable {
    private static final long MIN_LIFE_NANOS = 200_000_000L;
    private static final long MAX_LIFE_NANOS = 3_000_000_000L;
    private static final int TURN_MILLIS = 1;

    private final Flow.Route route;
    private final Selector selector = Selector.open();
    private List<Flow> flows = new ArrayList<>();
    private final List<SentStream> ended = new ArrayList<>();
    private final Histogram late = Books.delays();
    private final SplittableRandom lives = new SplittableRandom(1);
    private long lastId = System.nanoTime() << 16;
    private volatile int mark;
    private volatile boolean stopping;
    private volatile boolean over;

    Source(Flow.Route route) throws IOException {
        this.route = route;
    }

    /** Sets the mark of the packets that are sent from now on. */
    void mark(int newMark) {
        mark = newMark;
    }

    /** Lets every stream end with its next packet, and opens no more. */
    void stop() {
        stopping = true;
    }

    /** Whether every stream is over after {@link #stop}. */
    boolean isOver() {
        return over;
    }

    @Override
    public void run() {
        try {
            Soak.Load load = route.load();
            int count = load.tcpStreams() + load.udpStreams();
            long now = System.nanoTime();
            for (int i = 0; i < count; i++) {
                boolean udp = i >= load.tcpStreams();
                boolean lasting = udp ? i - load.tcpStreams() < (load.udpStreams() + 3) / 4 : i < (load.tcpStreams() + 3) / 4;
                // Spread over an interval, so that not all of them send in the same turn.
                flows.add(open(udp, lasting, now + load.intervalNanos() * i / count));
            }
            while (!over) {
                selector.select(TURN_MILLIS);
                turn();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the source's selector failed", e);
        }
    }

    private synchronized void turn() throws IOException {
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid()) {
                ((Flow) key.attachment()).ready();
            }
        }
        selector.selectedKeys().clear();
        List<Flow> next = new ArrayList<>();
        for (Flow flow : flows) {
            long now = System.nanoTime();
            boolean wasFinished = flow.hasFinished();
            if (stopping) {
                flow.end(now);
            }
            flow.turn(now, mark, late);
            if (!stopping && !wasFinished && (flow.hasFinished() || flow.isOver())) {
                next.add(open(flow.udp, flow.lasting, now));
            }
            // They are over in whatever order they end.
            if (flow.isOver()) {
                ended.add(flow.account());
            } else {
                next.add(flow);
            }
        }
        flows = next;
        over = stopping && flows.isEmpty();
    }

    private Flow open(boolean udp, boolean lasting, long now) throws IOException {
        long end = lasting ? Long.MAX_VALUE : now + lives.nextLong(MIN_LIFE_NANOS, MAX_LIFE_NANOS);
        return new Flow(selector, route, udp, ++lastId, now, end, lasting);
    }

    /** Streams that are broken so far. */
    synchronized long broken() {
        return ended.stream().filter(stream -> stream.broken() != null).count();
    }

    /** The books as they stand, of streams that are over. */
    synchronized Sent sent() {
        return new Sent(List.copyOf(ended), late);
    }
}
