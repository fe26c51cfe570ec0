package org.tamanoir.node.service;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Verdict;

/** One version of a service that streams can use, and what is counted of it. */
public final class RunningService {
    /** Reasons of drops that are counted apart; those after them share one counter, so that a service cannot fill the memory. */
    private static final int REASONS = 16;
    private static final String OTHER_REASONS = "other";
    private static final int IDLE_SECONDS = 30;

    private final int typeId;
    private final Level level;
    private final ActiveService service;
    private final ServiceContext context;
    private final ExecutorService threads;
    private final AtomicInteger streams = new AtomicInteger();
    private final LongAdder streamsTotal = new LongAdder();
    private final LongAdder packets = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final Map<String, LongAdder> drops = new ConcurrentHashMap<>();

    /** @param heavyThreads threads for a heavy service; its streams queue behind them, each in order */
    public RunningService(int typeId, Level level, ActiveService service, ServiceContext context, int heavyThreads) {
        this.typeId = typeId;
        this.level = level;
        this.service = service;
        this.context = context;
        this.threads = level == Level.HEAVY ? heavyPool(context.name(), heavyThreads) : null;
    }

    /** As many threads as allowed, none of them kept when there is nothing to do. A stream waits in the queue at most once. */
    private static ExecutorService heavyPool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("tamanoir-" + name, true));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    public int typeId() {
        return typeId;
    }

    public String name() {
        return context.name();
    }

    public String version() {
        return context.version();
    }

    public Level level() {
        return level;
    }

    public ActiveService service() {
        return service;
    }

    public ServiceContext context() {
        return context;
    }

    /** The threads of a heavy service; null for the others. */
    public ExecutorService threads() {
        return threads;
    }

    /** A stream begins to use it. */
    public void opened() {
        streams.incrementAndGet();
        streamsTotal.increment();
    }

    /** A stream has ended. */
    public void closed() {
        streams.decrementAndGet();
    }

    public void packets(long count) {
        packets.add(count);
    }

    public void error() {
        errors.increment();
    }

    public void dropped(Verdict verdict) {
        String reason = verdict.reason() == null ? OTHER_REASONS : verdict.reason();
        LongAdder counter = drops.get(reason);
        if (counter == null) {
            counter = drops.computeIfAbsent(drops.size() < REASONS ? reason : OTHER_REASONS, unused -> new LongAdder());
        }
        counter.increment();
    }

    public int streams() {
        return streams.get();
    }

    public long streamsTotal() {
        return streamsTotal.sum();
    }

    public long packets() {
        return packets.sum();
    }

    public long errors() {
        return errors.sum();
    }

    /** Dropped packets by reason. */
    public Map<String, Long> drops() {
        Map<String, Long> counts = new TreeMap<>();
        drops.forEach((reason, counter) -> counts.put(reason, counter.sum()));
        return counts;
    }

    /**
     * Ends its threads, and waits for what is under way on them; the service itself is stopped by whoever started it. The watch must
     * still be there: it stops what does not return.
     *
     * @return whether they have ended
     */
    public boolean close(Duration patience) throws InterruptedException {
        if (threads == null) {
            return true;
        }
        threads.shutdown();
        return threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public String toString() {
        return name() + " " + version() + " (" + Anep.typeName(typeId) + ")";
    }
}
