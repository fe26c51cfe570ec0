package org.tamanoir.node.tcpstate;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.tamanoir.node.tcpstate.History.Points;
import org.tamanoir.node.tcpstate.Look.Ending;
import org.tamanoir.node.tcpstate.Window.RawObservation;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.paths.verdict.Observation;
import org.tamanoir.paths.verdict.StreamWatch;
import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;
import org.tamanoir.paths.verdict.Verdict;
import org.tamanoir.service.tcp.TcpStreams.Reason;

/** What is kept of one stream. On its loop. */
public final class WatchedStream {
    private static final long YOUNG_NANOS = 1_000_000_000;
    private static final int BEFORE_PERIODS = 5;

    private final SampledStream stream;
    private final Window window;
    private final History history;
    private final TcpStateCounters counters;
    /** Who needs it still: the sampler, and whoever has to be told of its end. */
    private final AtomicInteger holders = new AtomicInteger(1);
    private volatile Judged judged;
    private Ending ending;
    /** Its place in the list of the sampler. */
    int place;
    /** When it is to be looked at again. */
    private long due;
    private long lastNanos;
    private long beforeNanos;
    private long lastOctets;
    private long tripMicros;

    WatchedStream(SampledStream stream, int length, TcpStateCounters counters, long now, Supplier<TcpStateSettings> settings) {
        History.Budget budget = octets -> counters.take(octets, settings.get().memory());
        this.stream = stream;
        this.counters = counters;
        this.window = new Window(length, budget);
        this.history = new History(budget);
        this.lastNanos = now;
        this.beforeNanos = Long.MIN_VALUE / 2;
        this.lastOctets = octets();
        // What a stream carries is known when it has carried for a while; short ones cost nothing.
        this.due = now + settings.get().fastPeriod().toNanos() / 2;
    }

    SampledStream stream() {
        return stream;
    }

    boolean isDue(long now) {
        return now - due >= 0;
    }

    private long octets() {
        return stream.before().received() + (stream.after() == null ? 0 : stream.after().received());
    }

    /** Whether the connection from the source is to be read as well: where the node receives there is little that is new in a tenth of a second. */
    boolean wantsBefore(long now, TcpStateSettings settings) {
        return now - beforeNanos >= BEFORE_PERIODS * settings.fastPeriod().toNanos() - settings.fastPeriod().toNanos() / 2;
    }

    /** @param before null if it was not read @param after null if there is no connection behind the node */
    void looked(long now, ByteBuffer before, ByteBuffer after, TcpStateSettings settings) {
        long octets = octets();
        boolean fast = (octets - lastOctets) * 8e9 >= (double) settings.fastRate() * (now - lastNanos);
        lastOctets = octets;
        lastNanos = now;
        if (before != null) {
            beforeNanos = now;
        }
        // The walk comes by once in each fast period, now a little sooner and now a little later.
        due = now + (fast ? settings.fastPeriod() : settings.period()).toNanos() - settings.fastPeriod().toNanos() / 2;
        long fromSource = stream.before().received();
        window.add(now, before, after, stream.times(), stream.after() == null ? 0 : stream.after().pending(), fromSource);
        if (after == null) {
            history.add(now, fromSource, 0, 0);
        } else {
            tripMicros = TcpState.read(after, TcpField.RTT);
            history.add(now, fromSource, TcpState.read(after, TcpField.SND_CWND) * TcpState.read(after, TcpField.SND_MSS), tripMicros);
        }
    }

    /** Round trip behind the node when it was looked at last, in microseconds; 0 if it was not. */
    public long tripMicros() {
        return tripMicros;
    }

    /** Its memory must stay until {@link #letGo}. Any thread. */
    void hold() {
        holders.incrementAndGet();
    }

    void letGo() {
        if (holders.decrementAndGet() == 0) {
            counters.give(window.octets() + history.octets());
        }
    }

    /** Whether it was last looked at after one time and not after another. */
    boolean wasSeen(long after, long until) {
        return window.lastNanos() > after && window.lastNanos() <= until;
    }

    /** As it is now, for services. */
    Look look(long now) {
        Judged before = judged;
        List<RawObservation> lately = before == null || now - before.nanos >= YOUNG_NANOS ? window.copy() : null;
        return look(lately == null ? null : () -> lately);
    }

    private Look look(Supplier<List<RawObservation>> lately) {
        TcpLeg after = stream.after();
        return new Look(this, stream.facts(), after == null ? 0 : after.codePoint(), stream.before().received(), after == null ? 0 : after.received(), window.last(), lately);
    }

    /** It has ended: nothing changes any more. */
    void ended(long now, String failure) {
        ending = new Ending(look(window::copy), now, failure);
    }

    /** Once it has ended. */
    Ending ending() {
        return ending;
    }

    /** Why it is no faster. @param lately what it is to be judged by; null for the verdict before. Any thread */
    Reason reason(Supplier<List<RawObservation>> lately) {
        List<RawObservation> seen = lately == null ? List.of() : lately.get();
        if (seen.size() > 1) {
            Verdict verdict = judge(seen);
            judged = new Judged(seen.get(seen.size() - 1).nanos(), new Reason(verdict.cause().toString(), verdict.share(), verdict.isSure(), verdict.sentence()));
        }
        Judged now = judged;
        return now == null ? null : now.reason;
    }

    /** The last verdict that a service was told. */
    private record Judged(long nanos, Reason reason) {
    }

    RawObservation last() {
        return window.last();
    }

    /** Takes a copy, so that somebody else may judge. */
    Seen seen(long now) {
        return new Seen(window.copy(), history.points(now));
    }

    List<RawObservation> lately() {
        return window.copy();
    }

    static Verdict judge(List<RawObservation> lately) {
        StreamWatch watch = new StreamWatch();
        lately.forEach(each -> watch.add(each.decoded()));
        return watch.verdict(0);
    }

    /**
     * What was seen of a stream. For any thread.
     *
     * @param lately  the last seconds
     * @param history since its beginning
     */
    record Seen(List<RawObservation> lately, Points history) {
        Observation first() {
            return lately.get(0).decoded();
        }

        Observation last() {
            return lately.get(lately.size() - 1).decoded();
        }
    }
}
