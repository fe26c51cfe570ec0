package org.tamanoir.node.deploy;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;

/**
 * Gets services when streams ask for them, upgrades them and takes them out. What is to happen is decided by a {@link ServiceLine} for
 * each Type ID; this class brings it the events and does what it says. One attempt at a time for a service, whoever asks waits for the
 * same one; a failure is remembered for a while, so that a stream of requests costs no stream of fetches.
 */
public final class Deployer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Deployer.class);
    /** Services that are got at the same time; more wait their turn. */
    private static final int AT_ONCE = 4;
    /** Type IDs that are remembered. Beyond it those without a service are forgotten, so that made-up Type IDs cost no memory. */
    private static final int REMEMBERED = 1024;
    private static final long TICK_MILLIS = 100;
    /** How often the files of the trust store are looked at. */
    private static final int TICKS_A_LOOK = 5;

    private final DeployerSettings settings;
    private final ServiceRegistry registry;
    private final Trust trust;
    private final VersionPins pins;
    private final ServiceEvents events;
    private final BundleStore store;
    private final Path incoming;
    private final ChosenVersions chosen;
    private final Sources sources;
    private final Installer installer;
    private final Map<Integer, Line> lines = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor workers;
    private final ScheduledExecutorService clock;
    private volatile BiConsumer<RunningService, AnepException> ender = (service, why) -> { };
    private CodeServer codeServer;
    private int ticks;

    /** A service's line and the lock under which it is used. */
    private final class Line {
        private final int typeId;
        private final ServiceLine core;
        private boolean dropped;

        Line(int typeId) {
            this.typeId = typeId;
            this.core = new ServiceLine(typeId, settings.lines());
        }
    }

    private interface Event<T> {
        T on(ServiceLine line, long now);
    }

    /** @param directory of the node, for the store and the framework's cache */
    public Deployer(DeployerSettings settings, Path directory, ServiceRegistry registry, Trust trust, VersionPins pins, ServiceEvents events,
                    NodeServiceContext.Factory contexts) {
        this.settings = settings;
        this.registry = registry;
        this.trust = trust;
        this.pins = pins;
        this.events = events;
        this.store = new BundleStore(directory.resolve("bundles"));
        this.incoming = directory.resolve("incoming");
        BundleStore.empty(incoming);
        this.chosen = new ChosenVersions(directory);
        this.sources = new Sources(settings);
        this.installer = new Installer(directory.resolve("framework"), contexts, settings.policies(), settings.startTimeout(),
                settings.heavyThreads());
        this.workers = new ThreadPoolExecutor(AT_ONCE, AT_ONCE, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("tamanoir-deploy", true));
        workers.allowCoreThreadTimeOut(true);
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
     * @param previous    the code server of the node that the stream came from, or null
     * @return fails with an {@link AnepException}: EE-301 if no source has it, EE-302 if no source answered, EE-303 to EE-305 and EE-312 to
     *         EE-316 if what came cannot be used, EE-310 if it is suspended
     */
    public CompletableFuture<RunningService> request(int typeId, InetAddress destination, InetSocketAddress previous) {
        RunningService active = registry.find(typeId);
        if (pins.isEmpty()) {
            return active != null ? CompletableFuture.completedFuture(active) : on(typeId, (line, now) -> line.ask(now, null, previous));
        }
        // The name, by which versions are pinned, is known when any version is.
        CompletableFuture<RunningService> any = active != null ? CompletableFuture.completedFuture(active)
                : on(typeId, (line, now) -> line.ask(now, null, previous));
        return any.thenCompose(service -> {
            String wanted = pins.version(service.name(), destination);
            return wanted == null || wanted.equals(service.version()) ? CompletableFuture.completedFuture(service)
                    : on(typeId, (line, now) -> line.ask(now, wanted, previous));
        });
    }

    // What operators want.

    /**
     * What an upgrade would do.
     *
     * @param from        the version that is current, or null
     * @param to          the version that would be; null if there is nothing newer
     * @param publisher   null for nobody, or where it is known only after the bundle has been fetched
     * @param unreachable what the sources said that could not be asked
     */
    public record Plan(String name, int typeId, String from, String to, String source, String sha256, String publisher, List<String> unreachable) {
    }

    /**
     * Looks what an upgrade would do, and changes nothing.
     *
     * @param wanted a version, or null for the newest
     * @throws AnepException EE-407 if the service is not known here, or no source has that version; EE-302 if nobody answers
     */
    public Plan plan(String name, String wanted) {
        int typeId = typeIdOf(name);
        Acquisition acquisition = new Acquisition(store, trust, installer, sources.all(null), new Watching());
        List<Acquisition.Candidate> candidates = eligible(typeId, wanted, acquisition.candidates(typeId));
        List<String> unreachable = acquisition.failures().stream().map(AnepException::getMessage).toList();
        RunningService current = registry.find(typeId);
        String from = current == null ? null : current.version();
        if (candidates.isEmpty()) {
            if (wanted == null) {
                return new Plan(name, typeId, from, null, null, null, null, unreachable);
            }
            throw new AnepException(unreachable.isEmpty() ? ErrorCode.NOT_FOUND : acquisition.failures().get(0).code(), "no source has " + name
                    + " " + wanted + (unreachable.isEmpty() ? "" : "; " + String.join("; ", unreachable)));
        }
        FoundBundle best = candidates.get(0).bundle();
        boolean same = best.version().equals(from);
        return new Plan(name, typeId, from, same ? null : best.version(), candidates.get(0).source().name(), best.sha256(),
                candidates.get(0).source() == store ? publisher(store.jar(best.sha256()), best.sha256()) : null, unreachable);
    }

    /**
     * Makes another version current, beside the one that runs.
     *
     * @param wanted a version, or null for the newest
     * @return what is current then; it survives a crash of the node
     * @throws AnepException EE-407 if the service is not known here; what {@link #request} fails with
     */
    public RunningService upgrade(String name, String wanted) {
        int typeId = typeIdOf(name);
        return settled(on(typeId, (line, now) -> line.upgrade(now, wanted)));
    }

    /** What {@link #deploy} would do with a bundle. */
    public Plan planOf(Path upload) {
        FoundBundle bundle = examine(upload);
        RunningService current = registry.find(bundle.typeId());
        return new Plan(bundle.name(), bundle.typeId(), current == null ? null : current.version(),
                current != null && current.version().equals(bundle.version()) ? null : bundle.version(), "pushed", bundle.sha256(), publisher(upload, bundle.sha256()), List.of());
    }

    private String publisher(Path jar, String sha256) {
        Publisher publisher = trust.check(jar, sha256);
        return publisher == null ? null : publisher.name();
    }

    /**
     * Keeps a bundle that somebody has pushed and makes it current.
     *
     * @param upload moved if it is taken
     * @throws AnepException EE-312 to EE-316 if it is not trusted, EE-304 if it is no bundle, EE-403 if its Type ID has another name here,
     *                       EE-404 if the version is kept with other content, EE-305 if it does not start
     */
    public RunningService deploy(Path upload) {
        FoundBundle bundle = examine(upload);
        store.add(bundle, upload);
        return settled(on(bundle.typeId(), (line, now) -> line.push(now, bundle)));
    }

    private FoundBundle examine(Path upload) {
        String sha256 = BundleStore.hashOf(upload);
        trust.check(upload, sha256);
        FoundBundle bundle = installer.container().describe(upload, sha256);
        for (FoundBundle kept : store.find(bundle.typeId())) {
            if (!kept.name().equals(bundle.name())) {
                throw new AnepException(ErrorCode.TYPE_ID_TAKEN, "the Type ID " + Anep.typeName(bundle.typeId()) + " belongs to "
                        + kept.name() + " here");
            }
            if (kept.version().equals(bundle.version()) && !kept.sha256().equals(bundle.sha256())) {
                throw new AnepException(ErrorCode.VERSION_EXISTS, bundle.name() + " " + bundle.version()
                        + " is here already with other content; give the new content a new version");
            }
        }
        return bundle;
    }

    /** Waits for a service that an operator wants, and for the disk. */
    private RunningService settled(CompletableFuture<RunningService> coming) {
        try {
            RunningService service = coming.get(settings.patience().toMillis(), TimeUnit.MILLISECONDS);
            chosen.save();
            return service;
        } catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? new AnepException(known.code(), known.text(), known)
                    : new AnepException(ErrorCode.INTERNAL, String.valueOf(e.getCause()), e);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "it is still on its way after " + settings.patience().toSeconds()
                    + " s; node services says how far it is", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.STOPPING, "the node is stopping", e);
        }
    }

    /**
     * Takes a service out: new streams do not get it, old ones may finish within the time to drain, then it goes, from the store too.
     *
     * @param wanted one version, or null for all
     * @throws AnepException EE-407 if it is not here
     */
    public void undeploy(String name, String wanted) {
        int typeId = typeIdOf(name);
        on(typeId, (line, now) -> {
            if (wanted != null && line.versions().stream().noneMatch(version -> wanted.equals(version.version()) && !version.state.isEnd())) {
                throw new AnepException(ErrorCode.NOT_FOUND, "there is no " + name + " " + wanted + " here");
            }
            line.undeploy(now, wanted);
            return null;
        });
        store.find(typeId).stream().filter(bundle -> wanted == null || wanted.equals(bundle.version()))
                .filter(bundle -> !isUsed(bundle)).forEach(store::remove);
        chosen.save();
    }

    private int typeIdOf(String name) {
        for (RunningService service : registry.all()) {
            if (service.name().equals(name)) {
                return service.typeId();
            }
        }
        return store.all().stream().filter(bundle -> bundle.name().equals(name)).findFirst().map(FoundBundle::typeId).orElseThrow(
                () -> new AnepException(ErrorCode.NOT_FOUND, "this node has no service " + name));
    }

    /** The pins have changed: versions that are pinned no more drain. */
    public void repin() {
        lines.values().forEach(line -> run(line, (core, now) -> {
            core.pins(now, pinned(core));
            return null;
        }));
    }

    private Set<String> pinned(ServiceLine core) {
        return core.current() == null ? Set.of() : pins.versions(core.current().name());
    }

    /** Every version that runs, is on its way, or has lately gone or failed. */
    public List<ServiceStatus> statuses() {
        List<ServiceStatus> all = new ArrayList<>();
        lines.values().stream().sorted(Comparator.comparing(line -> line.typeId)).forEach(line -> {
            synchronized (line) {
                all.addAll(line.core.statuses(System.nanoTime()));
            }
        });
        return all;
    }

    /** Where uploads are to be written: on the same disk as the store. */
    public Path incoming() {
        return incoming;
    }

    /** The URLs of the repositories, in order. */
    public List<String> repositories() {
        return settings.repositories();
    }

    /**
     * Serves the bundles of this node to the next nodes of its streams.
     *
     * @return the address with its real port
     * @throws AnepException EE-502
     */
    public InetSocketAddress serve(InetSocketAddress address) {
        codeServer = CodeServer.start(address, store::all, store::jar);
        return codeServer.address();
    }

    // The start.

    /** Waits until the framework that runs services has started; EE-599 if it does not. */
    public void awaitStarted() {
        installer.container();
    }

    /**
     * In the background: starts the services that were current before the last stop, from the store, and asks the repositories for their
     * indices, so that an operator reads at once which of them does not answer; and makes the start of the next service quick.
     */
    public void warmUp() {
        workers.execute(() -> WarmUp.run(installer.container(), incoming));
        chosen.all().forEach((typeId, sha256) -> {
            if (store.find(typeId).stream().anyMatch(bundle -> bundle.sha256().equals(sha256))) {
                on(typeId, (line, now) -> line.ask(now, null, null));
            }
        });
        for (BundleSource source : sources.repositories()) {
            workers.execute(() -> {
                try {
                    source.find(Anep.TYPE_CONTROL);
                } catch (AnepException e) {
                    LOG.warn("repository {} is of no use now: {}", source.name(), e.getMessage());
                }
            });
        }
    }

    // Events in, actions out.

    private <T> T on(int typeId, Event<T> event) {
        while (true) {
            Line line = lines.computeIfAbsent(typeId, Line::new);
            synchronized (line) {
                if (line.dropped) {
                    continue;
                }
            }
            return run(line, event);
        }
    }

    private <T> T run(Line line, Event<T> event) {
        List<LineAction> actions;
        T result;
        synchronized (line) {
            try {
                result = event.on(line.core, System.nanoTime());
            } finally {
                actions = line.core.actions();
                actions.forEach(action -> atOnce(line, action));
            }
        }
        actions.forEach(action -> afterwards(line, action));
        return result;
    }

    /** Under the line's lock: what must happen in the order in which it was decided. */
    private void atOnce(Line line, LineAction action) {
        if (action instanceof LineAction.Current current) {
            if (current.service() == null) {
                RunningService before = registry.find(line.typeId);
                if (before != null) {
                    registry.deactivate(before);
                }
            } else {
                registry.activate(current.service());
            }
        } else if (action instanceof LineAction.Choose choose) {
            chosen.choose(line.typeId, choose.bundle());
        } else if (action instanceof LineAction.Tell tell) {
            tell(tell);
        }
    }

    private void afterwards(Line line, LineAction action) {
        if (action instanceof LineAction.Acquire acquire) {
            workers.execute(() -> acquire(line, acquire.version()));
        } else if (action instanceof LineAction.Answer answer) {
            if (answer.error() == null) {
                answer.waiting().complete(answer.service());
            } else {
                answer.waiting().completeExceptionally(answer.error());
            }
        } else if (action instanceof LineAction.EndStreams end) {
            LOG.warn("{} streams of {} are ended: {}", end.service().streams(), end.service(), end.why().getMessage());
            ender.accept(end.service(), end.why());
        } else if (action instanceof LineAction.Uninstall uninstall) {
            registry.remove(uninstall.service());
            workers.execute(() -> uninstall(uninstall));
        } else if (action instanceof LineAction.Choose) {
            workers.execute(this::save);
        }
    }

    private void save() {
        try {
            chosen.save();
        } catch (AnepException e) {
            LOG.error("after a restart an older version may be current: {}", e.getMessage());
        }
    }

    private void tell(LineAction.Tell tell) {
        ServiceVersion version = tell.version();
        String reason = version.reason == null ? null : version.reason.getMessage();
        events.add(new ServiceEvents.Change(java.time.Instant.now().toString(), Anep.typeName(version.typeId()), version.name(),
                version.version(), tell.from() == null ? null : tell.from().word(), tell.to().word(), version.source, reason), tell.to());
        if (tell.to() == ServiceState.FAILED) {
            LOG.warn("{} has failed: {}", version, reason);
        } else if (!tell.to().isUnderWay()) {
            LOG.info("{} is {}{}", version, tell.to().word(), tell.to() == ServiceState.ACTIVE && version.source != null
                    ? ", from " + version.source : "");
        }
    }

    /** On a worker: gets one version. */
    private void acquire(Line line, ServiceVersion version) {
        try {
            Acquisition acquisition = new Acquisition(store, trust, installer, version.pushed != null ? List.of()
                    : sources.all(version.previous), new Watching(line, version));
            RunningService before = registry.find(line.typeId);
            RunningService running = version.isUpgrade() ? upgraded(line, version, acquisition, before)
                    : acquisition.first(line.typeId, version.wanted(), chosen.of(line.typeId), before);
            if (running == null) {
                return;
            }
            running.watchedBy((service, why) -> run(line, (core, now) -> {
                core.streamFailed(now, service, why);
                return null;
            }), service -> run(line, (core, now) -> {
                core.tripped(now, service);
                return null;
            }));
            registry.add(running);
            run(line, (core, now) -> {
                core.pins(now, pins.versions(running.name()));
                core.started(now, version, running);
                return null;
            });
            store.evict(line.typeId, this::isUsed);
        } catch (AnepException e) {
            failed(line, version, e);
        } catch (RuntimeException | Error e) {
            LOG.error("{} cannot be had", version, e);
            failed(line, version, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        }
    }

    private RunningService upgraded(Line line, ServiceVersion version, Acquisition acquisition, RunningService before) {
        if (version.pushed != null) {
            return acquisition.best(line.typeId, version.wanted(), List.of(new Acquisition.Candidate(version.pushed, store)), before);
        }
        return acquisition.best(line.typeId, version.wanted(), eligible(line.typeId, version.wanted(), acquisition.candidates(line.typeId)),
                before);
    }

    /** The versions that an upgrade may take: the one that is wanted, or those that have not failed here and are not older than what runs. */
    private List<Acquisition.Candidate> eligible(int typeId, String wanted, List<Acquisition.Candidate> candidates) {
        Line line = lines.get(typeId);
        Set<String> bad = new LinkedHashSet<>();
        if (line != null) {
            synchronized (line) {
                bad.addAll(line.core.returnedFrom());
            }
        }
        RunningService current = registry.find(typeId);
        org.osgi.framework.Version least = current == null ? org.osgi.framework.Version.emptyVersion
                : org.osgi.framework.Version.parseVersion(current.version());
        return candidates.stream().filter(candidate -> wanted != null ? wanted.equals(candidate.bundle().version())
                : !bad.contains(candidate.bundle().version()) && candidate.bundle().number().compareTo(least) >= 0).toList();
    }

    private void failed(Line line, ServiceVersion version, AnepException why) {
        run(line, (core, now) -> {
            core.failed(now, version, why, Advice.on(why.code()));
            return null;
        });
    }

    private void uninstall(LineAction.Uninstall uninstall) {
        installer.stop(uninstall.service());
        ServiceVersion version = uninstall.version();
        if (version.forgotten && version.bundle != null && !isUsed(version.bundle)) {
            store.remove(version.bundle);
        }
    }

    private boolean isUsed(FoundBundle bundle) {
        Line line = lines.get(bundle.typeId());
        if (line == null) {
            return false;
        }
        synchronized (line) {
            return line.core.versions().stream().anyMatch(version -> version.bundle != null && !version.state.isEnd()
                    && version.bundle.sha256().equals(bundle.sha256()));
        }
    }

    private void tick() {
        try {
            for (Line line : lines.values()) {
                run(line, (core, now) -> {
                    core.tick(now);
                    return null;
                });
            }
            forgetUnused();
            if (++ticks % TICKS_A_LOOK == 0 && trust.reload()) {
                LOG.info("what is trusted has changed");
                workers.execute(this::checkTrust);
            }
        } catch (AnepException e) {
            LOG.error("the trust store is as it was: {}", e.getMessage());
        } catch (RuntimeException e) {
            // The clock must go on.
            LOG.error("a turn of the deployer's clock failed", e);
        }
    }

    /** Looks again at everything that runs: what is not trusted any more is taken out at once. */
    private void checkTrust() {
        for (Line line : lines.values()) {
            List<ServiceVersion> versions;
            synchronized (line) {
                versions = line.core.versions().stream().filter(version -> version.bundle != null && !version.state.isEnd()).toList();
            }
            for (ServiceVersion version : versions) {
                try {
                    trust.check(store.jar(version.bundle.sha256()), version.bundle.sha256());
                } catch (AnepException e) {
                    LOG.warn("{} is not trusted any more: {}", version, e.getMessage());
                    run(line, (core, now) -> {
                        core.revoke(now, version, e);
                        return null;
                    });
                }
            }
        }
    }

    private void forgetUnused() {
        if (lines.size() <= REMEMBERED) {
            return;
        }
        for (Line line : lines.values()) {
            synchronized (line) {
                if (line.core.isForgettable(System.nanoTime())) {
                    line.dropped = true;
                    lines.remove(line.typeId, line);
                }
            }
        }
    }

    /** Tells the line how far an acquisition is. */
    private final class Watching implements Acquisition.Progress {
        private final Line line;
        private final ServiceVersion version;

        Watching(Line line, ServiceVersion version) {
            this.line = line;
            this.version = version;
        }

        /** Of a plan, which nobody needs to hear of. */
        Watching() {
            this(null, null);
        }

        @Override
        public void step(ServiceState state) {
            if (line != null) {
                run(line, (core, now) -> {
                    core.step(version, state);
                    return null;
                });
            }
        }

        @Override
        public boolean found(FoundBundle bundle, String source) {
            return run(line, (core, now) -> core.found(now, version, bundle, version.pushed != null ? "pushed" : source));
        }

        @Override
        public void verified(Publisher publisher) {
            run(line, (core, now) -> {
                core.verified(version, publisher);
                return null;
            });
        }
    }

    /** Stops every service and the framework; no stream may be open any more. */
    @Override
    public void close() {
        if (codeServer != null) {
            codeServer.close();
        }
        clock.shutdownNow();
        workers.shutdownNow();
        registry.all().forEach(registry::remove);
        save();
        installer.close();
    }
}
