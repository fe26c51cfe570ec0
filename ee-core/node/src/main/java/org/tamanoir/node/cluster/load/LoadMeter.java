package org.tamanoir.node.cluster.load;

import com.sun.management.OperatingSystemMXBean;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.node.stream.Streams;

/** What a node says of its load. A timer on each event loop, and a few files when somebody asks; for any thread. */
public final class LoadMeter implements AutoCloseable {
    private static final long ALLOWANCE_NANOS = 5_000_000_000L;
    private static final double NANOS_A_MILLI = 1e6;

    private final Streams streams;
    private final List<LoopLag> lags = new ArrayList<>();
    private final List<Future<?>> timers = new ArrayList<>();
    private final CpuShare share = new CpuShare();
    private final CpuAllowance allowance = new CpuAllowance(Path.of("/"));
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private double cpus;
    private long allowanceRead;

    public LoadMeter(Streams streams) {
        this.streams = streams;
        for (EventLoop loop : streams.loops()) {
            LoopLag lag = new LoopLag(System.nanoTime());
            lags.add(lag);
            timers.add(loop.scheduleWithFixedDelay(() -> lag.ran(System.nanoTime()), LoopLag.PERIOD_NANOS, LoopLag.PERIOD_NANOS, TimeUnit.NANOSECONDS));
        }
    }

    /** Now. */
    public Load load() {
        long now = System.nanoTime();
        long lag = lags.stream().mapToLong(each -> each.largest(now)).max().orElse(0);
        StreamLimits limits = streams.limits();
        return new Load(streams.count(), lag / NANOS_A_MILLI, streams.retained(), limits.memory(), cpu(now));
    }

    private synchronized double cpu(long now) {
        if (cpus == 0 || now - allowanceRead > ALLOWANCE_NANOS) {
            cpus = allowance.cpus(Runtime.getRuntime().availableProcessors());
            allowanceRead = now;
        }
        return share.read(now, system.getProcessCpuTime(), cpus);
    }

    /** How long an event loop has run nothing by now, in nanoseconds: the one that is held the shortest. 0 unless all of them are held. */
    public long allHeld() {
        long now = System.nanoTime();
        return lags.stream().mapToLong(each -> each.overdue(now)).min().orElse(0);
    }

    /** How long the loop of that number has run nothing by now, in nanoseconds. */
    public long held(EventLoop loop) {
        int number = streams.loops().indexOf(loop);
        return number < 0 ? 0 : lags.get(number).overdue(System.nanoTime());
    }

    @Override
    public void close() {
        timers.forEach(timer -> timer.cancel(false));
    }
}
