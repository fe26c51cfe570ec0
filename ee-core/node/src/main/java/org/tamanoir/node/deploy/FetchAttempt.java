package org.tamanoir.node.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;

/**
 * One attempt to get one version of a service: goes through the sources until one brings a bundle that is what it says, is trusted, and
 * starts. A source that fails does not stand in the way of the next. Blocks.
 */
final class FetchAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(FetchAttempt.class);

    /** Who is told how far it is; may throw to refuse what was found. */
    interface Progress {
        void step(ServiceState state);

        /** Returns false if that content runs already. */
        boolean found(FoundBundle bundle, String source);

        /**
         * Its publisher is known.
         *
         * @param provisional whether a repository could not say that it has nothing newer
         */
        void verified(Publisher publisher, boolean provisional);
    }

    /** Something that a source has. */
    record Candidate(FoundBundle bundle, BundleSource source) {
    }

    private final BundleStore store;
    private final Trust trust;
    private final Installer installer;
    private final ServiceNames names;
    private final RepositoryMetadata metadata;
    private final List<BundleSource> others;
    private final List<BundleSource> repositories;
    private final Progress progress;
    private final List<AnepException> failures = new ArrayList<>();
    /** What has failed to start, or is kept and not trusted: the same from elsewhere would fail too. */
    private final Set<String> hopeless = new HashSet<>();
    private boolean asked;
    private boolean provisional;

    /**
     * @param metadata     of repositories that publish by TUF: what they own comes from nobody else
     * @param others       sources besides the store, in order
     * @param repositories those of them that the configuration names as repositories
     */
    FetchAttempt(BundleStore store, Trust trust, Installer installer, ServiceNames names, RepositoryMetadata metadata, List<BundleSource> others,
                 List<BundleSource> repositories, Progress progress) {
        this.store = store;
        this.trust = trust;
        this.installer = installer;
        this.names = names;
        this.metadata = metadata;
        this.others = others;
        this.repositories = repositories;
        this.progress = progress;
    }

    /**
     * What a stream needs: the version that is wanted, or else the one that was chosen before, or else the newest of the first source that
     * has any. If none of these can be used, the store's older versions: what has served once is better than nothing. Nodes and the store
     * give no version that is older than what a repository has ever offered, but the one that was chosen; an operator may name any.
     *
     * @param chosen the hash of the version chosen before, or null
     * @return null if what was found runs already
     * @throws AnepException EE-301 if no source has it; otherwise what was wrong with the first that should have had it
     */
    RunningService first(int typeId, String wanted, String chosen, RunningService before) {
        List<BundleSource> sources = new ArrayList<>();
        sources.add(store);
        sources.addAll(others);
        for (BundleSource source : sources) {
            List<FoundBundle> found = ask(source, typeId).stream().filter(bundle -> wanted == null || wanted.equals(bundle.version())).toList();
            List<FoundBundle> preferred = found.stream().filter(bundle -> wanted == null && bundle.sha256().equals(chosen)).toList();
            for (FoundBundle bundle : preferred.isEmpty() ? found.stream().limit(1).toList() : preferred) {
                Candidate candidate = new Candidate(bundle, source);
                boolean free = wanted != null || source == store && !preferred.isEmpty();
                Attempt attempt = free || isNotBelow(candidate) ? attempt(candidate, before) : Attempt.FAILED;
                if (attempt.done) {
                    return attempt.running;
                }
            }
        }
        return best(typeId, wanted, wanted != null ? List.of() : store.find(typeId).stream().map(bundle -> new Candidate(bundle, store))
                .filter(this::isNotBelow).toList(), before);
    }

    /**
     * What an operator wants: the best of all sources.
     *
     * @param candidates best first
     * @return null if the best that can be had runs already
     */
    RunningService best(int typeId, String wanted, List<Candidate> candidates, RunningService before) {
        for (Candidate candidate : candidates) {
            Attempt attempt = attempt(candidate, before);
            if (attempt.done) {
                return attempt.running;
            }
        }
        throw nothing(typeId, wanted);
    }

    /** Whether it is no way down from what repositories offer; they are asked first. */
    private boolean isNotBelow(Candidate candidate) {
        if (repositories.contains(candidate.source)) {
            return true;
        }
        if (!asked) {
            asked = true;
            for (BundleSource repository : repositories) {
                try {
                    // What it answers is remembered among the names.
                    repository.find(candidate.bundle.typeId());
                } catch (AnepException e) {
                    LOG.debug("{} does not say what it offers", repository.name(), e);
                    provisional = true;
                }
            }
        }
        try {
            names.checkNotBelow(candidate.bundle, candidate.source.name());
            if (candidate.source == store && !metadata.mayStart(candidate.bundle)) {
                throw new AnepException(ErrorCode.NOT_A_TARGET, "the store has " + candidate.bundle.name() + " " + candidate.bundle.version()
                        + ", which is no target any more");
            }
            return true;
        } catch (AnepException e) {
            failures.add(e);
            return false;
        }
    }

    /** Everything that any source has, newest first; of equals the one that is had with least work. */
    List<Candidate> candidates(int typeId) {
        List<BundleSource> sources = new ArrayList<>();
        sources.add(store);
        sources.addAll(others);
        List<Candidate> all = new ArrayList<>();
        sources.forEach(source -> ask(source, typeId).forEach(bundle -> all.add(new Candidate(bundle, source))));
        all.sort((one, other) -> FoundBundle.NEWEST_FIRST.compare(one.bundle, other.bundle));
        return all;
    }

    /** What went wrong with sources so far. */
    List<AnepException> failures() {
        return failures;
    }

    private List<FoundBundle> ask(BundleSource source, int typeId) {
        try {
            if (source != store) {
                progress.step(ServiceState.RESOLVING);
            }
            return source.find(typeId);
        } catch (AnepException e) {
            failures.add(e);
            return List.of();
        }
    }

    private record Attempt(boolean done, RunningService running) {
        static final Attempt FAILED = new Attempt(false, null);
    }

    private Attempt attempt(Candidate candidate, RunningService before) {
        FoundBundle bundle = candidate.bundle;
        if (hopeless.contains(what(bundle)) || candidate.source == store && !isIntact(bundle)) {
            return Attempt.FAILED;
        }
        Publisher publisher;
        Runnable disclaim;
        try {
            if (!progress.found(bundle, candidate.source.name())) {
                return new Attempt(true, null);
            }
            publisher = candidate.source == store ? kept(bundle) : fetched(bundle, candidate.source);
            progress.verified(publisher, provisional && !repositories.contains(candidate.source));
            disclaim = names.claim(bundle, publisher);
        } catch (AnepException e) {
            if (candidate.source == store && !isIntact(bundle)) {
                // Its file has gone, or has changed, meanwhile: another source may have it.
                return Attempt.FAILED;
            }
            failures.add(from(candidate.source, e));
            if (candidate.source == store) {
                hopeless.add(what(bundle));
            }
            return Attempt.FAILED;
        }
        try {
            progress.step(ServiceState.INSTALLING);
            return new Attempt(true, installer.start(bundle, store.jar(bundle.sha256()), publisher == null ? null : publisher.name(), before));
        } catch (AnepException e) {
            disclaim.run();
            if (!isIntact(bundle)) {
                return Attempt.FAILED;
            }
            LOG.warn("{} {} from {} cannot be used: {}", bundle.name(), bundle.version(), candidate.source.name(), e.getMessage());
            hopeless.add(what(bundle));
            failures.add(e);
            if (e.code() == ErrorCode.BAD_BUNDLE) {
                store.remove(bundle);
            }
            return Attempt.FAILED;
        }
    }

    /** The content and what its source says of it: another source may say the truth. */
    private static String what(FoundBundle bundle) {
        return bundle.typeId() + " " + bundle.name() + " " + bundle.version() + " " + bundle.level() + " " + bundle.sha256();
    }

    private boolean isIntact(FoundBundle bundle) {
        progress.step(ServiceState.VERIFYING);
        if (store.isIntact(bundle)) {
            return true;
        }
        LOG.warn("{} {} in the store is damaged and is fetched again", bundle.name(), bundle.version());
        store.remove(bundle);
        return false;
    }

    /** A failure of one source among several says which. */
    private static AnepException from(BundleSource source, AnepException e) {
        return e.text().contains(source.name()) ? e : new AnepException(e.code(), source.name() + ": " + e.text(), e);
    }

    private Publisher kept(FoundBundle bundle) {
        Publisher publisher = trust.check(store.jar(bundle.sha256()), bundle.sha256());
        checkGuest(bundle, publisher, store.jar(bundle.sha256()));
        return publisher;
    }

    /** What may be a guest's is asked what it is before any of it runs; of all others what their source has said is compared when they start. */
    private void checkGuest(FoundBundle bundle, Publisher publisher, Path jar) {
        if (publisher != null && publisher.isGuest() || ServiceName.isGuest(bundle.name()) || ServiceName.isGuestType(bundle.typeId())) {
            FoundBundle says = names.describe(bundle, publisher, jar, installer::describe);
            if (!says.name().equals(bundle.name()) || says.typeId() != bundle.typeId()) {
                throw new AnepException(ErrorCode.BAD_BUNDLE, "what was found as " + bundle.name() + " " + Anep.typeName(bundle.typeId()) + " calls itself " + says.name() + " "
                        + Anep.typeName(says.typeId()));
            }
        }
    }

    private Publisher fetched(FoundBundle bundle, BundleSource source) {
        Path file = store.temporary();
        try {
            checkTarget(bundle, source);
            if (ServiceName.isGuest(bundle.name()) && !trust.takesGuests()) {
                throw new AnepException(ErrorCode.UNKNOWN_PUBLISHER, bundle.name() + " is a guest's service, and this node has no list of guests (--guests)");
            }
            progress.step(ServiceState.FETCHING);
            source.fetch(bundle, file);
            progress.step(ServiceState.VERIFYING);
            String hash = BundleStore.hashOf(file);
            if (!hash.equals(bundle.sha256())) {
                throw new AnepException(ErrorCode.BUNDLE_HASH_MISMATCH, source.name() + " announced " + bundle.sha256() + " and sent " + hash);
            }
            Publisher publisher = trust.check(file, hash);
            checkGuest(bundle, publisher, file);
            names.check(bundle, publisher);
            // It may have been retired while it came.
            checkTarget(bundle, source);
            store.add(bundle, file);
            return publisher;
        } finally {
            delete(file);
        }
    }

    private void checkTarget(FoundBundle bundle, BundleSource source) {
        metadata.check(bundle, !repositories.contains(source));
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", file, e.getMessage());
        }
    }

    /** The first failure gives the code; the others are told with it. */
    private AnepException nothing(int typeId, String wanted) {
        String what = "Type ID " + Anep.typeName(typeId) + (wanted == null ? "" : " in version " + wanted);
        if (failures.isEmpty()) {
            return new AnepException(ErrorCode.UNKNOWN_SERVICE, others.isEmpty() ? what + " is not in the store and this node has no repository"
                    : "no repository has a service with " + what);
        }
        AnepException first = failures.get(0);
        return failures.size() == 1 ? first : new AnepException(first.code(), first.text() + "; " + failures.stream().skip(1)
                .map(AnepException::getMessage).collect(Collectors.joining("; ")), first);
    }
}
