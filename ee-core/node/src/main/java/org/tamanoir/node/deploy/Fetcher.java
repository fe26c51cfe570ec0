package org.tamanoir.node.deploy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.osgi.framework.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;

/** Gets the versions that lifecycles ask for, and looks what there would be to get. Blocks: for workers. */
final class Fetcher {
    private static final Logger LOG = LoggerFactory.getLogger(Fetcher.class);
    /** What operators see as the source of a bundle that somebody has pushed. */
    static final String PUSHED = "pushed";

    private final BundleStore store;
    private final Trust trust;
    private final Installer installer;
    private final ServiceNames names;
    private final Sources sources;
    private final RepositoryMetadata metadata;
    private final ServiceRegistry registry;
    private final ChosenVersions chosen;
    private final VersionPins pins;
    private final LifecycleDriver lifecycles;
    private final GuestServices guests;

    Fetcher(BundleStore store, Trust trust, Installer installer, ServiceNames names, Sources sources, RepositoryMetadata metadata, ServiceRegistry registry,
             ChosenVersions chosen, VersionPins pins, LifecycleDriver lifecycles, GuestServices guests) {
        this.store = store;
        this.trust = trust;
        this.installer = installer;
        this.names = names;
        this.sources = sources;
        this.metadata = metadata;
        this.registry = registry;
        this.chosen = chosen;
        this.pins = pins;
        this.lifecycles = lifecycles;
        this.guests = guests;
    }

    /** Gets one version and tells its lifecycle how it went. */
    void get(LockedLifecycle lifecycle, ServiceVersion version) {
        long revision = trust.revision();
        try {
            RunningService running = search(lifecycle, version);
            if (running != null) {
                started(lifecycle, version, running);
                tidy(lifecycle, revision);
            }
        } catch (AnepException e) {
            failed(lifecycle, version, e);
        } catch (RuntimeException | Error e) {
            LOG.error("{} cannot be had", version, e);
            failed(lifecycle, version, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        } finally {
            guests.settled(version);
        }
    }

    private void started(LockedLifecycle lifecycle, ServiceVersion version, RunningService running) {
        running.watchedBy((service, why) -> lifecycles.run(lifecycle, (core, now) -> {
            core.streamFailed(now, service, why);
            return null;
        }), service -> lifecycles.run(lifecycle, (core, now) -> {
            core.tripped(now, service);
            return null;
        }));
        if (names.isBelow(running.typeId(), running.name(), Version.parseVersion(running.version()))) {
            LOG.warn("{} is older than {}, which a repository has offered; {}", running, names.newest(running.typeId()).version(),
                    version.wanted() != null ? "it was named by an operator or a pin" : "it was current before, or the repository no longer offers the newer one");
        }
        registry.add(running);
        lifecycles.run(lifecycle, (core, now) -> {
            core.pins(now, pins.versions(running.name()));
            core.started(now, version, running);
            return null;
        });
    }

    /** What follows a start; the service runs, whatever goes wrong here. */
    private void tidy(LockedLifecycle lifecycle, long revision) {
        if (trust.revision() != revision) {
            // What is trusted changed between its check and now, when it was in nobody's list.
            checkTrust();
        }
        try {
            store.evict(lifecycle.typeId(), this::isUsed);
        } catch (AnepException e) {
            LOG.warn("old versions stay in the store: {}", e.getMessage());
        }
    }

    /** Null if what is wanted runs already. */
    private RunningService search(LockedLifecycle lifecycle, ServiceVersion version) {
        int typeId = lifecycle.typeId();
        RunningService before = registry.find(typeId);
        List<BundleSource> others = version.pushed != null ? List.of() : sources.all(version.asker);
        FetchAttempt attempt = new FetchAttempt(store, trust, installer, names, metadata, others, sources.repositories(), new Watching(lifecycle, version));
        if (version.pushed != null) {
            return attempt.best(typeId, version.wanted(), List.of(new FetchAttempt.Candidate(version.pushed, store)), before);
        }
        if (version.isUpgrade()) {
            return attempt.best(typeId, version.wanted(), eligible(typeId, version.wanted(), attempt.candidates(typeId)), before);
        }
        return attempt.first(typeId, version.wanted(), chosen.of(typeId), before);
    }

    /** Tells a lifecycle that a version cannot be had. */
    void failed(LockedLifecycle lifecycle, ServiceVersion version, AnepException why) {
        lifecycles.run(lifecycle, (core, now) -> {
            core.failed(now, version, why, advice(why.code()));
            return null;
        });
    }

    /**
     * What an upgrade could take.
     *
     * @param candidates  best first
     * @param unreachable what the sources said that could not be asked
     */
    record Offer(List<FetchAttempt.Candidate> candidates, List<AnepException> unreachable) {
    }

    /** Asks every source; nothing is fetched. */
    Offer offer(int typeId, String wanted) {
        FetchAttempt attempt = new FetchAttempt(store, trust, installer, names, metadata, sources.all(Asker.NODE), sources.repositories(),
                new Watching(null, null));
        List<FetchAttempt.Candidate> candidates = eligible(typeId, wanted, attempt.candidates(typeId));
        return new Offer(candidates, attempt.failures());
    }

    /**
     * The versions of this service that an upgrade may take: the one that is wanted, or those that have not failed here and are not older
     * than what runs. A source may have something else under the Type ID, and newer: it does not stand in the way.
     */
    private List<FetchAttempt.Candidate> eligible(int typeId, String wanted, List<FetchAttempt.Candidate> candidates) {
        LockedLifecycle lifecycle = lifecycles.find(typeId);
        Set<String> bad = new HashSet<>();
        if (lifecycle != null) {
            bad.addAll(lifecycles.run(lifecycle, (core, now) -> core.returnedFrom()));
        }
        String owner = ownerOf(typeId);
        RunningService current = registry.find(typeId);
        Version least = current == null ? Version.emptyVersion : Version.parseVersion(current.version());
        return candidates.stream().filter(candidate -> owner == null || owner.equals(candidate.bundle().name())).filter(this::isTarget)
                .filter(candidate -> wanted != null ? wanted.equals(candidate.bundle().version())
                        : !bad.contains(candidate.bundle().version()) && candidate.bundle().number().compareTo(least) >= 0 && !isBelow(candidate)
                                && (candidate.source() != store || metadata.mayStart(candidate.bundle())))
                .toList();
    }

    /** Whether it may be taken, as far as metadata says: of the store everything that an operator names, for it was a target once. */
    private boolean isTarget(FetchAttempt.Candidate candidate) {
        if (candidate.source() == store) {
            return true;
        }
        try {
            metadata.check(candidate.bundle(), !sources.repositories().contains(candidate.source()));
            return true;
        } catch (AnepException e) {
            LOG.debug("{} is no candidate", candidate, e);
            return false;
        }
    }

    private boolean isBelow(FetchAttempt.Candidate candidate) {
        return !sources.repositories().contains(candidate.source()) && names.isBelow(candidate.bundle().typeId(), candidate.bundle().name(),
                candidate.bundle().number());
    }

    /** The name that a Type ID has here: of what runs, or of what is kept; null if there is neither. */
    private String ownerOf(int typeId) {
        RunningService current = registry.find(typeId);
        return current != null ? current.name() : store.find(typeId).stream().findFirst().map(FoundBundle::name).orElse(null);
    }

    /** Stops a version that no stream uses, and forgets its bundle if that is wanted. */
    void uninstall(ServiceVersion version, RunningService service) {
        installer.stop(service);
        if (version.forgotten && version.bundle != null && !isUsed(version.bundle)) {
            store.remove(version.bundle);
        }
    }

    /** Whether a version of this content runs or is on its way. */
    boolean isUsed(FoundBundle bundle) {
        LockedLifecycle lifecycle = lifecycles.find(bundle.typeId());
        return lifecycle != null && lifecycle.uses(bundle.sha256());
    }

    /** Looks again at everything that runs: what is not trusted any more is taken out at once. */
    void checkTrust() {
        for (LockedLifecycle lifecycle : lifecycles.sorted()) {
            for (ServiceVersion version : lifecycle.inUse()) {
                try {
                    Publisher publisher = trust.check(store.jar(version.bundle.sha256()), version.bundle.sha256());
                    names.checkRunning(version.bundle, publisher);
                    lifecycles.tell(lifecycle, core -> core.checked(version, publisher));
                } catch (AnepException e) {
                    if (e.code() == ErrorCode.STORAGE) {
                        LOG.error("{} cannot be checked and runs on: {}", version, e.getMessage());
                        continue;
                    }
                    LOG.warn("{} is not trusted any more: {}", version, e.getMessage());
                    lifecycles.run(lifecycle, (core, now) -> {
                        core.revoke(now, version, e);
                        return null;
                    });
                }
            }
        }
    }

    /** What an operator can do about a service that could not be had. */
    private static String advice(ErrorCode code) {
        return switch (code) {
            case UNKNOWN_SERVICE -> "push the bundle to a repository, or deploy it on this node";
            case REPOSITORY_UNREACHABLE -> "start the repository, or name another one";
            case BUNDLE_HASH_MISMATCH -> "push the bundle again; the copy there is damaged";
            case BAD_BUNDLE, NOT_A_BUNDLE -> "look at the bundle with service inspect";
            case SERVICE_START_FAILED -> "the log says why; mend the bundle and publish a new version";
            case BAD_CONFIGURATION -> "mend the options of the service in the node's configuration";
            case UNSIGNED -> "sign it with service sign";
            case UNKNOWN_PUBLISHER -> "if the publisher is to be trusted, add the certificate to the file of --trust";
            case TAMPERED -> "do not use it; find out who changed it";
            case CERTIFICATE_EXPIRED -> "have it signed again with a valid certificate, under a new version";
            case REVOKED -> "use a version that is not revoked";
            case NOT_FOR_GUESTS -> "the publisher, or whoever lists publishers and guests of this node, has to change something; docs/trust.md, Guests";
            case GUEST_QUOTA -> "take a service of that guest out with service undeploy, or allow more with limits: guest-services";
            case TYPE_ID_TAKEN -> "one of the two is wrong about the name or the Type ID; docs/trust.md says how an operator changes an owner";
            case OLDER_VERSION -> "start the repository, or name the older version with service upgrade --version";
            case NOT_A_TARGET -> "publish it with service push --keystore; a version that was retired is no target any more";
            case METADATA_MISMATCH -> "see what stands between this node and the repository; a mirror that copies is whole in a moment";
            case METADATA_EXPIRED -> "see that the repository runs and is reached, and look at the clocks; what runs goes on meanwhile";
            case METADATA_DAMAGED -> "look at the disk of the node, and restore the directory that the message names";
            case STORAGE -> "look at the disk of the node";
            default -> "see docs/errors.md under " + code;
        };
    }

    /** Tells a lifecycle how far an attempt is; without a lifecycle nobody. */
    private final class Watching implements FetchAttempt.Progress {
        private final LockedLifecycle lifecycle;
        private final ServiceVersion version;

        Watching(LockedLifecycle lifecycle, ServiceVersion version) {
            this.lifecycle = lifecycle;
            this.version = version;
        }

        @Override
        public void step(ServiceState state) {
            if (lifecycle != null) {
                lifecycles.tell(lifecycle, core -> core.step(version, state));
            }
        }

        @Override
        public boolean found(FoundBundle bundle, String source) {
            return lifecycles.run(lifecycle, (core, now) -> core.found(now, version, bundle, version.pushed != null ? PUSHED : source));
        }

        @Override
        public void verified(Publisher publisher, boolean provisional) {
            guests.begin(version, version.bundle);
            lifecycles.tell(lifecycle, core -> core.verified(version, publisher, provisional));
        }
    }
}
