package org.tamanoir.node.deploy;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.StandIn;
import org.tamanoir.node.transport.Tls;
import org.tamanoir.node.waits.WaitTimes;
import org.tamanoir.trust.Trust;

/**
 * Gets services when streams ask for them. What is to happen is decided by a {@link VersionLifecycle} for each Type ID; this class has the
 * threads, the store and the clock. One attempt at a time for a service, whoever asks waits for the same one; a failure is remembered for
 * a while, so that a stream of requests costs no stream of fetches.
 */
public final class Deployer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Deployer.class);
    /** Whether a node of this process has warmed it up. */
    private static final AtomicBoolean WARM = new AtomicBoolean();
    /** Services that are got for peers at the same time; more wait their turn. */
    static final int FETCHES = 4;
    /** Services of which is asked at the same time what they are. */
    private static final int LOOKS = 2;
    private static final long TICK_MILLIS = 100;
    /** How often the files of the trust store are looked at. */
    private static final int TICKS_A_LOOK = 5;
    /** How often certificates are looked at: each minute. */
    private static final int TICKS_A_CERTIFICATE = 600;
    /** How long the end of a node waits for what its workers still write; a service that is started may hold one and not let it go. */
    private static final long LAST_WORK_MILLIS = 2000;

    private final List<RepositoryAddress> repositories;
    private final Tls tls;
    private final ServiceRegistry registry;
    private final Trust trust;
    private final VersionPins pins;
    private final BundleStore store;
    private final Path incoming;
    private final ChosenVersions chosen;
    private final RepositoryMetadata metadata;
    private final Sources sources;
    private final Descriptors descriptors;
    private final Framework framework;
    private final Installer installer;
    private final LifecycleDriver lifecycles;
    private final Fetcher fetcher;
    private final GuestServices guests;
    private final ServiceOperator operator;
    /** What the node and its operators want runs here at once; there is as much of it as there are services. */
    private final ExecutorService threads = Executors.newCachedThreadPool(new DefaultThreadFactory("tamanoir-deploy", true));
    /** What peers want waits here for its turn. */
    private final FairQueue fetches = new FairQueue(FETCHES, threads);
    private final Duration patience;
    private final Duration startTimeout;
    /** The services that ran before the last stop. */
    private final List<CompletableFuture<RunningService>> kept = new ArrayList<>();
    private final ScheduledExecutorService clock;
    private volatile BiConsumer<RunningService, AnepException> ender = (service, why) -> { };
    private CodeServer codeServer;
    private final CertificateWatch certificates = new CertificateWatch();
    private int ticks;

    /**
     * @param directory of the node, for the store
     * @param framework where services run; to be closed after this
     */
    public Deployer(DeployerSettings settings, Path directory, Framework framework, ServiceRegistry registry, Trust trust, VersionPins pins, ServiceEvents events,
                    NodeServiceContext.Factory contexts) {
        this.repositories = settings.repositories();
        this.tls = settings.tls();
        this.patience = settings.patience();
        this.startTimeout = settings.startTimeout();
        this.registry = registry;
        this.trust = trust;
        this.pins = pins;
        this.store = new BundleStore(directory.resolve("bundles"));
        this.incoming = directory.resolve("incoming");
        BundleStore.empty(incoming);
        this.chosen = new ChosenVersions(directory);
        ServiceNames names = new ServiceNames(directory, trust.isDevelopment());
        this.metadata = new RepositoryMetadata(settings, directory, InstantSource.system(), names::offered);
        this.sources = new Sources(settings, metadata, names::offered);
        this.framework = framework;
        this.installer = new Installer(framework, new Modules(directory.resolve("modules")), contexts, settings.policies(), settings.startTimeout(),
                settings.heavyThreads());
        this.lifecycles = new LifecycleDriver(settings.lifecycles(), registry, chosen, events);
        this.guests = new GuestServices(registry, names, settings.guestServices());
        this.fetcher = new Fetcher(store, trust, installer, names, sources, metadata, registry, chosen, pins, lifecycles, guests);
        this.operator = new ServiceOperator(settings, store, trust, names, framework, registry, chosen, pins, lifecycles, fetcher);
        lifecycles.drivenBy(new Driver());
        this.descriptors = new Descriptors(this::look, new FairQueue(LOOKS, threads), () -> settings.lifecycles().get().remember(), System::nanoTime);
        this.clock = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("tamanoir-deploy-clock", true));
        clock.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Names who ends the streams of a version that must go. */
    public void onEnd(BiConsumer<RunningService, AnepException> newEnder) {
        ender = newEnder;
    }

    /**
     * The service with a Type ID: at once if it runs, otherwise when it has been got.
     *
     * @param destination of the stream; a route to it may pin a version
     * @param previous    the peer of the connection, with the port of its code server or 0; null for a datagram
     * @return fails with an {@link AnepException}: EE-301 if no source has it, EE-302 if no source answered or it takes too long, EE-303 to
     *         EE-305, EE-312 to EE-317, EE-403, EE-656 and EE-657 if what came cannot be used, EE-310 if it is suspended, EE-410 if the peer waits for too many
     */
    public CompletableFuture<RunningService> request(int typeId, InetAddress destination, InetSocketAddress previous) {
        Asker asker = Asker.of(previous);
        CompletableFuture<RunningService> any = any(typeId, asker);
        if (pins.isEmpty()) {
            return inTime(typeId, any);
        }
        // The name, by which versions are pinned, is known when any version is.
        return inTime(typeId, any.thenCompose(service -> {
            String wanted = pins.version(service.name(), destination);
            return wanted == null || wanted.equals(service.version()) ? CompletableFuture.completedFuture(service)
                    : lifecycles.on(typeId, (lifecycle, now) -> lifecycle.ask(now, wanted, asker));
        }));
    }

    /** As {@link #request(int, InetAddress, InetSocketAddress)}, whatever is pinned, for datagrams that have no destination. */
    public CompletableFuture<RunningService> request(int typeId) {
        return inTime(typeId, any(typeId, Asker.DATAGRAMS));
    }

    /** The same for a service that runs here and works with this one. */
    public CompletableFuture<RunningService> partner(int typeId) {
        return inTime(typeId, any(typeId, Asker.NODE));
    }

    private CompletableFuture<RunningService> any(int typeId, Asker asker) {
        RunningService active = registry.find(typeId);
        return active != null ? CompletableFuture.completedFuture(active) : lifecycles.on(typeId, (lifecycle, now) -> lifecycle.ask(now, null, asker));
    }

    /** Nobody waits for longer than an operator would. */
    private <T> CompletableFuture<T> inTime(int typeId, CompletableFuture<T> coming) {
        return coming.isDone() ? coming : coming.copy().orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS).exceptionally(failure -> {
            throw failure instanceof TimeoutException ? new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, Anep.typeName(typeId)
                    + " is still on its way after " + patience.toMillis() + " ms, which is twice repository-timeout and start-timeout", failure)
                    : failure instanceof CompletionException known ? known : new CompletionException(failure);
        });
    }

    /**
     * What a service is, without having it: at once if it runs, otherwise as the store, the neighbours and the repositories say, in this order. The node
     * before is not asked: whoever opens a stream can say that he is one.
     *
     * @param previous as in {@link #request(int, InetAddress, InetSocketAddress)}, for whose account it is
     * @return fails with an {@link AnepException}: EE-301 if none of them has it, EE-302 or EE-304 if one that may have it does not say so, EE-410
     */
    public CompletableFuture<Descriptor> describe(int typeId, InetSocketAddress previous) {
        Descriptor running = running(typeId);
        return running != null ? CompletableFuture.completedFuture(running) : inTime(typeId, descriptors.of(typeId, Asker.of(previous).account()));
    }

    /** What {@link #describe} would answer at once; null for nothing. */
    public Descriptor described(int typeId) {
        Descriptor running = running(typeId);
        return running != null ? running : descriptors.known(typeId);
    }

    private Descriptor running(int typeId) {
        RunningService active = registry.find(typeId);
        return active == null || active.service() instanceof StandIn ? null : new Descriptor(typeId, active.name(), active.level());
    }

    /** Blocks. */
    private Descriptor look(int typeId) {
        List<FoundBundle> kept = store.find(typeId);
        if (!kept.isEmpty()) {
            return Descriptor.of(kept.stream().filter(bundle -> bundle.sha256().equals(chosen.of(typeId))).findFirst().orElse(kept.get(0)));
        }
        AnepException failure = null;
        for (BundleSource source : sources.all(Asker.NODE)) {
            try {
                List<FoundBundle> found = source.find(typeId);
                if (!found.isEmpty()) {
                    return Descriptor.of(found.get(0));
                }
            } catch (AnepException e) {
                failure = failure == null ? e : failure;
            }
        }
        throw failure != null ? failure : new AnepException(ErrorCode.UNKNOWN_SERVICE, "no repository has a service with Type ID " + Anep.typeName(typeId));
    }

    /** A service takes more of what all share than it may: it is stopped, and its streams end. */
    public void overused(RunningService service, String what) {
        lifecycles.on(service.typeId(), (lifecycle, now) -> {
            lifecycle.overused(now, service, what);
            return null;
        });
    }

    /** What operators want. */
    public ServiceOperator operator() {
        return operator;
    }

    /** How long the disk has taken to keep each bundle. */
    public WaitTimes syncs() {
        return store.syncs();
    }

    /** Where uploads are to be written: on the same disk as the store. */
    public Path incoming() {
        return incoming;
    }

    /** The URLs of the repositories, in order. */
    public List<String> repositories() {
        return repositories.stream().map(RepositoryAddress::url).toList();
    }

    /** The metadata of those that publish by TUF. */
    public RepositoryMetadata metadata() {
        return metadata;
    }

    /**
     * Serves the bundles of this node to the next nodes of its streams.
     *
     * @return the address with its real port
     * @throws AnepException EE-502
     */
    public InetSocketAddress serve(InetSocketAddress address) {
        codeServer = CodeServer.start(address, tls, () -> store.all().stream().filter(this::isTrusted).toList(), store::jar);
        return codeServer.address();
    }

    /** What this node would not run it does not give to others. */
    private boolean isTrusted(FoundBundle bundle) {
        try {
            trust.check(store.jar(bundle.sha256()), bundle.sha256());
            return true;
        } catch (AnepException e) {
            LOG.debug("{} {} is not offered: {}", bundle.name(), bundle.version(), e.getMessage());
            return false;
        }
    }

    /** In the background: starts the services that were current before the last stop, from the store. */
    public void startKept() {
        chosen.all().forEach((typeId, sha256) -> {
            if (store.find(typeId).stream().anyMatch(bundle -> bundle.sha256().equals(sha256))) {
                kept.add(lifecycles.on(typeId, (lifecycle, now) -> lifecycle.ask(now, null, Asker.NODE)));
            }
        });
    }

    /**
     * Waits until the framework has started, and each service of {@link #startKept} runs or has failed; for the time of one start at most.
     *
     * @throws AnepException EE-599 if the framework does not start
     */
    public void awaitReady() {
        framework.container();
        try {
            CompletableFuture.allOf(kept.toArray(CompletableFuture[]::new)).get(startTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            LOG.debug("a service that ran before has failed, which has been said", e);
        } catch (TimeoutException e) {
            LOG.warn("services that ran before are still on their way after {} ms", startTimeout.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * In the background: asks the repositories for their indices, so that an operator reads at once which of them does not answer; and makes
     * the start of the first service of the process quick, if none has started yet.
     */
    public void warmUp() {
        if (kept.isEmpty() && !WARM.getAndSet(true)) {
            threads.execute(() -> WarmUp.run(framework.container(), incoming));
            if (!trust.isDevelopment()) {
                threads.execute(Trust::warmUp);
            }
        }
        for (BundleSource source : sources.repositories()) {
            threads.execute(() -> {
                try {
                    source.find(Anep.TYPE_CONTROL);
                } catch (AnepException e) {
                    LOG.warn("repository {} is of no use now: {}", source.name(), e.getMessage());
                }
            });
        }
    }

    /** What lifecycles want done, on threads that may block. */
    private final class Driver implements LifecycleDriver.Driver {
        @Override
        public void acquire(LockedLifecycle lifecycle, ServiceVersion version) {
            if (version.asker.isNode()) {
                later(() -> fetcher.get(lifecycle, version));
            } else {
                fetches.add(guests.account(lifecycle.typeId(), version.asker), new Fetch(fetcher, lifecycle, version));
            }
        }

        @Override
        public void join(LockedLifecycle lifecycle, ServiceVersion version, Asker asker) {
            Fetch fetch = new Fetch(fetcher, lifecycle, version);
            if (!asker.isNode()) {
                fetches.join(guests.account(lifecycle.typeId(), asker), fetch);
            } else if (fetches.withdraw(fetch)) {
                later(fetch);
            }
        }

        @Override
        public void uninstall(ServiceVersion version, RunningService service) {
            later(() -> fetcher.uninstall(version, service));
        }

        @Override
        public void endStreams(LifecycleAction.EndStreams end) {
            LOG.warn("{} streams of {} are ended: {}", end.service().streams(), end.service(), end.why().getMessage());
            ender.accept(end.service(), end.why());
        }

        @Override
        public void save() {
            later(Deployer.this::save);
        }

        private void later(Runnable task) {
            try {
                threads.execute(task);
            } catch (RejectedExecutionException e) {
                LOG.debug("the node is stopping", e);
            }
        }
    }

    /** One attempt to get a version for a peer. */
    private record Fetch(Fetcher fetcher, LockedLifecycle lifecycle, ServiceVersion version) implements FairQueue.Task {
        @Override
        public void run() {
            fetcher.get(lifecycle, version);
        }

        @Override
        public void refused(AnepException why) {
            fetcher.failed(lifecycle, version, why);
        }
    }

    private void save() {
        try {
            chosen.save();
        } catch (AnepException e) {
            LOG.error("after a restart an older version may be current: {}", e.getMessage());
        }
    }

    private void tick() {
        try {
            lifecycles.tick();
            if (++ticks % TICKS_A_LOOK == 0) {
                lookAtTrust();
            }
            if (ticks % TICKS_A_CERTIFICATE == 0) {
                certificates.look(Instant.now(), operator.certificates(),
                        (publisher, what) -> LOG.warn("the certificate of {}, whose services run, {}; see docs/trust.md, A new key", publisher, what));
            }
        } catch (RuntimeException e) {
            // The clock must go on.
            LOG.error("a turn of the deployer's clock failed", e);
        }
    }

    private void lookAtTrust() {
        long before = trust.revision();
        try {
            trust.reload();
        } catch (AnepException e) {
            LOG.error("of what is trusted and revoked, the part that cannot be read stays as it was: {}", e.getMessage());
        }
        if (trust.revision() != before) {
            LOG.info("what is trusted has changed");
            threads.execute(fetcher::checkTrust);
        }
    }

    /** Stops every service, and leaves the directory alone from then on; no stream may be open any more. */
    @Override
    public void close() {
        if (codeServer != null) {
            codeServer.close();
        }
        clock.shutdownNow();
        metadata.close();
        threads.shutdownNow();
        registry.all().forEach(registry::remove);
        save();
        installer.close();
        try {
            if (!threads.awaitTermination(LAST_WORK_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn("a service that is being started holds a thread and does not let it go");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
