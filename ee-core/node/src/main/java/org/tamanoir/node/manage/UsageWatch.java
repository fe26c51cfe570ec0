package org.tamanoir.node.manage;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.node.stream.Overload;
import org.tamanoir.node.stream.Overload.Resource;
import org.tamanoir.node.transport.OpenFiles;

/**
 * Measures descriptors, heap and streams for {@link Overload}, on a thread of its own.
 *
 * <p>What counts of the heap is what the last collection of each pool has left: the rest may be garbage. Memory outside the heap has a bound
 * of its own, {@code limits: memory}.
 */
final class UsageWatch implements AutoCloseable {
    private static final long PERIOD_MILLIS = 500;
    /**
     * A node that takes no streams allocates little, and without a collection it would not learn that there is room again. One costs a pause
     * of a few hundred milliseconds at the heap of the launcher.
     */
    private static final long COLLECTION_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Logger LOG = LoggerFactory.getLogger(UsageWatch.class);

    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null).toList();
    private final Overload overload;
    private final NodeStreams streams;
    private final Runnable also;
    private final Thread thread = new Thread(this::run, "tamanoir-usage");
    private long collected = System.nanoTime();
    private String before;

    /** @param also done each time */
    UsageWatch(NodeStreams streams, Runnable also) {
        this.streams = streams;
        this.also = also;
        this.overload = streams.overload();
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                measure();
                alsoRun();
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            // The node closes.
        }
    }

    /** Whatever fails there, overload is measured: else it would stand as it was for ever. */
    private void alsoRun() {
        try {
            also.run();
        } catch (RuntimeException e) {
            LOG.warn("what is looked at with the load has failed", e);
        }
    }

    private void measure() {
        overload.measure(OpenFiles::count, OpenFiles.limit(), heap(), streams.usage());
        String problem = overload.problem();
        if (problem != null && before == null) {
            LOG.warn("overload: {}", problem);
        } else if (problem == null && before != null) {
            LOG.info("overload is over");
        }
        before = problem;
        if (overload.isShortOf(Resource.HEAP) && System.nanoTime() - collected > COLLECTION_NANOS) {
            System.gc();
            collected = System.nanoTime();
        }
    }

    /** Part of the heap that the last collections have left, and never more than is used now. */
    private double heap() {
        long left = 0;
        long used = 0;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage after = pool.getCollectionUsage();
            left += after == null ? 0 : after.getUsed();
            used += pool.getUsage().getUsed();
        }
        return (double) Math.min(left, used) / Runtime.getRuntime().maxMemory();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
