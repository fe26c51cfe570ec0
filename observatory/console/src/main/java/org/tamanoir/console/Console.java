package org.tamanoir.console;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.board.Board;
import org.tamanoir.console.board.Board.Frame;
import org.tamanoir.console.board.History;
import org.tamanoir.console.board.Rates;
import org.tamanoir.http.EventStream;

/** Looks at something again and again, on a thread of its own, and tells its readers what has changed. For any thread. */
public final class Console implements AutoCloseable {
    /** Of two looks. */
    public static final long PERIOD_MILLIS = 500;
    /** Readers at once; a browser has one. */
    static final int MOST_READERS = 64;
    private static final Logger LOG = LoggerFactory.getLogger(Console.class);

    private final Supplier<Map<String, Map<String, Object>>> source;
    private final Board board = new Board(System.currentTimeMillis());
    private final History history;
    private final Rates rates = new Rates();
    private final Set<EventStream> readers = ConcurrentHashMap.newKeySet();
    private final Thread thread = new Thread(this::run, "tamanoir-console");
    private boolean failed;

    /**
     * @param source what there is to be seen, by key; called on the thread of this
     * @param history of the last minutes
     */
    public Console(Supplier<Map<String, Map<String, Object>>> source, History history) {
        this.source = source;
        this.history = history;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                long began = System.nanoTime();
                look();
                TimeUnit.NANOSECONDS.sleep(TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS) - (System.nanoTime() - began));
            }
        } catch (InterruptedException e) {
            // It closes.
        }
    }

    private void look() {
        try {
            Map<String, Map<String, Object>> entries = source.get();
            // A reader that comes in between has either seen these frames or gets them from the board.
            synchronized (readers) {
                long now = System.currentTimeMillis();
                List<Frame> frames = board.show(now, entries);
                rates.add(now, entries);
                history.add(frames, board::all);
                frames.forEach(frame -> readers.forEach(reader -> reader.send("frame", frame.json())));
            }
            failed = false;
        } catch (RejectedExecutionException e) {
            // What is looked at closes before this does.
            LOG.debug("nothing more is to be seen", e);
        } catch (RuntimeException e) {
            if (!failed) {
                LOG.warn("the console cannot look", e);
            }
            failed = true;
        }
    }

    /** What there is now, and the frames. */
    Board board() {
        return board;
    }

    History history() {
        return history;
    }

    Rates rates() {
        return rates;
    }

    /**
     * Sends the frames after a number, and those to come. Where they are forgotten there is one event, {@code lost}, and no more.
     *
     * @throws AnepException EE-410 if there are too many readers
     */
    void read(long since, EventStream reader) {
        synchronized (readers) {
            List<Frame> missed = board.since(since);
            if (missed == null) {
                reader.send("lost", "{}");
                reader.close();
                return;
            }
            missed.forEach(frame -> reader.send("frame", frame.json()));
            readers.add(reader);
        }
        reader.onClose(() -> readers.remove(reader));
    }

    /** @throws AnepException EE-410 */
    void checkReaders() {
        if (readers.size() >= MOST_READERS) {
            throw new AnepException(ErrorCode.BUSY, MOST_READERS + " readers watch already");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(PERIOD_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        readers.forEach(EventStream::close);
    }
}
