package org.tamanoir.cluster.check;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.tamanoir.cluster.check.Check.CheckSettings;

/**
 * Checks back ends, each by itself: one that hangs holds no other up. One thread, one connection for each back end at a time. Safe for all threads.
 * Its sockets are of the network namespace of the thread that makes it.
 */
public final class HealthChecks implements AutoCloseable {
    private static final int CLOSE_SECONDS = 2;

    private final CheckSettings settings;
    private final Runnable changed;
    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("health checks", true), NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final RandomGenerator random;
    /** Of the loop alone. */
    private final Map<Target, Watch> watches = new HashMap<>();
    private final Map<Target, Check.State> states = new ConcurrentHashMap<>();

    /** A check and its timer. */
    private static final class Watch {
        private final Check check;
        private ScheduledFuture<?> timer;
        private Channel connection;
        private boolean ended;

        private Watch(Check check) {
            this.check = check;
        }
    }

    /**
     * Checks nothing yet.
     *
     * @param random  for the moments of checks
     * @param changed told on the thread of the checks, which it must not hold up, after a state has changed
     */
    public HealthChecks(CheckSettings settings, RandomGenerator random, Runnable changed) {
        this.settings = settings;
        this.random = random;
        this.changed = changed;
        // The thread starts here: where a thread starts, there it stays.
        loop.submit(() -> { }).syncUninterruptibly();
    }

    /** Checks these from now on and no others; what is known of those that stay is kept. */
    public void watch(Collection<Target> targets) {
        Set<Target> wanted = new HashSet<>(targets);
        loop.execute(() -> {
            watches.entrySet().removeIf(entry -> !wanted.contains(entry.getKey()) && end(entry.getKey(), entry.getValue()));
            for (Target target : wanted) {
                watches.computeIfAbsent(target, each -> {
                    Watch watch = new Watch(new Check(settings, random, System.nanoTime()));
                    states.put(each, watch.check.state());
                    schedule(each, watch);
                    return watch;
                });
            }
        });
    }

    /** What is known of one; {@link Check.State#UNKNOWN} of one that is not checked. */
    public Check.State state(Target target) {
        return states.getOrDefault(target, Check.State.UNKNOWN);
    }

    private boolean end(Target target, Watch watch) {
        watch.ended = true;
        watch.timer.cancel(false);
        if (watch.connection != null) {
            watch.connection.close();
        }
        states.remove(target);
        return true;
    }

    private void schedule(Target target, Watch watch) {
        watch.timer = loop.schedule(() -> check(target, watch), Math.max(0, watch.check.due() - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private void check(Target target, Watch watch) {
        watch.check.begins(System.nanoTime());
        watch.connection = Probe.of(loop, target, settings.timeout(), result -> {
            if (watch.ended) {
                return;
            }
            boolean change = watch.check.ended(System.nanoTime(), result);
            schedule(target, watch);
            if (change) {
                states.put(target, watch.check.state());
                changed.run();
            }
        });
    }

    /** Ends all checks. Closing again does nothing. */
    @Override
    public void close() {
        if (group.isShuttingDown()) {
            return;
        }
        watch(Set.of());
        // A loop that shuts down leaves connections open that are being made: they are closed before.
        loop.submit(() -> { }).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(2 * CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
