package org.tamanoir.transfer.daemon;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.copy.CopyOptions;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.copy.Place;
import org.tamanoir.transfer.copy.Plan;
import org.tamanoir.transfer.copy.ThirdParty;
import org.tamanoir.transfer.queue.Admission;
import org.tamanoir.transfer.queue.Forecast;
import org.tamanoir.transfer.queue.Hold;
import org.tamanoir.transfer.queue.RetryPolicy;
import org.tamanoir.transfer.queue.Transfer;
import org.tamanoir.transfer.queue.Transfer.State;
import org.tamanoir.transfer.queue.TransferQueue;
import org.tamanoir.transfer.queue.TransferRequest;

/** Has movers copy what its queue says, and keeps what has become of it. */
public final class TransferDaemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransferDaemon.class);
    private static final long TICK_MILLIS = 1_000;
    /** Between two looks at what waits, if nothing else has happened. */
    private static final int TICKS_A_LOOK = 5;
    /** For a look at the sources when a transfer is submitted. */
    private static final Duration LOOK = Duration.ofSeconds(5);
    /** For an attempt that is under way to end with the queue. */
    private static final long LAST_MILLIS = 3_000;
    /** Those that are over and remembered. */
    private static final int MOST_OVER = 1_000;

    private final DaemonOptions options;
    private final TransferStore store;
    private final TamanoirClient client;
    private final TransferQueue queue;
    private final Links links;
    private final String name;
    private final Map<String, Running> running = new HashMap<>();
    /** What could not be kept yet. */
    private final Set<String> unkept = new LinkedHashSet<>();
    /** Of attempts; changed by one thread at a time, and by none when it is closing. */
    private final List<Thread> threads = new ArrayList<>();
    private final Thread watch = new Thread(this::watch, "transfers");
    private int last;
    private long measuredNanos = System.nanoTime();
    private boolean closing;
    private long octets;
    private long failedAttempts;
    private long late;
    private final Map<State, Long> over = new HashMap<>();

    /** What is known of how far a transfer is. @param rate octets a second now */
    public record Progress(long files, long ofFiles, long octets, long moved, long resumed, double rate) {
        /** Seconds until it is complete; -1 if that is not known. */
        public double secondsLeft() {
            return octets == 0 || rate <= 0 ? -1 : Math.max(0, octets - moved - resumed) / rate;
        }
    }

    /** A transfer with all that is known of it now. @param progress null if it does not run @param hold null if nothing keeps it @param forecast null if nothing can be said */
    public record View(Transfer transfer, Progress progress, Hold hold, Forecast.Answer forecast) {
    }

    /** One that was taken. @param forecast null if nothing can be said */
    public record Submitted(Transfer transfer, Forecast.Answer forecast) {
    }

    /** Counters since it was started, and how many transfers are in which state. */
    public record Status(Map<State, Long> transfers, long octets, long failedAttempts, long late, Map<State, Long> over) {
    }

    /** Goes on with what is in its store. @throws AnepException EE-813 if that cannot be read; EE-783, EE-785 of a database */
    public TransferDaemon(DaemonOptions options) {
        this.options = options;
        this.store = TransferStore.open(options);
        this.client = new TamanoirClient().token(options.bearer()).tls(options.tls());
        this.name = store.name();
        this.links = new Links(store);
        this.queue = new TransferQueue(options.limits(), options.retries(), store.transfers(), now());
        this.last = queue.all().stream().mapToInt(Transfer::number).max().orElse(0);
        watch.setDaemon(true);
        watch.start();
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    private static List<Place> places(TransferRequest request) {
        return request.sources().stream().map(Place::parse).toList();
    }

    /**
     * Takes a transfer; it is on the disk when this returns.
     *
     * @param anyway also if its time cannot be met
     * @throws AnepException EE-408, EE-108 for what makes no sense, EE-407 if a source is not there, EE-756 if its time cannot be met, EE-757 if there are too many,
     *     EE-813 if it cannot be kept
     */
    public Submitted submit(TransferRequest request, boolean anyway) {
        Requests.check(request, now());
        List<Place> sources = places(request);
        long size = sizeOf(request, sources);
        synchronized (this) {
            if (closing) {
                throw new AnepException(ErrorCode.STOPPING, "the queue stops");
            }
            if (queue.open().size() >= options.mostOpen()) {
                throw new AnepException(ErrorCode.QUEUE_FULL, options.mostOpen() + " transfers are in the queue, which is the most");
            }
            long now = now();
            Transfer transfer = Transfer.of("t-" + (last + 1), request, sources.get(0).site(), Place.parse(request.destination()).site(), size, now, request.isTimed());
            Forecast.Answer forecast = null;
            if (request.isTimed()) {
                Admission.Verdict verdict = admission().judge(transfer, now);
                forecast = verdict.forecast();
                if (!verdict.isGranted() && !anyway) {
                    throw new AnepException(ErrorCode.DEADLINE_NOT_MET, Words.refusal(transfer, verdict));
                }
                if (!verdict.isGranted()) {
                    transfer = Transfer.of(transfer.id(), request, transfer.from(), transfer.to(), size, now, false);
                }
            }
            store.keep(List.of(transfer));
            last++;
            queue.put(transfer);
            begin();
            return new Submitted(queue.get(transfer.id()), forecast);
        }
    }

    /** Octets of the sources; -1 if their mover does not say in time, which need not keep anybody from submitting. */
    private long sizeOf(TransferRequest request, List<Place> sources) {
        try {
            return Plan.octetsOf(sources, asking(request, sources.get(0), LOOK), client);
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.BAD_REQUEST) {
                throw e;
            }
            LOG.info("the sources of a transfer could not be looked at: {}", e.getMessage());
            return -1;
        }
    }

    /** How a mover is asked. */
    private CopyOptions asking(TransferRequest request, Place mover, Duration patience) {
        return CopyOptions.PRESET.by(options.via(), List.of("forward")).token(options.tokens().apply(mover)).files(request.include(), request.exclude(), false).patience(patience);
    }

    private Admission admission() {
        return new Admission(queue, links.histories(), this::left);
    }

    private long left(Transfer transfer) {
        Running one = running.get(transfer.id());
        var progress = one == null ? null : one.progress();
        return progress != null && progress.octets() > 0 ? Math.max(0, progress.octets() - progress.moved() - progress.resumed()) : transfer.octets();
    }

    private void watch() {
        int ticks = 0;
        try {
            while (true) {
                synchronized (this) {
                    if (closing) {
                        return;
                    }
                    measure();
                    keepUnkept();
                    long next = queue.nextAttempt();
                    boolean look = ticks++ % TICKS_A_LOOK == 0;
                    if (look) {
                        check();
                    }
                    if (look || next >= 0 && next <= now()) {
                        begin();
                    }
                    wait(TICK_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void check() {
        try {
            store.check();
        } catch (AnepException e) {
            LOG.warn("what happens cannot be kept now: {}", e.getMessage());
        }
    }

    private void measure() {
        long nanos = System.nanoTime();
        double seconds = (nanos - measuredNanos) / 1e9;
        measuredNanos = nanos;
        running.forEach((id, one) -> {
            count(one, one.look(one.progress().moved(), seconds));
            need(queue.get(id), one);
        });
    }

    private void count(Running one, long more) {
        links.moved(one.link(), more);
        octets += more;
    }

    /** Asks the nodes for more where a promise is in danger. */
    private void need(Transfer transfer, Running one) {
        long more = transfer.promised() ? one.lacks(transfer.request(), left(transfer), now()) : 0;
        if (more == 0) {
            return;
        }
        LOG.info("{} needs {} octets a second", transfer.id(), more);
        Thread asks = new Thread(() -> {
            try {
                one.need(more);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "transfer need");
        asks.setDaemon(true);
        asks.start();
    }

    private synchronized void begin() {
        if (closing) {
            return;
        }
        long now = now();
        Map<String, Transfer> before = new HashMap<>();
        queue.waiting(now).forEach(one -> before.put(one.id(), one));
        Admission admission = admission();
        List<Transfer> begun = queue.start(now, one -> admission.harmedBy(one, now));
        if (begun.isEmpty()) {
            return;
        }
        try {
            store.keep(begun);
        } catch (AnepException e) {
            LOG.error("nothing is begun: {}", e.getMessage());
            begun.forEach(one -> queue.put(before.get(one.id())));
            return;
        }
        begun.forEach(this::run);
    }

    private void run(Transfer transfer) {
        TransferRequest asked = transfer.request();
        ThirdParty party;
        try {
            List<Place> sources = places(asked);
            Place destination = Place.parse(asked.destination());
            CopyOptions how = CopyOptions.PRESET.by(asked.via().stream().map(NodeAddress::parse).toList(), asked.services()).token(options.tokens().apply(destination))
                    .streams(asked.streams(), asked.extent()).files(asked.include(), asked.exclude(), asked.update()).sha256(asked.sha256()).rate(asked.steady() ? asked.rate() : 0)
                    .patience(options.patience());
            party = new ThirdParty(name + "-" + transfer.id(), sources, destination, how, options.tokens().apply(sources.get(0)), options.via(), client);
        } catch (AnepException e) {
            over(transfer.id(), null, e);
            return;
        }
        running.put(transfer.id(), new Running(party, transfer.link(), links.octets(transfer.link())));
        LOG.info("{}: attempt {} begins, from {} to {}", transfer.id(), transfer.attempts().size() + 1, transfer.from(), transfer.to());
        Thread thread = new Thread(() -> copy(transfer.id(), party), "transfer " + transfer.id());
        thread.setDaemon(true);
        threads.removeIf(one -> one.getState() == Thread.State.TERMINATED);
        threads.add(thread);
        thread.start();
    }

    private void copy(String id, ThirdParty party) {
        try (party) {
            over(id, party.run(), null);
        } catch (AnepException e) {
            over(id, null, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("{} has failed", id, e);
            over(id, null, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        }
    }

    /** An attempt is over. @param report null if it was ended @param why null if it was not */
    private synchronized void over(String id, CopyReport report, AnepException why) {
        Running one = running.remove(id);
        Transfer transfer = queue.get(id);
        if (closing || transfer.state() != State.RUNNING) {
            return;
        }
        long now = now();
        long moved = report != null ? report.moved() : one == null ? 0 : one.progress().moved();
        if (one != null) {
            count(one, one.more(moved));
            if (!transfer.request().steady()) {
                links.learn(one, moved);
            }
        }
        if (one != null && transfer.octets() < 0 && one.progress().octets() > 0) {
            queue.sized(id, one.progress().octets());
        }
        Transfer changed;
        if (report != null && report.failures() == 0) {
            changed = queue.done(id, report, now);
        } else {
            failedAttempts++;
            ErrorCode code = why != null ? why.code() : code(report);
            changed = queue.failed(id, code, why != null ? why.getMessage() : reason(report), moved, report, now);
            LOG.info("{}: {}", id, changed.reason());
        }
        keep(changed);
        ended(changed);
        begin();
    }

    /** What is to be done about files that were not copied: what another attempt may change goes before what it does not. */
    private static ErrorCode code(CopyReport report) {
        ErrorCode first = ErrorCode.COPY_INCOMPLETE;
        for (CopyReport.Failure failure : report.failed()) {
            first = failure.thrown().code();
            if (!RetryPolicy.isForGood(first)) {
                return first;
            }
        }
        return first;
    }

    private static String reason(CopyReport report) {
        CopyReport.Failure first = report.failed().get(0);
        return ErrorCode.COPY_INCOMPLETE + " " + report.failures() + " of " + (report.files() + report.failures()) + " files are not copied: " + first.path() + ": " + first.why();
    }

    /** Of what has happened; it is kept later if the disk does not let it now. */
    private void keep(Transfer changed) {
        unkept.add(changed.id());
        keepUnkept();
    }

    private void keepUnkept() {
        List<Transfer> all = unkept.stream().map(queue::get).filter(Objects::nonNull).toList();
        if (all.isEmpty()) {
            return;
        }
        try {
            store.keep(all);
            unkept.clear();
        } catch (AnepException e) {
            LOG.error("what has become of {} is not on the disk yet: {}", unkept, e.getMessage());
        }
    }

    private void ended(Transfer changed) {
        if (!changed.state().isOver()) {
            return;
        }
        over.merge(changed.state(), 1L, Long::sum);
        late += changed.request().by() > 0 && !(changed.state() == State.DONE && changed.since() <= changed.request().by()) ? 1 : 0;
        TransferRecord.write(changed, options.records());
        List<String> old = new ArrayList<>(queue.all().stream().filter(one -> one.state().isOver()).map(Transfer::id).toList());
        if (old.size() > MOST_OVER) {
            List<String> gone = old.subList(0, old.size() - MOST_OVER);
            gone.forEach(queue::remove);
            try {
                store.forget(gone);
            } catch (AnepException e) {
                LOG.warn("old transfers are not forgotten: {}", e.getMessage());
            }
        }
    }

    /** Ends a transfer; it is on the disk that it is over when this returns. @throws AnepException EE-755 if there is none, EE-758 if it is over already */
    public synchronized Transfer cancel(String id) {
        Transfer before = find(id);
        if (before.state().isOver()) {
            throw new AnepException(ErrorCode.TRANSFER_OVER, id + " is " + before.state().name().toLowerCase(Locale.ROOT) + " already");
        }
        Transfer cancelled = queue.cancel(id, now());
        try {
            store.keep(List.of(cancelled));
        } catch (AnepException e) {
            queue.put(before);
            throw e;
        }
        Running one = running.remove(id);
        if (one != null) {
            one.stop();
        }
        ended(cancelled);
        begin();
        return cancelled;
    }

    private Transfer find(String id) {
        Transfer found = queue.get(id);
        if (found == null) {
            throw new AnepException(ErrorCode.NO_TRANSFER, "there is no transfer " + id);
        }
        return found;
    }

    /** @throws AnepException EE-755 if there is none */
    public synchronized View view(String id) {
        Transfer found = find(id);
        return new View(found, progress(id), queue.hold(id), found.state().isOver() ? null : admission().forecasts(now()).get(id));
    }

    /** All, the oldest first; without what is expected of them. */
    public synchronized List<View> views() {
        return queue.all().stream().map(one -> new View(one, progress(one.id()), queue.hold(one.id()), null)).toList();
    }

    private Progress progress(String id) {
        Running one = running.get(id);
        if (one == null) {
            return null;
        }
        var now = one.progress();
        return new Progress(now.files(), now.ofFiles(), now.octets(), now.moved(), now.resumed(), one.rate());
    }

    public synchronized Status status() {
        Map<State, Long> states = new LinkedHashMap<>();
        for (State state : State.values()) {
            states.put(state, queue.all().stream().filter(one -> one.state() == state).count());
        }
        return new Status(states, octets, failedAttempts, late, Map.copyOf(over));
    }

    /** Ends the attempts that are under way; what they have brought stays, and they begin again when the queue does. */
    @Override
    public void close() {
        List<Running> left;
        synchronized (this) {
            closing = true;
            left = List.copyOf(running.values());
            notifyAll();
        }
        left.forEach(Running::stop);
        try {
            // Before the event loops: what opens a stream on one that has ended fails with noise.
            for (Thread thread : threads) {
                thread.join(LAST_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            keepUnkept();
        }
        client.close();
        store.close();
    }
}
