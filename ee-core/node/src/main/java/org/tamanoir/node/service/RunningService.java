package org.tamanoir.node.service;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.kernel.ThreadScheduling;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.node.service.Declaration.Resume;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Verdict;
import org.tamanoir.wasm.stream.ModuleService;

/** One version of a service that streams can use, and what is counted of it. */
public final class RunningService {
    /** Reasons of drops that are counted apart; those after them share one counter, so that a service cannot fill the memory. */
    private static final int REASONS = 16;
    private static final String OTHER_REASONS = "other";
    private static final int IDLE_SECONDS = 30;
    private static final Duration MODULE_PATIENCE = Duration.ofSeconds(60);
    private static final int RETIRED = Integer.MIN_VALUE;

    private final int typeId;
    private final Level level;
    private final ActiveService service;
    /** The same if its code is a module in WebAssembly; null for Java. */
    private final ModuleService module;
    private final ServiceContext context;
    private final ServicePolicy policy;
    private final Declaration declared;
    private final ExecutorService threads;
    private final Circuit circuit;
    /** Streams, handlers of links and partners that use it; {@link #RETIRED} when none will again. */
    private final AtomicInteger uses = new AtomicInteger();
    /** Of them, those that are no streams. */
    private final AtomicInteger others = new AtomicInteger();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong queued = new AtomicLong();
    private volatile BiConsumer<RunningService, AnepException> onFailure = (service, why) -> { };
    private volatile Consumer<RunningService> onTrip = service -> { };
    private volatile String source;
    private volatile long cameAt;
    private final LongAdder streamsTotal = new LongAdder();
    private final LongAdder packets = new LongAdder();
    private volatile LongSupplier ruled = () -> 0;
    private final LongAdder errors = new LongAdder();
    private final Set<Object> handlers = ConcurrentHashMap.newKeySet();
    private volatile Supplier<Set<Class<?>>> classes = Set::of;
    private volatile ServiceThreads.Origin origin;
    private volatile long heapBytes;
    private volatile AnepException cut;
    private final Map<String, LongAdder> drops = new ConcurrentHashMap<>();
    private final WorkerCounts workers = new WorkerCounts();

    /** @param heavyThreads threads for a heavy service; its streams queue behind them, each in order */
    public RunningService(int typeId, Level level, ActiveService service, ServiceContext context, int heavyThreads, ServicePolicy policy) {
        this(typeId, level, service, context, heavyThreads, policy, Declaration.PRESET);
    }

    /** The same for one whose bundle says more of it. */
    public RunningService(int typeId, Level level, ActiveService service, ServiceContext context, int heavyThreads, ServicePolicy policy,
                          Declaration declared) {
        this.declared = declared;
        this.typeId = typeId;
        this.level = level;
        this.service = service;
        this.module = service instanceof ModuleService itself ? itself : null;
        this.context = context;
        this.policy = policy;
        this.circuit = new Circuit(policy.failures(), policy.window().toNanos());
        this.threads = level == Level.HEAVY ? heavyPool(context.name(), heavyThreads, module != null) : null;
        madeBy(new ServiceThreads.Origin(policy.threads()));
    }

    /**
     * As many threads as allowed, none of them kept when there is nothing to do. A stream waits in the queue at most once. The queue has no lock, which a
     * thread that stands back could hold while an event loop waits for it.
     *
     * @param standBack whether they get little time where others want it too
     */
    private static ExecutorService heavyPool(String name, int threads, boolean standBack) {
        ThreadFactory factory = new DefaultThreadFactory("tamanoir-" + name, true);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedTransferQueue<>(),
                standBack ? body -> factory.newThread(() -> standBack(body)) : factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static void standBack(Runnable body) {
        ThreadScheduling.standBack();
        body.run();
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

    /** Its bundle is here. @param from as in {@link ServiceStatus} */
    public void cameFrom(String from) {
        cameAt = System.nanoTime();
        source = from;
    }

    /** Where its bundle came from, if it has come since a time of {@link System#nanoTime}; otherwise null. */
    public String sourceSince(long nanos) {
        String from = source;
        return from == null || cameAt - nanos < 0 ? null : from;
    }

    /** Which streams must come to the same node where there are several behind one address. */
    public Affinity affinity() {
        return declared.affinity();
    }

    /** Whether a stream through it can go on by other nodes. */
    public boolean resumes() {
        return declared.resume() != Resume.NONE;
    }

    /** Whether what it knows of a stream travels with it. */
    public boolean hasCheckpoints() {
        return declared.resume() == Resume.CHECKPOINT;
    }

    /** What its bundle says. */
    Declaration declared() {
        return declared;
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

    public ServicePolicy policy() {
        return policy;
    }

    /**
     * How long one call of it may take by the clock on the wall. What a call of a module may take is counted in processor time, by its engine: on the wall
     * its threads also wait for a processor.
     */
    Duration patience() {
        return module == null ? policy.timeout() : MODULE_PATIENCE;
    }

    /** Names who is told of a failed stream, and who when there are too many of them. */
    public void watchedBy(BiConsumer<RunningService, AnepException> failure, Consumer<RunningService> trip) {
        onFailure = failure;
        onTrip = trip;
    }

    /**
     * A stream begins to use it; {@link #closed} must follow.
     *
     * @return false if it is retired: ask for the service again
     * @throws AnepException EE-309 if it has as many streams as it may
     */
    public boolean open() {
        while (true) {
            int now = uses.get();
            if (now < 0) {
                return false;
            }
            if (now - others.get() >= policy.streams()) {
                throw new AnepException(ErrorCode.SERVICE_LIMIT, this + " has " + streams() + " streams and may have no more");
            }
            if (uses.compareAndSet(now, now + 1)) {
                streamsTotal.increment();
                return true;
            }
        }
    }

    /** A stream has ended. */
    public void closed() {
        uses.decrementAndGet();
    }

    /**
     * A handler of links begins to use it; {@link #closedLinks} must follow.
     *
     * @return false if it is retired
     */
    public boolean openLinks() {
        return openOther();
    }

    private boolean openOther() {
        for (int now = uses.get(); now >= 0; now = uses.get()) {
            if (uses.compareAndSet(now, now + 1)) {
                others.incrementAndGet();
                return true;
            }
        }
        return false;
    }

    /** A handler of links is closed. */
    public void closedLinks() {
        closedOther();
    }

    private void closedOther() {
        others.decrementAndGet();
        uses.decrementAndGet();
    }

    /**
     * Other services may be in the middle of a call of it; {@link #closedPartner} must follow.
     *
     * @return false if it is retired
     */
    public boolean openPartner() {
        return openOther();
    }

    /** No other service is in a call of it any more. */
    public void closedPartner() {
        closedOther();
    }

    /** Retires it if nothing uses it: nothing can open it from then on. */
    public boolean retire() {
        return uses.compareAndSet(0, RETIRED) || uses.get() == RETIRED;
    }

    /** A defect of the service has cost a stream; see {@link Circuit}. */
    public void failed(AnepException why) {
        onFailure.accept(this, why);
        if (circuit.failed(System.nanoTime())) {
            onTrip.accept(this);
        }
    }

    /** Octets that wait for its threads have become more or less; returns whether there are more than may be. */
    public boolean queued(long change) {
        return queued.addAndGet(change) > policy.queueBytes();
    }

    public long queuedBytes() {
        return queued.get();
    }

    /**
     * It keeps octets of packets, or gives them back.
     *
     * @throws AnepException EE-309 if it would keep more than it may; nothing is counted then
     */
    void hold(long change) {
        if (held.addAndGet(change) > policy.memoryBytes() && change > 0) {
            held.addAndGet(-change);
            throw new AnepException(ErrorCode.SERVICE_LIMIT, this + " holds " + held.get() + " octets of packets and may hold "
                    + policy.memoryBytes());
        }
    }

    /** Octets of packets that it keeps. */
    public long heldBytes() {
        return held.get();
    }

    /** A handler of it is open, and holds what it holds for the service; {@link #lets} must follow. */
    public void has(Object handler) {
        handlers.add(handler);
    }

    public void lets(Object handler) {
        handlers.remove(handler);
    }

    /** Its bundle has loaded these classes. */
    public void loads(Supplier<Set<Class<?>>> loaded) {
        classes = loaded;
    }

    /** Measures what it holds of the heap, to {@code most} octets. */
    long measureHeap(HeldHeap heap, long most) {
        if (module != null) {
            heapBytes = module.memoryBytes();
            return heapBytes;
        }
        List<Object> roots = new ArrayList<>(handlers);
        roots.add(service);
        heapBytes = heap.of(roots, classes.get(), service.getClass().getClassLoader(), most);
        return heapBytes;
    }

    /** Octets of the heap that it held when they were last measured, with the heap two fifths full or fuller. 0 before. */
    public long heapBytes() {
        return heapBytes;
    }

    /** It is called no more: its streams end with this error. */
    void cut(AnepException why) {
        cut = why;
    }

    /** Why it is called no more; null if it is. */
    public AnepException cut() {
        return cut;
    }

    ServiceThreads.Origin origin() {
        return origin;
    }

    /** Threads that were made while it started are its own. */
    void madeBy(ServiceThreads.Origin start) {
        start.is(this);
        origin = start;
    }

    /** For packets that its handlers keep. */
    public Packet.Keeper keeper() {
        return this::hold;
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
        return Math.max(0, uses.get() - others.get());
    }

    public long streamsTotal() {
        return streamsTotal.sum();
    }

    /** Packets that it has seen, and those that its rules have dealt with in its place. */
    public long packets() {
        return packets.sum() + ruled.getAsLong();
    }

    /** Packets that its handlers have seen. */
    public long packetsOfHandlers() {
        return packets.sum();
    }

    /** Names who says how many packets its rules have dealt with since streams get this version. */
    public void ruledBy(LongSupplier count) {
        ruled = count;
    }

    public long errors() {
        return errors.sum();
    }

    /** Programs that run for it. */
    public WorkerCounts workers() {
        return workers;
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

    /**
     * Counts the failures of one running service and says when there are too many. No clock of its own.
     *
     * <p>A failure is a defect of the service: an error that it throws, a call that does not return, a limit that it breaks. What it refuses
     * with a code, such as a payload that cannot be restored, is none: otherwise a sender could open the circuit for everybody.
     */
    static final class Circuit {
        private final int most;
        private final long windowNanos;
        private final long[] times;
        private int next;
        private long count;
        private boolean open;

        Circuit(int most, long windowNanos) {
            this.most = most;
            this.windowNanos = windowNanos;
            this.times = new long[most];
        }

        /** Counts one failure; true exactly once, for the one that opens the circuit. */
        synchronized boolean failed(long now) {
            times[next] = now;
            next = (next + 1) % most;
            count++;
            // The slot that comes next holds the oldest of the last `most` failures.
            if (open || count < most || now - times[next] > windowNanos) {
                return false;
            }
            open = true;
            return true;
        }
    }
}
