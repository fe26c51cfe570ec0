package org.tamanoir.observatory.publish;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.observatory.store.Samples;
import org.tamanoir.paths.wire.SampleLine;

/**
 * Gives every sample that is kept to somebody else, in order and at least once. The database says how far it has come: whoever is away for an hour gets that hour later,
 * and nothing is held in memory for him. It begins with what is kept after it was named first.
 */
public final class Publication implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Publication.class);
    private static final int AT_ONCE = 500;
    private static final long LOOK_MILLIS = 500;
    private static final long AGAIN_MILLIS = 5_000;

    /** Where samples go. */
    public interface Sink {
        /** How it is remembered, and shown. */
        String name();

        /** Takes them, all or with an exception: then they come again. */
        void put(List<SampleLine> lines) throws IOException;
    }

    private final Samples samples;
    private final Sink sink;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;
    private volatile long published;
    private volatile String problem;

    public Publication(Samples samples, Sink sink) {
        this.samples = samples;
        this.sink = sink;
        this.published = samples.published(sink.name());
        this.thread = new Thread(this::run, "observatory-publication");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!stop.await(step(), TimeUnit.MILLISECONDS)) {
                continue;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return milliseconds until the next one */
    private long step() {
        try {
            long last = samples.last();
            if (last <= published) {
                return LOOK_MILLIS;
            }
            List<Samples.Kept> next = samples.after(published, AT_ONCE);
            if (!next.isEmpty()) {
                sink.put(next.stream().map(Samples.Kept::line).toList());
                samples.setPublished(sink.name(), next.get(next.size() - 1).seq());
            }
            // A line that came again has used a number up.
            published = Math.max(next.isEmpty() ? 0 : next.get(next.size() - 1).seq(), next.size() < AT_ONCE ? last : published);
            if (problem != null) {
                LOG.info("{} takes samples again", sink.name());
            }
            problem = null;
            return next.size() < AT_ONCE ? LOOK_MILLIS : 0;
        } catch (IOException e) {
            say(AnepException.reason(e), null);
        } catch (AnepException e) {
            say(e.getMessage(), null);
        } catch (RuntimeException e) {
            say(e.toString(), e);
        }
        return AGAIN_MILLIS;
    }

    private void say(String found, RuntimeException defect) {
        if (!found.equals(problem)) {
            LOG.warn("{} does not take samples: {}", sink.name(), found, defect);
        }
        problem = found;
    }

    public String name() {
        return sink.name();
    }

    /** Samples that it has not given yet; some of the numbers may be none. */
    public long behind() {
        return Math.max(0, samples.last() - published);
    }

    /** Why it goes on no further; null if it does. */
    public String problem() {
        return problem;
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
