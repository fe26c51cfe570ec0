package org.tamanoir.transfer.copy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.copy.Plan.Task;
import org.tamanoir.transfer.plan.Dispatch;
import org.tamanoir.transfer.plan.StreamCount;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.Message;

/**
 * A copy under way: begins files, deals their pieces to {@link Worker}s, and gives a file its name when all of it is there. One thread, that of {@link #run}, talks
 * to the stores; the others carry octets.
 */
final class Copy {
    private static final Logger LOG = LoggerFactory.getLogger(Copy.class);
    /** Pieces that wait to be dealt; then no further file is begun. */
    private static final int MOST_WAITING = 2_000;
    /** A file has so many times what is under way, as long as extents are not smaller than the least; they cost a sync each, at worst. */
    private static final long PARTS = 64;
    private static final int LEAST = 512 << 10;
    /** Extents at the end of a file, for each stream, that go in parts, and in how many. */
    private static final int LAST_EXTENTS = 2;
    private static final int LAST_PARTS = 4;
    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final long TICK_MILLIS = 200;
    /** From one disk to another, or the same. */
    private static final int LOCAL_STREAMS = 2;
    private static final Duration LAST_WORDS = Duration.ofMillis(300);

    private final Plan plan;
    private final CopyOptions options;
    private final End destination;
    private final long started = System.nanoTime();
    private final int streams;
    private final AtomicLong moved = new AtomicLong();
    private final AtomicLong elsewhere = new AtomicLong();
    private final AtomicLong holes = new AtomicLong();
    private final StreamCount count;
    /** Directories that were made; of the thread of {@link #run}. */
    private final ArrayDeque<Task> made = new ArrayDeque<>();
    /** Written by the thread of {@link #run} alone. */
    private volatile boolean allBegun;

    // Guarded by this.
    private final Dispatch<Piece> dispatch = new Dispatch<>();
    private final ArrayDeque<FileJob> complete = new ArrayDeque<>();
    private final List<CopyReport.Failure> failed = new ArrayList<>();
    private int unfinished;
    private long failures;
    private long files;
    private long octets;
    private long resumed;
    private int lost;
    private int mostStreams;
    /** When something has moved, or is allowed to. */
    private long lastMoved = System.nanoTime();
    private AnepException lastLoss;
    private AnepException failure;
    private boolean over;
    private long paceNanos;

    Copy(Plan plan) {
        this.plan = plan;
        this.options = plan.options();
        this.destination = plan.destination();
        // As many for each machine of the wider end.
        this.streams = Math.min(CopyOptions.MOST_STREAMS, options.streams() * Math.max(plan.source().width(), destination.width()));
        this.count = new StreamCount(Math.min(plan.local() ? LOCAL_STREAMS : streams, plan.source().mostStreams()));
    }

    /** Copies everything. @throws AnepException what ended it before: EE-754 if nothing moved for its patience, what a mover says if it does not want it */
    CopyReport run() throws InterruptedException {
        List<Worker> workers = IntStream.range(0, streams).mapToObj(i -> new Worker(this, i, plan.source(), destination, options.piece())).toList();
        workers.forEach(Thread::start);
        boolean done = false;
        try {
            feed();
            done = true;
        } finally {
            end(workers, done ? LAST_WORDS : Duration.ZERO);
        }
        return report();
    }

    /** Ends the streams: those that are still at what another one has brought home, or at a copy that has failed, are not waited for. */
    private void end(List<Worker> workers, Duration patience) throws InterruptedException {
        synchronized (this) {
            over = true;
            notifyAll();
        }
        workers.stream().filter(worker -> !worker.isIdle()).forEach(Thread::interrupt);
        long end = System.nanoTime() + patience.toNanos();
        for (Worker worker : workers) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left > 0) {
                worker.join(left);
            }
        }
        workers.forEach(Thread::interrupt);
        for (Worker worker : workers) {
            worker.join();
        }
    }

    private void feed() throws InterruptedException {
        ArrayDeque<Task> tasks = new ArrayDeque<>(plan.tasks());
        long round = System.nanoTime();
        long movedBefore = 0;
        while (true) {
            FileJob ready;
            synchronized (this) {
                if (failure != null) {
                    throw failure;
                }
                ready = complete.poll();
                if (ready == null && tasks.isEmpty() && unfinished == 0) {
                    break;
                }
                if (ready == null && (tasks.isEmpty() || dispatch.waiting() > MOST_WAITING)) {
                    wait(TICK_MILLIS);
                }
            }
            if (ready != null) {
                commit(ready);
            } else if (!tasks.isEmpty() && room()) {
                begin(tasks.remove());
                allBegun = tasks.isEmpty();
            }
            if (System.nanoTime() - round > ROUND.toNanos()) {
                long now = System.nanoTime();
                long sum = movedOctets();
                round(now, sum - movedBefore, now - round);
                round = now;
                movedBefore = sum;
            }
        }
        while (!made.isEmpty()) {
            directory(made.pop(), true);
        }
    }

    /** Octets have gone over in so many nanoseconds. */
    private synchronized void round(long now, long more, long nanos) {
        count.round(more / (nanos / 1e9));
        if (more > 0) {
            movedAt(now);
        } else if (unfinished > 0 && now - lastMoved > options.patience().toNanos()) {
            failure = new AnepException(ErrorCode.COPY_STALLED, "nothing has moved for " + options.patience().toSeconds() + " s"
                    + (lastLoss == null ? "" : "; the last stream was lost by " + lastLoss.getMessage()), lastLoss);
        }
        notifyAll();
    }

    private synchronized void movedAt(long nanos) {
        lastMoved = Math.max(lastMoved, nanos);
    }

    /** Makes a directory, which fails alone. Those that were made get their marks in the end, those inside before those around them. */
    private void directory(Task task, boolean last) {
        try {
            destination.store().directory(task.directory(), task.stamp(), last);
            if (!last) {
                made.push(task);
            }
        } catch (Refusal e) {
            throw e;
        } catch (AnepException e) {
            note(task.directory(), e);
        }
    }

    private synchronized boolean room() {
        return dispatch.waiting() <= MOST_WAITING;
    }

    private void begin(Task task) {
        FileJob file = task.file();
        if (file == null) {
            directory(task, false);
            return;
        }
        synchronized (this) {
            unfinished++;
        }
        if (file.small) {
            add(file, 0, List.of(new Piece(file, file.stamp.size() == 0 ? null : new Extent(0, (int) file.stamp.size()))));
            return;
        }
        attempt(file, () -> {
            Store.Begun begun = destination.store().begin(file.to, file.stamp, piece(file));
            file.inode = begun.inode();
            add(file, begun.resumed(), tapered(begun.missing()).map(extent -> new Piece(file, extent)).toList());
        });
    }

    /** The last extents of each stream in parts, so that all are through at about the same time (C. D. Polychronopoulos and D. J. Kuck, "Guided self-scheduling", 1987). */
    private Stream<Extent> tapered(List<Extent> extents) {
        int last = Math.max(0, extents.size() - LAST_EXTENTS * streams);
        return Stream.concat(extents.subList(0, last).stream(), extents.subList(last, extents.size()).stream().flatMap(extent -> extent.parts(LAST_PARTS)));
    }

    /** Octets of an extent: what is under way in all streams, and is sent again when they are lost, is not much of a large file. */
    private int piece(FileJob file) {
        long part = file.stamp.size() / (PARTS * Worker.MOST_EXTENTS * streams) / Extent.SMALLEST * Extent.SMALLEST;
        return Math.min(options.piece(), (int) Math.max(LEAST, Math.min(Extent.LARGEST, part)));
    }

    private synchronized void add(FileJob file, long there, List<Piece> pieces) {
        resumed += there;
        file.left = pieces.size();
        pieces.forEach(piece -> dispatch.add(piece, piece.octets()));
        if (pieces.isEmpty()) {
            complete.add(file);
        }
        movedAt(System.nanoTime());
        notifyAll();
    }

    private void commit(FileJob file) {
        attempt(file, () -> {
            String sha256 = options.sha256() ? plan.source().store().digest(file.from, file.stamp) : null;
            String sum = sha256 == null ? plan.source().checksum(file) : sha256;
            if (file.small) {
                String there = destination.store().digest(file.to, file.stamp);
                if (!there.equals(sha256)) {
                    throw new AnepException(ErrorCode.NOT_IDENTICAL, "'" + file.to + "' has SHA-256 " + there + ", its source " + sha256);
                }
            } else {
                Store.Committed committed = destination.store().commit(file.to, file.stamp, sum);
                LOG.debug("{}: ADLER32 {}, SHA-256 {}", file.to, committed.adler(), committed.sha256());
            }
            home(file);
        });
    }

    private synchronized void home(FileJob file) {
        files++;
        octets += file.stamp.size();
        unfinished--;
    }

    /** Does something about a file, which fails alone, unless nobody can be asked any more. */
    private void attempt(FileJob file, Runnable what) {
        try {
            what.run();
        } catch (Refusal e) {
            throw e;
        } catch (AnepException e) {
            giveUp(file, e);
        }
    }

    private synchronized void giveUp(FileJob file, AnepException why) {
        file.failure = why;
        dispatch.drop(piece -> piece.file() == file);
        unfinished--;
        note(file.from, why);
        notifyAll();
    }

    private synchronized void note(String path, AnepException why) {
        LOG.info("{} is not copied: {}", path, why.getMessage());
        failures++;
        if (failed.size() < CopyReport.MOST_FAILURES) {
            failed.add(CopyReport.Failure.of(path, why));
        }
    }

    // What workers ask.

    /** Waits until there may be something to do for a stream. @param open whether it is there: it may take part in a race then @return false when it is over */
    synchronized boolean awaitWork(int number, boolean open) throws InterruptedException {
        do {
            if (!over && (number >= count.count() || dispatch.waiting() == 0)) {
                wait(TICK_MILLIS);
            }
        } while (!over && (number >= count.count() || dispatch.waiting() == 0 && !open));
        return !over;
    }

    /** The next piece for a stream; null if there is none for it now. @param life what the plan knows it by */
    synchronized Piece next(int number, int life) {
        if (over || number >= count.count()) {
            return null;
        }
        Piece piece = dispatch.next(life, System.nanoTime(), movedOctets());
        mostStreams = Math.max(mostStreams, number + 1);
        if (dispatch.waiting() == MOST_WAITING) {
            notifyAll();
        }
        return piece;
    }

    /** Whether less than a second of what all carry is left to be dealt. */
    synchronized boolean isEnding() {
        return allBegun && dispatch.isEnding();
    }

    synchronized boolean isWanted(Piece piece) {
        return dispatch.isOpen(piece);
    }

    synchronized void done(int stream, Piece piece) {
        long now = System.nanoTime();
        movedAt(now);
        if (!dispatch.done(stream, piece, now)) {
            return;
        }
        if (--piece.file().left == 0) {
            if (piece.file().small && !options.sha256()) {
                home(piece.file());
            } else {
                complete.add(piece.file());
            }
            notifyAll();
        }
    }

    /** A piece could not be copied; it is tried again if it has changed on its way, otherwise its file is given up. @param why null if it was not needed any more */
    synchronized void failed(int stream, Piece piece, AnepException why) {
        boolean needed = dispatch.isOpen(piece);
        dispatch.failed(stream, piece);
        FileJob file = piece.file();
        LOG.debug("{} from {}: {}", file.from, piece.extent(), why == null ? "not needed any more" : why.getMessage());
        if (why != null && needed && file.failure == null && !(why.code() == ErrorCode.EXTENT_DAMAGED && file.mayTryAgain(piece))) {
            giveUp(file, why);
        }
        notifyAll();
    }

    synchronized void lost(int stream, AnepException why) {
        dispatch.lost(stream);
        if (!over) {
            lost++;
            lastLoss = why;
        }
        notifyAll();
    }

    synchronized void fail(AnepException why) {
        failure = failure == null ? why : failure;
        notifyAll();
    }

    void moved(long more) {
        moved.addAndGet(more);
    }

    /** Octets have gone over to another machine of the destination. */
    void movedElsewhere(long more) {
        moved(more);
        elsewhere.addAndGet(more);
    }

    /** Octets that have come here, or gone from here. */
    long movedHere() {
        return moved.get() - elsewhere.get();
    }

    /** Octets that are holes need not go over. */
    void left(long more) {
        holes.addAndGet(more);
    }

    /** That went over, or did not need to. */
    long movedOctets() {
        return moved.get() + holes.get();
    }

    synchronized Message.Fetching progress() {
        return new Message.Fetching(files, plan.files(), plan.octets(), moved.get(), resumed);
    }

    /** Waits until so many octets may go. */
    void pace(int more) throws InterruptedException {
        if (options.rate() == 0) {
            return;
        }
        long now = System.nanoTime();
        long until;
        synchronized (this) {
            paceNanos = Math.max(paceNanos, now) + more * 1_000_000_000L / options.rate();
            until = paceNanos;
            movedAt(until);
        }
        TimeUnit.NANOSECONDS.sleep(until - now);
    }

    private synchronized CopyReport report() {
        LOG.debug("{} octets were raced", dispatch.racedOctets());
        return new CopyReport(files, plan.present(), plan.skipped(), octets, resumed, holes.get(), moved.get(), (System.nanoTime() - started) / 1e9, mostStreams, lost, failures, List.copyOf(failed));
    }
}
