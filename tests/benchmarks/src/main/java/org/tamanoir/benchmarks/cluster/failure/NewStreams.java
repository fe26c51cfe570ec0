package org.tamanoir.benchmarks.cluster.failure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.tamanoir.benchmarks.process.Pause;

/** Opens a stream every {@value #EVERY_MILLIS} ms, whatever became of those before, asks once, and ends it. */
final class NewStreams implements AutoCloseable {
    static final int EVERY_MILLIS = 50;
    private static final int POLL_MILLIS = 20;
    /** That wait at a time. More would be a cluster that has been dead for longer than any stream waits. */
    private static final int MOST = 200;

    private final Callable<Question> opening;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> Question.thread("new streams", task));
    private final ExecutorService streams = Executors.newCachedThreadPool(task -> Question.thread("new stream", task));
    private final BlockingQueue<Attempt> attempts = new LinkedBlockingQueue<>();
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    NewStreams(Callable<Question> opening) {
        this.opening = opening;
        clock.scheduleAtFixedRate(this::next, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void next() {
        long begun = System.nanoTime();
        if (underWay.size() >= MOST) {
            attempts.add(new Attempt(begun, begun, 0, MOST + " streams wait"));
            return;
        }
        underWay.add(begun);
        streams.execute(() -> {
            attempts.add(attempt(begun));
            underWay.remove(begun);
        });
    }

    private Attempt attempt(long begun) {
        try (Question question = opening.call()) {
            int backEnd = question.ask();
            return new Attempt(begun, System.nanoTime(), backEnd, null);
        } catch (Exception e) {
            return new Attempt(begun, System.nanoTime(), 0, (e instanceof IOException ? "" : "cannot be tried: ") + e);
        }
    }

    /** Those that have ended since it was asked last; waits for the end of all that have begun by now. */
    List<Attempt> take() {
        long now = System.nanoTime();
        while (underWay.stream().anyMatch(begun -> begun - now < 0)) {
            Pause.millis(POLL_MILLIS);
        }
        List<Attempt> taken = new ArrayList<>();
        attempts.drainTo(taken);
        return taken;
    }

    @Override
    public void close() {
        clock.shutdownNow();
        streams.shutdownNow();
    }
}
