package org.tamanoir.node.tcpstate;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tamanoir.node.tcpstate.WatchedStream.Seen;
import org.tamanoir.node.tcpstate.Window.RawObservation;
import org.tamanoir.paths.verdict.Cause;
import org.tamanoir.service.tcp.TcpStreams;

/** The TCP state of all streams of a node. Any thread. */
public final class TcpStates {
    /** How long an event loop may take to answer. */
    private static final int PATIENCE_SECONDS = 2;

    private final Supplier<TcpStateSettings> settings;
    private final TcpStateCounters counters = new TcpStateCounters();
    private final List<TcpFollower> followers = new CopyOnWriteArrayList<>();
    private final Map<EventLoop, TcpSampler> samplers = new ConcurrentHashMap<>();

    /** @param settings asked anew each time, so that they can change */
    public TcpStates(Supplier<TcpStateSettings> settings) {
        this.settings = settings;
    }

    /** What looks at the streams of a loop. */
    public TcpSampler sampler(EventLoop loop) {
        return samplers.computeIfAbsent(loop, made -> new TcpSampler(made, settings, counters, followers));
    }

    /** What a service follows; ends with it. @param clock on which its rounds begin @param tasks where it is told */
    public TcpStreams forService(EventLoop clock, Executor tasks) {
        return new TcpFollower(this, clock, tasks);
    }

    List<TcpFollower> followers() {
        return followers;
    }

    Collection<TcpSampler> samplers() {
        return samplers.values();
    }

    public TcpStateCounters counters() {
        return counters;
    }

    /** Whether it is read at all. */
    public boolean isOn() {
        return settings.get().sample();
    }

    /** What was seen of a stream and why it is as fast as it is; null if it was not looked at twice. Waits for its loop. */
    public StreamReason why(EventLoop loop, WatchedStream stream) {
        long now = System.nanoTime();
        Seen seen = CompletableFuture.supplyAsync(() -> stream.seen(now), loop).completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        return seen == null || seen.lately().size() < 2 ? null : StreamReason.of(seen);
    }

    /** How many streams each cause holds up now. Waits for the loops, which only copy: it is judged here. */
    public Map<Cause, Integer> causes() {
        List<CompletableFuture<List<List<RawObservation>>>> asked = new ArrayList<>();
        samplers.forEach((loop, sampler) -> asked.add(CompletableFuture.supplyAsync(
                () -> sampler.streams().stream().map(WatchedStream::lately).filter(lately -> lately.size() > 1).toList(), loop)));
        Map<Cause, Integer> causes = new EnumMap<>(Cause.class);
        for (Cause cause : Cause.values()) {
            causes.put(cause, 0);
        }
        for (CompletableFuture<List<List<RawObservation>>> loop : asked) {
            loop.completeOnTimeout(List.of(), PATIENCE_SECONDS, TimeUnit.SECONDS).join()
                    .forEach(lately -> causes.merge(WatchedStream.judge(lately).cause(), 1, Integer::sum));
        }
        return causes;
    }
}
