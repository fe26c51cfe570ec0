package org.tamanoir.node.tcpstate;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.service.tcp.TcpStreams;

/** Tells one service what the samplers have seen. A round begins when the service has been told of the one before, so that nothing queues up. */
final class TcpFollower implements TcpStreams, AutoCloseable {
    /** Streams of a loop that are copied in one go. */
    private static final int PIECE = 64;

    private final TcpStates states;
    private final EventLoop clock;
    private final Executor tasks;
    /** Until when each loop has been asked. */
    private final Map<TcpSampler, Long> asked = new ConcurrentHashMap<>();
    private final Deque<WatchedStream> ended = new ArrayDeque<>();
    private Consumer<Report> told;
    private long periodNanos;
    private long missed;
    private boolean begun;
    private boolean closed;

    /** @param clock when a round begins @param tasks where the service is told; what it refuses is not told */
    TcpFollower(TcpStates states, EventLoop clock, Executor tasks) {
        this.states = states;
        this.clock = clock;
        this.tasks = tasks;
    }

    @Override
    public void follow(Duration period, Consumer<Report> follower) {
        if (period.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("a period of " + period + "; it is " + SHORTEST + " at least");
        }
        synchronized (this) {
            told = follower;
            periodNanos = period.toNanos();
            if (begun || closed) {
                return;
            }
            begun = true;
        }
        states.followers().add(this);
        later(period.toNanos());
    }

    private void later(long nanos) {
        try {
            clock.schedule(this::round, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The node stops, and so does the service.
            close();
        }
    }

    private void round() {
        long began = System.nanoTime();
        List<CompletableFuture<List<Look>>> loops = new ArrayList<>();
        for (TcpSampler sampler : states.samplers()) {
            CompletableFuture<List<Look>> seen = new CompletableFuture<>();
            loops.add(seen);
            sampler.loop().execute(() -> {
                long now = System.nanoTime();
                Long before = asked.put(sampler, now);
                gather(new Walk(sampler, before == null ? Long.MIN_VALUE : before, now, sampler.cursor(), new ArrayList<>(), seen), 0);
            });
        }
        CompletableFuture.allOf(loops.toArray(CompletableFuture[]::new)).thenRun(() -> tasks.execute(() -> {
            try {
                tell(loops.stream().flatMap(loop -> loop.join().stream()).toList());
            } finally {
                later(Math.max(0, period() - (System.nanoTime() - began)));
            }
        }));
    }

    /** A walk round the streams of a loop, for those that were looked at after one time and not after another. */
    private record Walk(TcpSampler sampler, long after, long until, int from, List<Look> found, CompletableFuture<List<Look>> done) {
    }

    /** A few streams at a time, so that packets do not wait for it. On the loop. */
    private void gather(Walk walk, int done) {
        List<WatchedStream> streams = walk.sampler.streams();
        int end = Math.min(streams.size(), done + PIECE);
        for (int i = done; i < end; i++) {
            WatchedStream stream = streams.get((walk.from + i) % streams.size());
            if (stream.wasSeen(walk.after, walk.until)) {
                walk.found.add(stream.look(walk.until));
            }
        }
        if (end < streams.size()) {
            walk.sampler.loop().execute(() -> gather(walk, end));
        } else {
            walk.done.complete(walk.found);
        }
    }

    private void tell(List<Look> looks) {
        List<WatchedStream> gone;
        Consumer<Report> follower;
        long left;
        synchronized (this) {
            gone = List.copyOf(ended);
            ended.clear();
            left = missed + Math.max(0, looks.size() - MOST_STREAMS);
            missed = 0;
            follower = told;
        }
        List<Ended> over = gone.stream().map(stream -> stream.ending().told()).toList();
        gone.forEach(WatchedStream::letGo);
        follower.accept(new Report(looks.stream().limit(MOST_STREAMS).map(Look::told).toList(), over, left));
    }

    private synchronized long period() {
        return periodNanos;
    }

    /** A stream has ended. On its loop. */
    synchronized void ended(WatchedStream stream) {
        if (closed) {
            return;
        }
        if (ended.size() < MOST_ENDED) {
            stream.hold();
            ended.add(stream);
        } else {
            missed++;
        }
    }

    @Override
    public void close() {
        states.followers().remove(this);
        synchronized (this) {
            closed = true;
            ended.forEach(WatchedStream::letGo);
            ended.clear();
        }
    }
}
