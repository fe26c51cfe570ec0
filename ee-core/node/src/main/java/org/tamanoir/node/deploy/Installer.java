package org.tamanoir.node.deploy;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.service.Declaration;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServiceThreads;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.brake.Brakes;

/** Starts services from verified bundles, and stops them. What a bundle's own code does is bounded in time. */
final class Installer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Installer.class);
    /** Beyond the start time-out, for a service that is made to stop to come back. */
    private static final int STOP_GRACE_MILLIS = 500;

    private final NodeServiceContext.Factory contexts;
    private final BiFunction<String, FailurePolicy, ServicePolicy> policies;
    private final Duration startTimeout;
    private final int heavyThreads;
    private final ExecutorService threads = Executors.newCachedThreadPool(new DefaultThreadFactory("tamanoir-start", true));
    private final Framework framework;
    private final Modules modules;
    private final Map<RunningService, ServiceContainer.Started> bundles = new ConcurrentHashMap<>();
    /** By the name of a service: threads of it that could not be ended. */
    private final Map<String, List<Thread>> leftovers = new ConcurrentHashMap<>();

    /**
     * @param modules  of services in WebAssembly
     * @param policies what the operator allows a service, by its name and the failure policy that it declares
     */
    Installer(Framework framework, Modules modules, NodeServiceContext.Factory contexts, BiFunction<String, FailurePolicy, ServicePolicy> policies,
              Duration startTimeout, int heavyThreads) {
        this.contexts = contexts;
        this.policies = policies;
        this.startTimeout = startTimeout;
        this.heavyThreads = heavyThreads;
        this.framework = framework;
        this.modules = modules;
    }

    /**
     * Starts a service.
     *
     * @param publisher the name of its publisher, or null for nobody
     * @param before    the version that runs now and may hand something over, or null
     * @throws AnepException EE-304 if it is not what the source said, EE-650 to EE-658 if it is a module that cannot be run, EE-305 or EE-501 if it does not start in time; what starts later is
     *                       stopped and taken out
     */
    RunningService start(FoundBundle bundle, Path jar, String publisher, RunningService before) {
        CompletableFuture<RunningService> outcome = new CompletableFuture<>();
        ServicePolicy allowed = policies.apply(bundle.name(), FailurePolicy.RESTART);
        // Compiled first: that takes its own time, with bounds of its own.
        ActiveService module = modules.of(jar, allowed);
        threads.execute(() -> install(bundle, jar, publisher, before, module, outcome));
        try {
            outcome.get(startTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            LOG.debug("{} does not start", bundle.name(), e);
        } catch (TimeoutException e) {
            outcome.completeExceptionally(tooLate(bundle, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outcome.completeExceptionally(startFailed(bundle, "the node is stopping", e));
        }
        try {
            RunningService running = outcome.join();
            ((NodeServiceContext) running.context()).started(running);
            return running;
        } catch (CompletionException e) {
            throw (AnepException) e.getCause();
        }
    }

    /** What a bundle says of itself; none of its code runs. @throws AnepException EE-304 if it is no bundle or lacks the capability */
    FoundBundle describe(Path jar, String sha256) {
        return framework.container().describe(jar, sha256);
    }

    /** Decides the outcome, or finds that it has been decided without it; then nothing stays. */
    private void install(FoundBundle bundle, Path jar, String publisher, RunningService before, ActiveService module, CompletableFuture<RunningService> outcome) {
        ServiceContainer.Started started = null;
        NodeServiceContext context = null;
        RunningService running;
        StartGuard guard = new StartGuard(startTimeout);
        Object origin = ServiceThreads.starts(policies.apply(bundle.name(), FailurePolicy.RESTART).threads());
        RunningService made = null;
        try {
            refuseBeside(bundle);
            started = framework.container().start(jar, bundle.sha256(), () -> Modules.present(module));
            check(bundle, started.capability());
            context = contexts.create(bundle.typeId(), publisher, bundle.name(), bundle.version(), HandOver.from(before));
            started.service().start(context);
            context.configuration().checkAllAsked();
            Declaration declared = Declaration.of(started.capability());
            running = new RunningService(bundle.typeId(), Level.valueOf(bundle.level().toUpperCase(Locale.ROOT)),
                    started.service(), context, heavyThreads, policies.apply(bundle.name(), declared.onFailure()), declared);
            running.loads(started::classes);
            made = running;
        } catch (Throwable e) {
            // Whatever a service throws: what was begun is taken back, and then it is said.
            AnepException why = e instanceof AnepException known ? known : startFailed(bundle, e.toString(), e);
            takeBack(started, context, why);
            outcome.completeExceptionally(why);
            return;
        } finally {
            guard.close();
            ServiceThreads.started(origin, made);
        }
        if (guard.hasStopped()) {
            // It has swallowed the interrupt, and what it left undone is not known.
            outcome.completeExceptionally(tooLate(bundle, null));
        }
        bundles.put(running, started);
        if (!outcome.complete(running)) {
            LOG.warn("{} has started too late and is stopped", running);
            stop(running);
        }
    }

    private void takeBack(ServiceContainer.Started started, NodeServiceContext context, AnepException why) {
        if (context != null) {
            context.stopping();
            contexts.discard(context);
        }
        try {
            if (started != null) {
                started.uninstall();
            }
        } catch (AnepException e) {
            why.addSuppressed(e);
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

    private AnepException tooLate(FoundBundle bundle, Throwable cause) {
        return startFailed(bundle, "it has not started within " + startTimeout.toMillis() + " ms", cause);
    }

    private static AnepException startFailed(FoundBundle bundle, String why, Throwable cause) {
        return new AnepException(ErrorCode.SERVICE_START_FAILED, bundle.name() + " " + bundle.version() + " does not start: " + why, cause);
    }

    /** Asks a service to stop, and goes on without it if it does not; then takes its bundle out. */
    void stop(RunningService service) {
        ServiceContainer.Started started = bundles.remove(service);
        if (started == null) {
            return;
        }
        if (service.context() instanceof NodeServiceContext context) {
            context.stopping();
        }
        try {
            if (!service.close(startTimeout)) {
                LOG.warn("{} has threads that do not end", service);
            }
            Future<?> stopping = threads.submit(() -> {
                StartGuard guard = new StartGuard(startTimeout);
                try {
                    service.service().stop();
                } finally {
                    guard.close();
                }
            });
            stopping.get(startTimeout.toMillis() + STOP_GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{} does not stop cleanly", service, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endThreads(service);
        contexts.discard(service.context());
        try {
            started.uninstall();
        } catch (AnepException e) {
            // The framework refuses whoever is interrupted, which is how a node stops; it goes with the framework then.
            LOG.warn("{} is stopped and stays installed until the node stops: {}", service, e.getMessage());
        }
    }

    /** Threads that it has started and left behind end with it; while one does not, no version of it is started. */
    private void endThreads(RunningService service) {
        try {
            List<Thread> left = ServiceThreads.end(service, startTimeout.toMillis());
            if (!left.isEmpty()) {
                leftovers.put(service.name(), left);
                LOG.warn("{} has left {} threads that do not end: {}", service, left.size(), left.stream().limit(5).map(Thread::getName).toList());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @throws AnepException EE-309 if threads of another version are still alive */
    private void refuseBeside(FoundBundle bundle) {
        long alive = leftovers.getOrDefault(bundle.name(), List.of()).stream().filter(Thread::isAlive).count();
        if (alive > 0) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, bundle.name() + " " + bundle.version() + " does not start: " + alive + " threads of a version before have not ended");
        }
        leftovers.remove(bundle.name());
    }

    /** Stops every service; no stream may be open any more. */
    @Override
    public void close() {
        bundles.keySet().forEach(this::stop);
        threads.shutdownNow();
        modules.close();
    }

    /** Stops the thread that starts a bundle if the bundle does not let it go: its loops throw, its waits are interrupted. */
    private static final class StartGuard extends TimerTask implements AutoCloseable {
        private static final Timer TIMER = new Timer("tamanoir-start-guard", true);

        private final Thread thread = Thread.currentThread();
        private boolean closed;
        private boolean stopped;

        StartGuard(Duration limit) {
            TIMER.schedule(this, limit.toMillis());
        }

        @Override
        public synchronized void run() {
            if (!closed) {
                stopped = true;
                Brakes.put(thread);
                thread.interrupt();
            }
        }

        /** Whether the time was over before it was closed. */
        synchronized boolean hasStopped() {
            return stopped;
        }

        @Override
        public synchronized void close() {
            closed = true;
            cancel();
            Brakes.release(thread);
            Thread.interrupted();
        }
    }

    /**
     * What one version of a service hands over to the next, by name. Values are Java's own: an object of the bundle's own classes would be a
     * stranger in the next bundle, and would keep the old one in memory.
     */
    static final class HandOver {
        private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);
        private static final int MOST_VALUES = 100_000;

        private HandOver() {
        }

        /** Empty if there is no version before, if it hands nothing over, or if it fails to. */
        static Map<String, Object> from(RunningService before) {
            if (before == null) {
                return Map.of();
            }
            try {
                Map<String, Object> offered = before.service().handOver();
                if (offered == null || offered.isEmpty()) {
                    return Map.of();
                }
                check(offered, new int[1]);
                return Map.copyOf(offered);
            } catch (RuntimeException | Error e) {
                LOG.warn("{} hands nothing over: {}", before, e.toString());
                return Map.of();
            }
        }

        private static void check(Object value, int[] seen) {
            if (++seen[0] > MOST_VALUES) {
                throw new IllegalArgumentException("it hands over more than " + MOST_VALUES + " values");
            }
            if (value instanceof Map<?, ?> map) {
                map.forEach((key, each) -> {
                    check(key, seen);
                    check(each, seen);
                });
            } else if (value instanceof List<?> list) {
                list.forEach(each -> check(each, seen));
            } else if (value == null || value.getClass().getClassLoader() != null) {
                throw new IllegalArgumentException("it hands over a " + (value == null ? "null" : value.getClass().getName())
                        + "; text, numbers, truth values, arrays, lists and maps of these can be handed over");
            }
        }
    }
}
