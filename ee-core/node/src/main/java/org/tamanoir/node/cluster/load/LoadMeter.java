package org.tamanoir.node.cluster.load;

import com.sun.management.OperatingSystemMXBean;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.node.stream.StreamLimits;

/** What a node says of its load. A timer on each event loop, and a few files when somebody asks; for any thread. */
public final class LoadMeter implements AutoCloseable {
    private static final long ALLOWANCE_NANOS = 5_000_000_000L;
    private static final double NANOS_A_MILLI = 1e6;

    private final NodeStreams streams;
    private final List<LoopLag> lags = new ArrayList<>();
    private final List<Future<?>> timers = new ArrayList<>();
    private final CpuShare share = new CpuShare();
    private final CpuAllowance allowance = new CpuAllowance(Path.of("/"));
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private double cpus;
    private long allowanceRead;

    public LoadMeter(NodeStreams streams) {
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

    /** Which part of the processor time that it may use a process has used in the last second. Takes time and readings; for one thread. */
    static final class CpuShare {
        private static final long WINDOW_NANOS = 1_000_000_000;
        /** Readings closer together than that say nothing that is new. */
        private static final long APART_NANOS = WINDOW_NANOS / 20;

        private record Reading(long now, long used) {
        }

        /** Oldest first: the newest one that is a window old, and those after it. */
        private final Deque<Reading> readings = new ArrayDeque<>();
        private double share;

        /**
         * @param used nanoseconds of processor time since the process began
         * @param cpus that the process may use at the same time; more than 0
         * @return 0 to 1; 0 at the first reading
         */
        double read(long now, long used, double cpus) {
            Reading last = readings.peekLast();
            if (last != null && now - last.now < APART_NANOS) {
                return share;
            }
            readings.addLast(new Reading(now, used));
            while (readings.size() > 2 && now - second().now >= WINDOW_NANOS) {
                readings.removeFirst();
            }
            Reading first = readings.peekFirst();
            share = now == first.now ? 0 : Math.max(0, Math.min(1, (used - first.used) / (cpus * (now - first.now))));
            return share;
        }

        private Reading second() {
            var all = readings.iterator();
            all.next();
            return all.next();
        }
    }

    /**
     * How late one event loop runs what is due. A task on the loop says when it ran and is due again {@link #PERIOD_NANOS} later; one that is overdue
     * counts before it has run, so a loop that is held is seen while it is held. Takes the time; for any thread.
     */
    static final class LoopLag {
        /** Twenty looks a second. */
        static final long PERIOD_NANOS = 50_000_000;
        private static final long WINDOW_NANOS = 1_000_000_000;
        /** More than a window holds: delays only make them fewer. */
        private static final int KEPT = (int) (WINDOW_NANOS / PERIOD_NANOS) + 4;

        private final long[] at = new long[KEPT];
        private final long[] late = new long[KEPT];
        private int runs;
        private long due;

        LoopLag(long now) {
            due = now + PERIOD_NANOS;
        }

        /** The task has run. */
        synchronized void ran(long now) {
            int slot = runs++ % KEPT;
            at[slot] = now;
            late[slot] = Math.max(0, now - due);
            due = now + PERIOD_NANOS;
        }

        /** The largest lateness of the last second, in nanoseconds. */
        synchronized long largest(long now) {
            long most = Math.max(0, now - due);
            for (int i = 0; i < Math.min(runs, KEPT); i++) {
                if (now - at[i] <= WINDOW_NANOS) {
                    most = Math.max(most, late[i]);
                }
            }
            return most;
        }

        /** How long it has been overdue by now, in nanoseconds; 0 if it is not. */
        synchronized long overdue(long now) {
            return Math.max(0, now - due);
        }
    }
}
