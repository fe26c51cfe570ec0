package org.tamanoir.node.deploy;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.service.Level;

/**
 * Gets services when streams ask for them: finds the bundle, fetches and verifies it, starts it. One attempt at a time for a service,
 * whoever asks waits for the same one; a failure is remembered for a while, so that a stream of requests costs no stream of fetches.
 */
public final class Deployer implements AutoCloseable {
    /**
     * What a deployer goes by.
     *
     * @param directory      for the store and the framework's cache
     * @param repositories   their URLs, in the order in which they are asked
     * @param requestTimeout for one request to a repository
     * @param startTimeout   for a bundle to start
     * @param remember       how long a failure stands before the next attempt
     * @param bundleMost     octets of the largest bundle
     * @param heavyThreads   threads of each heavy service
     */
    public record Settings(Path directory, List<String> repositories, Duration requestTimeout, Duration startTimeout, Duration remember,
                           long bundleMost, int heavyThreads) {
    }

    private static final Logger LOG = LoggerFactory.getLogger(Deployer.class);
    /** Services that are got at the same time; more wait their turn. */
    private static final int AT_ONCE = 4;
    /** Type IDs whose failures are remembered. Beyond it the oldest is forgotten, so that made-up Type IDs cost no memory. */
    private static final int REMEMBERED = 1024;
    /** Beyond the start time-out, for a service that is made to stop to come back. */
    private static final int STOP_GRACE_MILLIS = 500;

    private final Settings settings;
    private final ServiceRegistry registry;
    private final NodeServiceContext.Factory contexts;
    private final BundleStore store;
    /** Started beside the rest of the node; see {@link #awaitStarted}. */
    private final Future<ServiceContainer> container;
    private final List<BundleSource> repositories = new ArrayList<>();
    private final Map<Integer, Deployment> deployments = new ConcurrentHashMap<>();
    private final Map<RunningService, ServiceContainer.Started> bundles = new ConcurrentHashMap<>();
    private final ExecutorService workers;
    private final ExecutorService starters = Executors.newCachedThreadPool(new DefaultThreadFactory("tamanoir-start", true));

    public Deployer(Settings settings, ServiceRegistry registry, NodeServiceContext.Factory contexts) {
        this.settings = settings;
        this.registry = registry;
        this.contexts = contexts;
        this.store = new BundleStore(settings.directory().resolve("bundles"));
        this.container = starters.submit(() -> new ServiceContainer(settings.directory().resolve("framework")));
        for (String url : settings.repositories()) {
            repositories.add(new RepositorySource(url, settings.requestTimeout(), settings.bundleMost()));
        }
        ThreadPoolExecutor pool = new ThreadPoolExecutor(AT_ONCE, AT_ONCE, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("tamanoir-deploy", true));
        pool.allowCoreThreadTimeOut(true);
        this.workers = pool;
    }

    /**
     * The service with a Type ID: at once if it runs, otherwise when it has been got.
     *
     * @return fails with an {@link AnepException}: EE-301 if no source has it, EE-302 if no source answered, EE-303 to EE-305 if what came
     *         cannot be used
     */
    public CompletableFuture<RunningService> request(int typeId) {
        RunningService active = registry.find(typeId);
        if (active != null) {
            return CompletableFuture.completedFuture(active);
        }
        Deployment started = new Deployment(typeId);
        Deployment current = deployments.compute(typeId, (id, known) ->
                known == null || known.mayBeTriedAgain(settings.remember().toNanos()) ? started : known);
        if (current == started) {
            forgetOldFailures();
            workers.execute(() -> deploy(typeId, started));
        }
        return current.future();
    }

    /**
     * Waits until the framework that runs services has started.
     *
     * @throws AnepException EE-599 if it does not
     */
    public void awaitStarted() {
        container();
    }

    private ServiceContainer container() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return container.get();
                } catch (InterruptedException e) {
                    // Whoever closes the deployer must have the framework, interrupted or not; it is a matter of a second.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? known
                    : new AnepException(ErrorCode.INTERNAL, "the OSGi framework does not start: " + e.getCause(), e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Asks the repositories for their indices, in the background: the first stream finds everything loaded, and an operator reads at once
     * which repository does not answer.
     */
    public void warmUp() {
        for (BundleSource source : repositories) {
            workers.execute(() -> {
                try {
                    source.find(Anep.TYPE_CONTROL);
                } catch (AnepException e) {
                    LOG.warn("repository {} is of no use now: {}", source.name(), e.getMessage());
                }
            });
        }
    }

    /** Every service that runs, is on its way, or has failed and is remembered. */
    public List<ServiceStatus> statuses() {
        return deployments.values().stream().map(Deployment::status).sorted(Comparator.comparing(ServiceStatus::typeId)).toList();
    }

    /** The URLs of the repositories, in order. */
    public List<String> repositories() {
        return settings.repositories();
    }

    private void forgetOldFailures() {
        if (deployments.size() > REMEMBERED) {
            deployments.values().removeIf(deployment -> deployment.mayBeTriedAgain(0));
        }
    }

    private void deploy(int typeId, Deployment deployment) {
        try {
            RunningService service = get(typeId, deployment);
            registry.activate(service);
            deployment.active(service);
            LOG.info("{} is active after {} ms, from {}", service, deployment.status().waitMillis(), deployment.status().source());
        } catch (AnepException e) {
            LOG.warn("{} cannot be had: {}", Anep.typeName(typeId), e.getMessage());
            deployment.failed(e);
        } catch (RuntimeException | Error e) {
            LOG.error("{} cannot be had", Anep.typeName(typeId), e);
            deployment.failed(new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        }
    }

    private RunningService get(int typeId, Deployment deployment) {
        FoundBundle kept = intact(typeId, deployment);
        AnepException failure = null;
        if (kept != null) {
            try {
                return start(kept, deployment);
            } catch (AnepException e) {
                LOG.warn("what the store has of {} cannot be used: {}", Anep.typeName(typeId), e.getMessage());
                failure = e;
            }
        }
        return fromRepositories(typeId, deployment, kept, failure);
    }

    /** What the store has, if its file is as it was. */
    private FoundBundle intact(int typeId, Deployment deployment) {
        FoundBundle kept = store.find(typeId).orElse(null);
        if (kept == null) {
            return null;
        }
        deployment.found(kept, BundleStore.NAME);
        deployment.enter(ServiceState.VERIFYING);
        Path jar = store.jar(kept.sha256());
        if (Files.exists(jar) && hashOf(jar).equals(kept.sha256())) {
            return kept;
        }
        LOG.warn("{} {} in the store is damaged and is fetched again", kept.name(), kept.version());
        store.remove(kept);
        return null;
    }

    /**
     * The first repository that has it; one that fails does not stand in the way of the next.
     *
     * @param tried   what has been tried already, or null; a repository that offers the same is of no help
     * @param failure what came of it
     */
    private RunningService fromRepositories(int typeId, Deployment deployment, FoundBundle tried, AnepException failure) {
        AnepException first = failure;
        for (BundleSource source : repositories) {
            try {
                deployment.enter(ServiceState.RESOLVING);
                Optional<FoundBundle> found = source.find(typeId);
                if (found.isPresent() && !found.get().equals(tried)) {
                    deployment.found(found.get(), source.name());
                    fetch(found.get(), source, deployment);
                    return start(found.get(), deployment);
                }
            } catch (AnepException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
        throw new AnepException(ErrorCode.UNKNOWN_SERVICE, repositories.isEmpty() ? "Type ID " + Anep.typeName(typeId)
                + " is not in the store and this node has no repository" : "no repository has a service with Type ID "
                + Anep.typeName(typeId));
    }

    private void fetch(FoundBundle bundle, BundleSource source, Deployment deployment) {
        Path file = store.temporary(bundle.sha256());
        try {
            deployment.enter(ServiceState.FETCHING);
            source.fetch(bundle, file);
            deployment.enter(ServiceState.VERIFYING);
            String hash = hashOf(file);
            if (!hash.equals(bundle.sha256())) {
                throw new AnepException(ErrorCode.BUNDLE_HASH_MISMATCH, source.name() + " announced " + bundle.sha256() + " and sent " + hash);
            }
            store.add(bundle, file);
        } finally {
            delete(file);
        }
    }

    private RunningService start(FoundBundle bundle, Deployment deployment) {
        deployment.enter(ServiceState.INSTALLING);
        Future<RunningService> starting = starters.submit(() -> install(bundle));
        try {
            return starting.get(settings.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AnepException known) {
                throw known;
            }
            throw startFailed(bundle, e.getCause().toString(), e.getCause());
        } catch (TimeoutException e) {
            starting.cancel(true);
            throw startFailed(bundle, "it has not started within " + settings.startTimeout().toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw startFailed(bundle, "the node is stopping", e);
        }
    }

    private RunningService install(FoundBundle bundle) {
        StartGuard guard = new StartGuard(settings.startTimeout());
        ServiceContainer.Started started = null;
        NodeServiceContext context = null;
        try {
            started = container().start(store.jar(bundle.sha256()), bundle.sha256());
            check(bundle, started.capability());
            context = contexts.create(bundle.name(), bundle.version());
            started.service().start(context);
            context.configuration().checkAllAsked();
            RunningService running = new RunningService(bundle.typeId(), Level.valueOf(bundle.level().toUpperCase(java.util.Locale.ROOT)),
                    started.service(), context, settings.heavyThreads());
            bundles.put(running, started);
            return running;
        } catch (Throwable e) {
            // Whatever a service throws: what was begun is taken back.
            if (context != null) {
                contexts.discard(context);
            }
            if (started != null) {
                started.uninstall();
            }
            throw e instanceof AnepException known ? known : startFailed(bundle, e.toString(), e);
        } finally {
            guard.close();
        }
    }

    /** What the bundle says of itself must be what the source said of it. */
    private static void check(FoundBundle bundle, Map<String, Object> capability) {
        if (!Long.valueOf(bundle.typeId()).equals(capability.get("type-id")) || !bundle.name().equals(capability.get("name"))
                || !bundle.version().equals(String.valueOf(capability.get("version")))
                || !bundle.level().equals(capability.get("level"))) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, "the index says " + bundle.name() + " " + bundle.version() + " "
                    + Anep.typeName(bundle.typeId()) + " " + bundle.level() + ", the bundle says " + capability);
        }
    }

    private static AnepException startFailed(FoundBundle bundle, String why, Throwable cause) {
        return new AnepException(ErrorCode.SERVICE_START_FAILED, bundle.name() + " " + bundle.version() + " does not start: " + why, cause);
    }

    private static String hashOf(Path file) {
        try {
            return Sha256.of(file);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", file, e.getMessage());
        }
    }

    /** Asks a service to stop, and goes on without it if it does not. */
    private void stop(RunningService service) {
        try {
            if (!service.close(settings.startTimeout())) {
                LOG.warn("{} has threads that do not end", service);
            }
            Future<?> stopping = starters.submit(() -> {
                StartGuard guard = new StartGuard(settings.startTimeout());
                try {
                    service.service().stop();
                } finally {
                    guard.close();
                }
            });
            stopping.get(settings.startTimeout().toMillis() + STOP_GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{} does not stop cleanly", service, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops every service and the framework; no stream may be open any more. */
    @Override
    public void close() {
        workers.shutdownNow();
        bundles.keySet().forEach(registry::deactivate);
        bundles.keySet().forEach(this::stop);
        starters.shutdownNow();
        container().close();
    }
}
