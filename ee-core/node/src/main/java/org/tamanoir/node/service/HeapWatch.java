package org.tamanoir.node.service;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Sees to it that a service which fills the heap is stopped before the node has none. After each collection that leaves the old generation fuller than it
 * has been, beginning with two fifths of it, it looks at what each service holds ({@link HeldHeap}): one that holds more than its policy allows has to go, and
 * where nearly nothing is left after a collection of
 * everything the one that holds the most. Calls of services wait meanwhile, which is a matter of
 * milliseconds. Below that nothing is looked at.
 */
public final class HeapWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapWatch.class);
    /** Per cent of the old generation that are used when services are looked at for the first time, and how much fuller it is the next time. */
    private static final int FIRST_LOOK = 40;
    private static final int STEP = 8;
    /** Per cent after a collection of everything at which the greatest has to go, if it holds at least a sixteenth of the heap. */
    private static final int SHORT = 85;
    private static final int WORTH = 16;
    private static final long WARN_NANOS = 60_000_000_000L;

    private final Supplier<Collection<RunningService>> services;
    private final BiConsumer<RunningService, String> over;
    private final ServiceWatch watch;
    private final HeldHeap held = new HeldHeap();
    private final Thread thread;
    private final NotificationListener listener = this::collected;
    private final Object lock = new Object();
    private int fullest;
    private boolean whole;
    private boolean due;
    private int next = FIRST_LOOK;
    private long warnedAt = System.nanoTime() - WARN_NANOS;
    private volatile boolean closed;

    /**
     * @param watch    holds calls while somebody is looked for
     * @param services that run now
     * @param over     told which has to go, and why; on a thread of its own
     */
    public HeapWatch(ServiceWatch watch, Supplier<Collection<RunningService>> services, BiConsumer<RunningService, String> over) {
        this.watch = watch;
        this.services = services;
        this.over = over;
        this.thread = new Thread(this::watch, "tamanoir-heap");
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
        emitters().forEach(emitter -> emitter.addNotificationListener(listener, null, null));
    }

    private static List<NotificationEmitter> emitters() {
        List<NotificationEmitter> emitters = new ArrayList<>();
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector instanceof NotificationEmitter emitter) {
                emitters.add(emitter);
            }
        }
        return emitters;
    }

    /** On a thread of the JVM: says how full it is, and no more. */
    private void collected(Notification notification, Object nothing) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            return;
        }
        GarbageCollectionNotificationInfo info = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
        boolean all = info.getGcAction().contains("major");
        for (Map.Entry<String, MemoryUsage> pool : info.getGcInfo().getMemoryUsageAfterGc().entrySet()) {
            if ((pool.getKey().contains("Old") || pool.getKey().contains("Tenured")) && pool.getValue().getMax() > 0) {
                int percent = (int) (100 * pool.getValue().getUsed() / pool.getValue().getMax());
                synchronized (lock) {
                    if (percent < next - STEP && all) {
                        next = Math.max(FIRST_LOOK, percent + STEP);
                    }
                    if (percent >= next || all && percent >= SHORT) {
                        next = percent + STEP;
                        fullest = percent;
                        whole = all;
                        due = true;
                        // A service can fill what is left while it is looked for.
                        watch.hold();
                        lock.notifyAll();
                    }
                }
            }
        }
    }

    private void watch() {
        while (!closed) {
            int percent;
            boolean all;
            synchronized (lock) {
                while (!due && !closed) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                due = false;
                percent = fullest;
                all = whole;
            }
            try {
                if (!closed) {
                    look(percent, all);
                }
            } catch (RuntimeException | Error e) {
                watch.proceed();
                // Short of memory itself, as likely as not: the next collection has it look again.
                LOG.warn("what services hold of the heap could not be measured: {}", e.toString());
            }
        }
    }

    private void look(int percent, boolean all) {
        record Share(RunningService service, long bytes) {
        }
        List<Share> shares = new ArrayList<>();
        for (RunningService service : services.get()) {
            if (service.cut() != null) {
                continue;
            }
            long bytes = service.measureHeap(held, service.policy().heapBytes() + 1);
            if (bytes > service.policy().heapBytes()) {
                cut(service, "it holds about " + bytes + " octets of the heap and may hold " + service.policy().heapBytes() + " (heap-bytes of its policy)");
                return;
            }
            shares.add(new Share(service, bytes));
        }
        watch.proceed();
        shares.sort(Comparator.comparingLong(Share::bytes).reversed());
        String who = shares.stream().limit(3).map(share -> share.service() + " " + share.bytes()).collect(Collectors.joining(", "));
        LOG.info("the old generation of the heap is {} % full; octets that services hold: {}", percent, who.isEmpty() ? "none" : who);
        if (all && percent >= SHORT) {
            Share greatest = shares.isEmpty() ? null : shares.get(0);
            if (greatest != null && greatest.bytes() >= Runtime.getRuntime().maxMemory() / WORTH) {
                cut(greatest.service(), "it holds about " + greatest.bytes() + " octets of a heap of which " + (100 - percent) + " % are left, more than any other service");
            } else if (System.nanoTime() - warnedAt > WARN_NANOS) {
                warnedAt = System.nanoTime();
                LOG.warn("the heap is {} % full after a collection, and no service holds much of it: give the node more (-Xmx)", percent);
            }
        }
    }

    private void cut(RunningService service, String why) {
        if (service.cut() == null) {
            service.cut(new AnepException(ErrorCode.SERVICE_SUSPENDED, service + ": " + why));
            watch.proceed();
            over.accept(service, why);
        }
    }

    @Override
    public void close() {
        closed = true;
        for (NotificationEmitter emitter : emitters()) {
            try {
                emitter.removeNotificationListener(listener);
            } catch (ListenerNotFoundException e) {
                LOG.debug("a collector is not listened to", e);
            }
        }
        thread.interrupt();
    }
}
