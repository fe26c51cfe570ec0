package org.tamanoir.node.tcpstate;

import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.paths.verdict.TcpState;

/**
 * Looks at the connections of the streams of one event loop: at each of them once in a period, at those that carry much more often, and never at more in a second
 * than it may. It walks round its streams a few at a time, so that packets do not wait for it: once round takes a fast period. On the loop.
 */
public final class TcpSampler {
    /** Streams that are looked at in one go: about 0.1 ms. */
    private static final int STEP = 64;
    /** It does not wake the loop more often. */
    private static final long LEAST_SLEEP_NANOS = 5_000_000;
    /** How long it waits to be switched on. */
    private static final long OFF_NANOS = 1_000_000_000;
    private static final int CONNECTIONS = 2;

    private final EventLoop loop;
    private final Supplier<TcpStateSettings> settings;
    private final TcpStateCounters counters;
    private final List<TcpFollower> followers;
    private final List<WatchedStream> streams = new ArrayList<>();
    private final Runnable step = this::step;
    private final ByteBuffer before = ByteBuffer.allocateDirect(TcpState.MOST_OCTETS).order(ByteOrder.nativeOrder());
    private final ByteBuffer after = ByteBuffer.allocateDirect(TcpState.MOST_OCTETS).order(ByteOrder.nativeOrder());
    /** Of the struct on this kernel; 0 until the first connection was asked for. */
    private int length;
    private int cursor;
    private boolean walks;
    private double allowed;
    private long lastNanos = System.nanoTime();

    TcpSampler(EventLoop loop, Supplier<TcpStateSettings> settings, TcpStateCounters counters, List<TcpFollower> followers) {
        this.loop = loop;
        this.settings = settings;
        this.counters = counters;
        this.followers = followers;
    }

    /** A stream flows. @return null if the transport does not say anything of its connections */
    public WatchedStream watch(SampledStream stream) {
        if (length == 0) {
            length = measure(stream.before());
        }
        if (length < TcpState.LEAST_OCTETS) {
            return null;
        }
        WatchedStream watched = new WatchedStream(stream, length, counters, System.nanoTime(), settings);
        watched.place = streams.size();
        streams.add(watched);
        if (!walks) {
            walks = true;
            later(settings.get().fastPeriod().toNanos());
        }
        return watched;
    }

    /** A stream that was watched has ended. @param failure why it was cut; null for a good end */
    public void forget(WatchedStream watched, String failure) {
        WatchedStream last = streams.remove(streams.size() - 1);
        if (last != watched) {
            last.place = watched.place;
            streams.set(last.place, last);
        }
        watched.ended(System.nanoTime(), failure);
        followers.forEach(follower -> follower.ended(watched));
        watched.letGo();
    }

    List<WatchedStream> streams() {
        return streams;
    }

    EventLoop loop() {
        return loop;
    }

    /** The stream that it looks at next. */
    int cursor() {
        return cursor;
    }

    /** Octets that this kernel writes: those that are the same whatever stood there before. */
    private int measure(TcpLeg leg) {
        byte[] zeros = filled(leg, (byte) 0);
        byte[] ones = filled(leg, (byte) -1);
        int known = zeros.length;
        while (known > 0 && zeros[known - 1] == 0 && ones[known - 1] == -1) {
            known--;
        }
        return known;
    }

    private byte[] filled(TcpLeg leg, byte fill) {
        byte[] octets = new byte[TcpState.MOST_OCTETS];
        Arrays.fill(octets, fill);
        before.clear().put(octets).clear();
        leg.readTcpInfo(before);
        before.clear().get(octets);
        return octets;
    }

    private void later(long nanos) {
        loop.schedule(step, nanos, TimeUnit.NANOSECONDS);
    }

    private void step() {
        TcpStateSettings now = settings.get();
        int all = streams.size();
        if (all == 0) {
            walks = false;
            return;
        }
        if (!now.sample()) {
            later(OFF_NANOS);
            return;
        }
        long round = now.fastPeriod().toNanos();
        int many = (int) Math.min(all, Math.max(STEP, all * LEAST_SLEEP_NANOS / round));
        look(many, now);
        later(Math.max(LEAST_SLEEP_NANOS, round * many / all));
    }

    private void look(int many, TcpStateSettings now) {
        allow(System.nanoTime(), now);
        double had = allowed;
        lookAtNext(many, now);
        counters.reads().add(Math.round(had - allowed));
    }

    private void lookAtNext(int many, TcpStateSettings now) {
        long nanos = System.nanoTime();
        for (int i = 0; i < many; i++) {
            WatchedStream watched = next(0);
            if (watched.isDue(nanos)) {
                if (allowed < CONNECTIONS) {
                    skip(many - i, nanos);
                    return;
                }
                nanos = System.nanoTime();
                look(watched, nanos, now);
            }
            cursor = (cursor + 1) % streams.size();
        }
    }

    private WatchedStream next(int further) {
        return streams.get((cursor + further) % streams.size());
    }

    /** It goes on from here when it may: so each stream has its turn. */
    private void skip(int many, long nanos) {
        for (int i = 0; i < many; i++) {
            if (next(i).isDue(nanos)) {
                counters.skipped().increment();
            }
        }
    }

    /** What was not used for a round is not saved. */
    private void allow(long nanos, TcpStateSettings now) {
        long elapsed = Math.min(nanos - lastNanos, now.fastPeriod().toNanos());
        lastNanos = nanos;
        double most = Math.max(CONNECTIONS, now.reads() * (now.fastPeriod().toNanos() / 1e9));
        allowed = Math.min(most, allowed + now.reads() * (elapsed / 1e9));
    }

    private void look(WatchedStream watched, long nanos, TcpStateSettings now) {
        TcpLeg behind = watched.stream().after();
        boolean isBehind = behind != null && read(behind, after);
        boolean isBefore = !isBehind || watched.wantsBefore(nanos, now);
        if (!isBefore || read(watched.stream().before(), before)) {
            watched.looked(nanos, isBefore ? before : null, isBehind ? after : null, now);
        }
    }

    private boolean read(TcpLeg leg, ByteBuffer into) {
        allowed--;
        return leg.readTcpInfo(into.clear());
    }
}
