package org.tamanoir.node.tcpstate;

import java.nio.ByteBuffer;
import java.util.List;
import org.tamanoir.node.tcpstate.History.Points;
import org.tamanoir.node.tcpstate.Window.RawObservation;
import org.tamanoir.paths.verdict.Observation;
import org.tamanoir.paths.verdict.StreamWatch;
import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;
import org.tamanoir.paths.verdict.Verdict;

/** What is kept of one stream. On its loop. */
public final class WatchedStream {
    private final SampledStream stream;
    private final Window window;
    private final History history;
    /** Its place in the list of the sampler. */
    int place;
    /** When it is to be looked at again. */
    private long due;
    private long lastNanos;
    private long lastOctets;

    WatchedStream(SampledStream stream, int length, History.Budget budget, long now, TcpStateSettings settings) {
        this.stream = stream;
        this.window = new Window(length, budget);
        this.history = new History(budget);
        this.lastNanos = now;
        this.lastOctets = octets();
        // What a stream carries is known when it has carried for a while; short ones cost nothing.
        this.due = now + settings.fastPeriod().toNanos() / 2;
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

    /** @param after null if there is no connection behind the node */
    void looked(long now, ByteBuffer before, ByteBuffer after, TcpStateSettings settings) {
        long octets = octets();
        boolean fast = (octets - lastOctets) * 8e9 >= (double) settings.fastRate() * (now - lastNanos);
        lastOctets = octets;
        lastNanos = now;
        // The walk comes by once in each fast period, now a little sooner and now a little later.
        due = now + (fast ? settings.fastPeriod() : settings.period()).toNanos() - settings.fastPeriod().toNanos() / 2;
        long fromSource = stream.before().received();
        window.add(now, before, after, stream.times(), stream.after() == null ? 0 : stream.after().pending(), fromSource);
        if (after == null) {
            history.add(now, fromSource, 0, 0);
        } else {
            history.add(now, fromSource, TcpState.read(after, TcpField.SND_CWND) * TcpState.read(after, TcpField.SND_MSS), TcpState.read(after, TcpField.RTT));
        }
    }

    long memory() {
        return window.octets() + history.octets();
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
