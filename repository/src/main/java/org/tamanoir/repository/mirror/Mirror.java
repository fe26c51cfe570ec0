package org.tamanoir.repository.mirror;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.mirror.Index.Offer;
import org.tamanoir.repository.mirror.MirrorCore.Action;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.tuf.MetadataFiles;
import org.tamanoir.trust.Trust;

/** Keeps a store as its upstream is. One thread; closed before the store is. */
public final class Mirror implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Mirror.class);
    /** What is wrong with the way, not with the bundle. */
    private static final Set<ErrorCode> BROKEN = Set.of(ErrorCode.REPOSITORY_UNREACHABLE, ErrorCode.STORAGE);
    private static final long CLOSE_SECONDS = 10;
    private static final long ORIGIN = System.nanoTime();

    private final MirrorSettings settings;
    private final BundleStore store;
    private final Trust trust;
    private final Intake intake;
    private final Upstream upstream;
    private final MetadataCopy metadata;
    private final MirrorCore core;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "mirror");
    private volatile MirrorStatus status;
    private long trustRevision;
    private String lastProblem;
    private volatile String metadataProblem;
    private boolean asking;

    private Mirror(MirrorSettings settings, BundleStore store, MetadataFiles files, Trust trust) {
        this.settings = settings;
        this.store = store;
        this.trust = trust;
        this.intake = new Intake(store);
        this.upstream = new Upstream(settings);
        this.metadata = new MetadataCopy(settings, files, store.incoming());
        this.core = new MirrorCore(settings, new Random());
        this.status = core.status();
    }

    /**
     * Begins to follow an upstream, which need not be there.
     *
     * @param files where the TUF metadata of the upstream goes, if it has some
     * @param trust the one of the store: what it refused is tried again when its files change
     * @throws AnepException EE-503 if the data directory cannot be used
     */
    public static Mirror start(MirrorSettings settings, BundleStore store, MetadataFiles files, Trust trust) {
        Mirror mirror = new Mirror(settings, store, files, trust);
        try {
            mirror.intake.prepare();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory cannot be used: " + e.getMessage(), e);
        }
        mirror.thread.start();
        return mirror;
    }

    /** The URL of the upstream. */
    public String upstream() {
        return settings.upstream();
    }

    public MirrorStatus status() {
        return status;
    }

    /** Milliseconds of the clock of {@link MirrorStatus}. */
    public static long clock() {
        return (System.nanoTime() - ORIGIN) / 1_000_000;
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn) {
            try {
                Action action = core.next(clock(), store.catalogue(), store.damaged());
                status = core.status();
                say();
                goesOn = perform(action);
            } catch (InterruptedException e) {
                goesOn = false;
            } catch (AnepException e) {
                core.lookFailed(clock(), e);
            } catch (RuntimeException e) {
                LOG.error("the mirror has a defect; it goes on", e);
                core.lookFailed(clock(), new AnepException(ErrorCode.INTERNAL, e.toString(), e));
            }
        }
    }

    /** @return whether there is more to do */
    private boolean perform(Action action) throws InterruptedException {
        if (closed.getCount() == 0) {
            return false;
        }
        if (action instanceof Action.Look) {
            core.looked(clock(), ask(upstream::look).map(listing -> trust.takesGuests() ? listing : listing.withoutGuests()));
            lookAtTrust();
            copyMetadata();
        } else if (action instanceof Action.Fetch fetch) {
            fetch(fetch.offer());
        } else if (action instanceof Action.Republish republish) {
            republish(republish.offer());
        } else if (action instanceof Action.Retire retire) {
            store.retire(retire.offer().name(), retire.offer().version());
            LOG.info("{} is retired, as upstream", retire.offer());
        } else if (action instanceof Action.Rest rest) {
            return !closed.await(rest.millis(), TimeUnit.MILLISECONDS);
        }
        return true;
    }

    /** Waits for the upstream. Only here is the thread interrupted when the mirror is closed: never while the store writes. */
    private <T> T ask(Supplier<T> question) {
        synchronized (this) {
            asking = closed.getCount() > 0;
        }
        try {
            if (!asking) {
                throw new AnepException(ErrorCode.STOPPING, "the mirror is closed");
            }
            return question.get();
        } finally {
            synchronized (this) {
                asking = false;
                Thread.interrupted();
            }
        }
    }

    /** What is wrong with the metadata costs no bundle. */
    private void copyMetadata() {
        String wrong = null;
        try {
            ask(() -> {
                try {
                    metadata.copy();
                    return null;
                } catch (IOException e) {
                    throw storage(e);
                }
            });
        } catch (AnepException e) {
            wrong = e.getMessage();
        }
        if (wrong != null && !wrong.equals(metadataProblem)) {
            LOG.warn("the metadata of {} is not copied: {}", settings.upstream(), wrong);
        }
        metadataProblem = wrong;
    }

    /** Why the TUF metadata of the upstream is not copied; null if it is, or if there is none. */
    public String metadataProblem() {
        return metadataProblem;
    }

    private void lookAtTrust() {
        // Reads the files of trust again if they have changed.
        store.revoked();
        if (trust.revision() != trustRevision) {
            trustRevision = trust.revision();
            core.trustChanged();
        }
    }

    private void fetch(Offer offer) {
        long before = 0;
        try {
            if (offer.size() > settings.maxBundle()) {
                throw new AnepException(ErrorCode.TOO_LARGE, "a bundle of " + offer.size() + " octets; " + settings.maxBundle() + " are allowed");
            }
            Path part = intake.begin(offer);
            before = intake.size(offer);
            if (before < offer.size()) {
                ask(() -> upstream.fetch(offer, part));
            }
            long moved = Math.max(0, intake.size(offer) - before);
            intake.publish(offer);
            core.fetched(offer, moved);
            LOG.info("{} has come from {}", offer, settings.upstream());
        } catch (AnepException e) {
            failed(offer, before, e);
        } catch (IOException e) {
            failed(offer, before, storage(e));
        }
    }

    private void failed(Offer offer, long before, AnepException why) {
        if (closed.getCount() == 0) {
            return;
        }
        long moved = Math.max(0, intake.size(offer) - before);
        // The first part of other content may have been spoilt here.
        boolean maybeOurs = why.code() == ErrorCode.BUNDLE_HASH_MISMATCH && before > 0;
        if (isBroken(why)) {
            core.broken(clock(), offer, moved, why);
        } else {
            intake.giveUp(offer);
            if (maybeOurs) {
                core.broken(clock(), offer, moved, why);
            } else {
                LOG.warn("{} of {} is not taken: {}", offer, settings.upstream(), why.getMessage());
                core.refused(clock(), offer, moved, why);
            }
        }
    }

    private void republish(Offer offer) {
        try {
            intake.publishAgain(offer);
            core.fetched(offer, 0);
            LOG.info("{} is published again, as upstream", offer);
        } catch (AnepException e) {
            if (isBroken(e)) {
                core.broken(clock(), offer, 0, e);
            } else {
                core.refused(clock(), offer, 0, e);
            }
        } catch (IOException e) {
            core.broken(clock(), offer, 0, storage(e));
        }
    }

    private static boolean isBroken(AnepException why) {
        return BROKEN.contains(why.code()) || MirrorCore.isLater(why);
    }

    private static AnepException storage(IOException cause) {
        return new AnepException(ErrorCode.STORAGE, "the disk does not take what is fetched: " + cause.getMessage(), cause);
    }

    /** Each problem once, and its end. */
    private void say() {
        String problem = status.problem();
        if (problem != null && !problem.equals(lastProblem)) {
            LOG.warn("the upstream {}: {}", settings.upstream(), problem);
        } else if (problem == null && lastProblem != null) {
            LOG.info("the upstream {} answers again", settings.upstream());
        }
        lastProblem = problem;
    }

    /** Ends a transfer under way; what has come of it stays. */
    @Override
    public void close() {
        synchronized (this) {
            closed.countDown();
            if (asking) {
                thread.interrupt();
            }
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * How a mirror is doing. Times are milliseconds of the clock that the core is given.
     *
     * @param state {@code starting} before the upstream has answered once, {@code current}, {@code behind} while something is missing,
     *     {@code unreachable} when the last look or transfer failed
     * @param contact when the upstream last answered a look; -1 for never
     * @param complete when the mirror last had everything that was offered; -1 for never
     * @param missing versions that are offered and not here
     * @param conflicts versions that are offered with other content than is here
     * @param refused versions that were fetched and not taken
     * @param problem the last failure in words; null if there is none now
     * @param looks answers to looks at the index
     * @param failures looks and transfers that failed
     * @param fetched bundles that were fetched and taken
     * @param octets of bundles that have come, those of broken transfers too
     */
    public record MirrorStatus(String state, long contact, long complete, int missing, List<Trouble> conflicts, List<Trouble> refused,
            String problem, long looks, long failures, long fetched, long octets) {
    }

    /**
     * A version that the upstream offers and the mirror does not take.
     *
     * @param name of the service
     * @param version as OSGi writes it
     * @param sha256 of the bundle that is offered
     * @param code EE-nnn
     * @param message in words
     */
    public record Trouble(String name, String version, String sha256, String code, String message) {
        static Trouble of(Offer offer, AnepException reason) {
            return new Trouble(offer.name(), offer.version(), offer.sha256(), reason.code().toString(), reason.text());
        }
    }
}
