package org.tamanoir.repository.store.registry;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.repository.store.Entry;

/**
 * Looks now and then what a registry has of what is published: some at a time, one after the other, all of them in the end. While something is wrong it looks more often, at that. One
 * thread.
 */
final class RegistryTidy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryTidy.class);
    /** Looked at at a time: two requests each. */
    private static final int SOME = 100;
    private static final int OFTEN = 20;
    private static final long CLOSE_SECONDS = 5;

    private final RegistryBundles bundles;
    private final Duration every;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "repository-registry");
    private int next;

    RegistryTidy(RegistryBundles bundles, Duration every) {
        this.bundles = bundles;
        this.every = every;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        int rounds = 0;
        do {
            try {
                boolean isWrong = !bundles.isWell() || !bundles.damaged().isEmpty();
                if (rounds++ % OFTEN == 0) {
                    look(some());
                } else if (isWrong) {
                    look(wrong());
                }
            } catch (AnepException e) {
                LOG.debug("the registry cannot be looked at now", e);
            } catch (IOException | RuntimeException e) {
                LOG.error("the look at the registry has failed; it goes on", e);
            }
        } while (!isClosedWithin(every.dividedBy(OFTEN)));
    }

    /** What is retired may have been removed for a reason: nobody puts it back. */
    private List<Entry> published() {
        return bundles.published().stream().filter(entry -> !entry.retired()).toList();
    }

    /** The next ones of all. */
    private List<Entry> some() {
        List<Entry> all = published();
        next = next >= all.size() ? 0 : next;
        List<Entry> some = all.subList(next, Math.min(all.size(), next + SOME));
        next += SOME;
        return some;
    }

    /** Those that are damaged; if none is, any one, to see whether the registry answers. */
    private List<Entry> wrong() {
        List<Entry> damaged = published().stream().filter(entry -> bundles.isDamaged(entry.sha256())).limit(SOME).toList();
        return damaged.isEmpty() ? published().stream().limit(1).toList() : damaged;
    }

    private void look(List<Entry> entries) throws IOException {
        for (Entry entry : entries) {
            if (closed.getCount() == 0) {
                return;
            }
            bundles.look(entry);
        }
    }

    private boolean isClosedWithin(Duration time) {
        try {
            return closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
